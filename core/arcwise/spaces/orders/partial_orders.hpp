// The space of the reorderings of a partial order, if they are an exact cover of the linear orders;
// and the posterior of DAGs given any partial order.
//
// An exact cover is a set of partial orders such that every linear order extends exactly one of
// them (Niinimaki, Parviainen and Koivisto 2016, section 3). The reorderings of a parallel bucket
// order are one (their Example 5), and there is no other kind: let P be connected and let its
// reorderings be all it becomes by permuting its elements. There are n! / |Aut(P)| of them, and by
// symmetry all linear orders extend equally many; so they are an exact cover if and only if P has
// as many linear extensions as automorphisms. An automorphism that leaves a linear extension as it
// is moves nothing, so this is so if and only if any linear extension becomes any other by an
// automorphism. Let x and y be incomparable. Some linear extension has them side by side, and it
// still is one with the two swapped; the automorphism that does this swaps x and y and moves
// nothing else, so x and y have the same predecessors and the same successors. Then being
// incomparable is an equivalence relation, its classes come one after the other, and P is a bucket
// order. Parts that are not connected are reordered each on its own, and a linear order extends
// their union if it does so on each part.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "arcwise/spaces/orders/downset_lattice.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class PartialOrders final : public Space {
  public:
    // One of the reorderings: for each node those that come before it, as bits. Its connected
    // components are the parts.
    PartialOrders(std::shared_ptr<const ScoreSums> sums, std::vector<std::uint64_t> predecessors);

    int nodes() const override { return lattice_->positions(); }
    std::unique_ptr<State> make_state() const override;
    double log_size() const override { return log_size_; }

    const ScoreSums& sums() const { return *sums_; }
    const std::shared_ptr<const DownsetLattice>& lattice() const { return lattice_; }

    // Pairs of positions of one part, in different buckets.
    const std::vector<std::pair<int, int>>& swaps() const { return swaps_; }

    // The positions of each part, bucket after bucket.
    using Part = std::vector<std::vector<int>>;
    const std::vector<Part>& parts() const { return parts_; }

    // For each position all others that need not come after it.
    const std::vector<std::uint64_t>& not_after() const { return not_after_; }

    // The value of weights that are zero.
    double stand_in() const { return stand_in_; }

  private:
    std::shared_ptr<const ScoreSums> sums_;
    std::shared_ptr<const DownsetLattice> lattice_;
    std::vector<Part> parts_;
    std::vector<std::pair<int, int>> swaps_;
    std::vector<std::uint64_t> not_after_;
    double log_size_ = 0.0;
    double stand_in_ = 0.0;
};

// Score sums for the transitions of a lattice whose positions have nodes.
class TransitionSums {
  public:
    // The sums must outlive this; there are as many nodes as positions.
    TransitionSums(const ScoreSums& sums, std::shared_ptr<const DownsetLattice> lattice);

    void place(std::vector<int> node_at);
    const std::vector<int>& node_at() const { return node_at_; }

    // The nodes at a set of positions, as bits of the possible parents of the node at a position.
    std::uint64_t parent_bits(int position, std::uint64_t set) const;

    double log_sum(const DownsetLattice::Transition& transition) const;

  private:
    const ScoreSums& sums_;
    std::shared_ptr<const DownsetLattice> lattice_;
    std::vector<int> node_at_;
    std::vector<int> places_;  // by position and other position
};

// The posterior of DAGs given any partial order: all its linear extensions, together.
//
// Theorems 15 to 17 of Niinimaki, Parviainen and Koivisto (2016): the weight phi(P), DAGs drawn in
// proportion to phi(A) l(A u P), and the probabilities of all edges (algorithm ALLARCS).
class GivenPartialOrder final : public GivenState {
  public:
    // node_at: the node at each position. The sums must outlive this.
    GivenPartialOrder(const ScoreSums& sums, std::shared_ptr<const DownsetLattice> lattice,
                      std::vector<int> node_at);

    // ln phi(P); minus infinity if no DAG agrees with the order, and nothing else may be asked
    // then.
    double log_weight() const { return forward_.back(); }

    void add_edge_probabilities(double scale, double* edges) override;
    void draw(Random& random, std::uint64_t* parents) override;

  private:
    void add_position(int position, double scale, const std::vector<double>& backward,
                      double* edges) const;

    const ScoreSums& sums_;
    std::shared_ptr<const DownsetLattice> lattice_;
    TransitionSums alpha_;
    LatticeRecursion recursion_;
    std::vector<double> log_sums_;  // by transition
    std::vector<double> forward_;   // by down-set
};

}  // namespace arcwise
