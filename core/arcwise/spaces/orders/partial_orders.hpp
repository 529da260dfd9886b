// The space of the reorderings of a partial order, if they are an exact cover of the linear orders.
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

#include <memory>
#include <utility>
#include <vector>

#include "arcwise/spaces/orders/given_partial_order.hpp"
#include "arcwise/spaces/space.hpp"

namespace arcwise {

class PartialOrders final : public Space {
  public:
    // For each node those that come before it, as bits: one of the reorderings. Its connected
    // components are the parts.
    PartialOrders(std::shared_ptr<const ScoreSums> sums, std::vector<std::uint64_t> predecessors);

    int nodes() const override { return lattice_->positions(); }
    std::unique_ptr<State> make_state() const override;
    double log_size() const override { return log_size_; }

    // Pairs of positions of one part, in different buckets.
    const std::vector<std::pair<int, int>>& swaps() const { return swaps_; }

    // The positions of each part, bucket after bucket.
    using Part = std::vector<std::vector<int>>;
    const std::vector<Part>& parts() const { return parts_; }

  private:
    friend class PartialOrderState;

    std::shared_ptr<const ScoreSums> sums_;
    std::shared_ptr<const DownsetLattice> lattice_;
    std::vector<Part> parts_;
    std::vector<std::pair<int, int>> swaps_;
    std::vector<std::uint64_t> not_after_;  // by position: all that need not come after it
    double log_size_ = 0.0;
    double stand_in_ = 0.0;  // the value of states whose weight is zero
};

// Which node sits at which position.
class PartialOrderState final : public State {
  public:
    explicit PartialOrderState(const PartialOrders& space);

    void draw_uniform(Random& random) override;
    Proposal propose(const Temperature& temperature, Random& random) override;
    void accept() override;

    // The node at each position, ascending within a bucket: so equal states have equal codes.
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;

    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

    const PartialOrders& space() const { return space_; }

    // Proposes to swap the nodes at two positions.
    Proposal swap(int first, int second);

  protected:
    // Which of a bucket's positions a node has decides which swaps lead where.
    std::vector<std::uint16_t> exact_code() const override {
        return {alpha_.node_at().begin(), alpha_.node_at().end()};
    }

  private:
    void become(std::vector<int> node_at);
    LogWeight weight_of(double log_score, const TransitionSums& alpha) const;

    const PartialOrders& space_;
    TransitionSums alpha_;
    LatticeRecursion recursion_;
    std::vector<double> log_sums_;  // by transition
    // The proposal: what accept() puts in place of the state.
    TransitionSums proposed_alpha_;
    std::vector<double> proposed_log_sums_;
    LogWeight proposed_weight_;

    Moves moves_;
};

}  // namespace arcwise
