// The weight of a layering by numbers that serve: plain ones, or those with large exponents.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arcwise/numerics/extended.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/layerings/layering_recursion.hpp"

namespace arcwise {

class LayeringWeights {
  public:
    explicit LayeringWeights(const Layerings& space);
    LayeringWeights(const LayeringWeights&) = delete;
    LayeringWeights& operator=(const LayeringWeights&) = delete;

    // If the value is below `enough`, an upper bound that is so too may stand for the weight.
    LogWeight weight(std::span<const int> layer_of, double enough = minus_infinity);

    // The part of each node of one of its partitions, in proportion to their weights; the weight of
    // the layering is not zero.
    void draw_partition(std::span<const int> layer_of, Random& random, std::vector<int>& part_of);

    // edges[u * n + v] += scale * P(edge u -> v | layering).
    void add_edge_probabilities(std::span<const int> layer_of, double scale, double* edges);

  private:
    // Calls use(recursion) with the recursion of these layers in numbers that serve.
    template <class Use>
    void with_recursion(std::span<const int> layer_of, Use use) {
        layers_ = Parts({layer_of.begin(), layer_of.end()});
        plain_.set(layers_);
        if (plain_.trusted()) {
            use(plain_);
        } else {
            use(extended());
        }
    }
    LayeringRecursion<Extended>& extended();

    const Layerings& space_;
    Parts layers_;
    LayeringRecursion<float> possible_;  // says which layers have no partition
    LayeringRecursion<double> plain_;
    std::optional<LayeringRecursion<Extended>> extended_;
};

}  // namespace arcwise
