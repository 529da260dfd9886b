// The layers of a layering as lists of nodes, and keys that tell them and their tails apart.
#pragma once

#include <span>
#include <vector>

#include "arcwise/spaces/orders/weight_memo.hpp"

namespace arcwise {

class Layers {
  public:
    Layers() = default;
    // The layer of each node, the first being 0; none is empty.
    explicit Layers(std::span<const int> layer_of);

    std::size_t nodes() const { return order_.size(); }
    std::size_t count() const { return begins_.size() - 1; }
    std::size_t size(std::size_t layer) const { return begins_[layer + 1] - begins_[layer]; }

    // The nodes of a layer, ascending, and those of all layers before it.
    std::span<const int> members(std::size_t layer) const {
        return {order_.data() + begins_[layer], size(layer)};
    }
    std::span<const int> before(std::size_t layer) const { return {order_.data(), begins_[layer]}; }

  private:
    std::vector<int> order_;  // layer by layer
    std::vector<std::size_t> begins_ = {0};
};

// Keys of what the programme remembers of a layering.
class LayerKeys {
  public:
    explicit LayerKeys(int nodes) : keys_(nodes, roles) {}

    // Makes the keys of these layers.
    void set(const Layers& layers);

    // Of the layer, with all that come before it as a set.
    SetKey within(std::size_t layer) const { return before_[layer] ^ in_[layer]; }
    // Of two layers, this and the one before, with all that come before both as a set.
    SetKey entry(std::size_t layer) const { return within(layer) ^ previous_[layer]; }
    // Of all layers from this one on, in their order; there may be none.
    SetKey tail(std::size_t layer) const { return tail_[layer]; }
    SetKey tail_and_previous(std::size_t layer) const { return tail_[layer] ^ previous_[layer]; }

  private:
    enum Role { before_it, in_it, right_before_it, roles };

    NodeKeys keys_;
    std::vector<SetKey> before_;
    std::vector<SetKey> in_;
    std::vector<SetKey> previous_;
    std::vector<SetKey> tail_;
};

}  // namespace arcwise
