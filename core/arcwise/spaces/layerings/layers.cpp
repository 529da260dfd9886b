// Layers sorted out of the layer of each node, and their keys.
#include "arcwise/spaces/layerings/layers.hpp"

#include <algorithm>

namespace arcwise {
namespace {

// So that the same layers in another order have another key.
SetKey shifted(const SetKey& key) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15ULL;
    const auto mix = [](std::uint64_t bits) {
        bits = (bits ^ (bits >> 31)) * odd;
        return bits ^ (bits >> 29);
    };
    return {mix(key.first), mix(key.second)};
}

}  // namespace

Layers::Layers(std::span<const int> layer_of) : order_(layer_of.size()) {
    const int last = layer_of.empty() ? -1 : *std::max_element(layer_of.begin(), layer_of.end());
    begins_.assign(static_cast<std::size_t>(last) + 2, 0);
    for (const int layer : layer_of) ++begins_[static_cast<std::size_t>(layer) + 1];
    for (std::size_t layer = 1; layer < begins_.size(); ++layer) {
        begins_[layer] += begins_[layer - 1];
    }
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t node = 0; node < layer_of.size(); ++node) {
        order_[next[static_cast<std::size_t>(layer_of[node])]++] = static_cast<int>(node);
    }
}

void LayerKeys::set(const Layers& layers) {
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
        tail = shifted(tail) ^ in_[layer];
        tail_[layer] = tail;
    }
}

}  // namespace arcwise
