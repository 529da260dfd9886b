// Reversal of an edge of a DAG, with both ends' parents drawn anew.
//
// The move of Grzegorczyk and Husmeier (2008), "Improving the structure MCMC sampler for Bayesian
// networks by introducing a new edge reversal move": an edge i -> j is chosen, both ends lose their
// parents, i gets new ones with j among them and then j gets new ones, each in proportion to its
// weight among those that close no cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/spaces/dags/family_weights.hpp"

namespace arcwise {

class EdgeReversal {
  public:
    explicit EdgeReversal(const FamilyWeights& weights);

    // Reverses a random edge. If that is not possible it says so and leaves the DAG as it is. The
    // families of both ends must be ones that the model has, for only those are drawn on the way
    // back: holds(node) says so.
    template <class Holds>
    bool reverse(MutableDag& dag, SumMemo& memo, Random& random, Holds holds) {
        if (dag.edges() == 0) return false;
        choose_edge(dag, random);
        return holds(from_) && holds(to_) && redraw(dag, memo, random);
    }

    // Of the last reversal: the edge from -> to that is turned, and the DAG as it was.
    int from() const { return from_; }
    int to() const { return to_; }
    void take_back(MutableDag& dag) const;

    // ln of (probability to propose the way back / the way there), but for the weights of the
    // families drawn: with those it is this minus the change of the DAG's log weight.
    double log_ratio() const { return log_ratio_; }

  private:
    void choose_edge(const MutableDag& dag, Random& random);
    bool redraw(MutableDag& dag, SumMemo& memo, Random& random);
    // The nodes that can be parents of one without closing a cycle, as its bits.
    const std::uint64_t* allowed(const MutableDag& dag, int node, std::vector<std::uint64_t>& bits);

    const FamilyWeights& weights_;
    int from_ = 0;
    int to_ = 0;
    double log_ratio_ = 0.0;
    std::vector<std::uint64_t> old_of_from_, old_of_to_;
    std::vector<std::uint64_t> none_, set_;
    std::vector<std::uint64_t> allowed_from_, allowed_to_, must_;
};

}  // namespace arcwise
