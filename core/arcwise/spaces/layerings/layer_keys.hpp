// Keys that tell layers, and tails of them, apart.
#pragma once

#include <vector>

#include "arcwise/spaces/orders/weight_memo.hpp"
#include "arcwise/spaces/partitions/parts.hpp"

namespace arcwise {

// Keys of what the programme remembers of a layering.
class LayerKeys {
  public:
    explicit LayerKeys(int nodes) : keys_(nodes, roles) {}

    // Makes the keys of these layers.
    void set(const Parts& layers) {
        const std::size_t count = layers.count();
        before_.assign(count, {});
        in_.assign(count, {});
        previous_.assign(count + 1, {});
        tail_.assign(count + 1, {});
        SetKey before;
        for (std::size_t layer = 0; layer < count; ++layer) {
            before_[layer] = before;
            for (const int node : layers.members(layer)) {
                before = before ^ keys_(before_it, node);
                in_[layer] = in_[layer] ^ keys_(in_it, node);
                previous_[layer + 1] = previous_[layer + 1] ^ keys_(right_before_it, node);
            }
        }
        SetKey tail;
        for (std::size_t layer = count; layer-- > 0;) {
            tail = mixed(tail) ^ in_[layer];
            tail_[layer] = tail;
        }
    }

    // Of the layer, with all that come before it as a set.
    SetKey within(std::size_t layer) const { return before_[layer] ^ in_[layer]; }
    // Of two layers, this and the one before, with all that come before both as a set.
    SetKey entry(std::size_t layer) const { return within(layer) ^ previous_[layer]; }
    // Of all layers from this one on, in their order; there may be none.
    SetKey tail(std::size_t layer) const { return tail_[layer]; }
    SetKey tail_and_previous(std::size_t layer) const { return tail_[layer] ^ previous_[layer]; }

  private:
    enum Role { before_it, in_it, right_before_it, roles };

    // So that the same layers in another order have another key.
    static SetKey mixed(const SetKey& key) {
        constexpr std::uint64_t odd = 0x9E3779B97F4A7C15ULL;
        const auto mix = [](std::uint64_t bits) {
            bits = (bits ^ (bits >> 31)) * odd;
            return bits ^ (bits >> 29);
        };
        return {mix(key.first), mix(key.second)};
    }

    NodeKeys keys_;
    std::vector<SetKey> before_;
    std::vector<SetKey> in_;
    std::vector<SetKey> previous_;
    std::vector<SetKey> tail_;
};

}  // namespace arcwise
