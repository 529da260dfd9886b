// Edge probabilities given a layering: its recursion run from the first layer to the last as well.
//
// A node v of the part that comes after D with last part T has a family A within reach that meets T
// with the probability e^(weight of A) * w_v(D, T), where w_v sums up all that can come before and
// after, and beside v in its part. So A counts with the sum of w_v over the (D, T) it agrees with.
#pragma once

#include <vector>

#include "arcwise/spaces/layerings/layering_recursion.hpp"

namespace arcwise {

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

}  // namespace arcwise
