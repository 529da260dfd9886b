// The weight of a layering by numbers that serve: plain ones, or those with large exponents.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arcwise/numerics/extended.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/layerings/layering_recursion.hpp"

namespace arcwise {

// Edge probabilities given a layering: its recursion run from the first layer to the last as well.
//
// A node v of the part that comes after D with last part T has a family A within reach that meets T
// with the probability e^(weight of A) * w_v(D, T), where w_v sums up all that can come before and
// after, and beside v in its part. So A counts with the sum of w_v over the (D, T) it agrees with.

template <class Number>
class LayeringEdges {
  public:
    explicit LayeringEdges(LayeringRecursion<Number>& recursion, const ScoreSums& sums)
        : recursion_(recursion), sums_(sums) {}

    // edges[u * n + v] += scale * P(edge u -> v), for all edges; false, and edges are of no use, if
    // underflow took too much.
    bool add(double scale, double* edges);

  private:
    using Values = std::vector<Number>;

    bool add_divided(std::size_t layer);
    bool add_whole(std::size_t layer);
    // Adds what a node's families with parents in the layer before have, whose last part is T with
    // the weight weights[T] / total.
    void add_entry(std::size_t layer, std::size_t member, double log_sum, Values& weights,
                   const Number& total);
    // Those of a layer's own part before.
    void add_within(std::size_t layer, std::size_t member, const LayerTables<Number>& tables,
                    const Values& counted, const Number& total);
    // Sets ways_ and by_factor_ for the parts in values_ and their factors_.
    void unfold_here(const Number* weights, std::size_t count);
    // Divides the numbers by about their largest.
    void normalise(Values& numbers);
    bool enough(const Number& total, double bits) const;

    LayeringRecursion<Number>& recursion_;
    const ScoreSums& sums_;
    double scale_ = 1.0;
    double* edges_ = nullptr;
    Values forward_;  // by last part of the layer before
    double lost_ = -1e9;
    Values scratch_;
    Values values_;
    Values ways_;
    Values missing_;
    std::vector<Values> by_factor_;
    std::vector<const Number*> factors_;
    SumMemo memo_;
};

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
