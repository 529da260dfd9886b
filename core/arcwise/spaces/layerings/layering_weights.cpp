// Weights and draws of a layering, whichever numbers it takes.
#include "arcwise/spaces/layerings/layering_weights.hpp"

#include <algorithm>

#include "arcwise/spaces/layerings/layering_edges.hpp"

namespace arcwise {

LayeringWeights::LayeringWeights(const Layerings& space)
    : space_(space), possible_(space), plain_(space, [this](std::size_t layer) {
          possible_.set(layers_);
          return !possible_.message(layer)->passed_over;
      }) {}

LayeringRecursion<Extended>& LayeringWeights::extended() {
    if (!extended_) extended_.emplace(space_);
    extended_->set(layers_);
    return *extended_;
}

LogWeight LayeringWeights::weight(std::span<const int> layer_of, double enough) {
    layers_ = Parts({layer_of.begin(), layer_of.end()});
    plain_.set(layers_);
    const LogWeight plain = plain_.weight();
    return plain_.trusted() || plain.value < enough ? plain : extended().weight();
}

void LayeringWeights::draw_partition(std::span<const int> layer_of, Random& random,
                                     std::vector<int>& part_of) {
    with_recursion(layer_of, [&](auto& recursion) { recursion.draw_partition(random, part_of); });
}

void LayeringWeights::add_edge_probabilities(std::span<const int> layer_of, double scale,
                                             double* edges) {
    const ScoreSums& sums = space_.weights().sums();
    const auto nodes = static_cast<std::size_t>(space_.nodes());
    // Into a table of their own, as plain numbers may turn out too small only on the way.
    std::vector<double> found(nodes * nodes, 0.0);
    bool done = false;
    with_recursion(layer_of, [&](auto& recursion) {
        done = LayeringEdges(recursion, sums).add(scale, found.data());
    });
    if (!done) {
        std::fill(found.begin(), found.end(), 0.0);
        LayeringEdges(extended(), sums).add(scale, found.data());
    }
    for (std::size_t i = 0; i < found.size(); ++i) edges[i] += found[i];
}

}  // namespace arcwise
