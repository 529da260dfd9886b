// One linear order, its score sums, and the change that is proposed to it.
#pragma once

#include <vector>

#include "arcwise/spaces/orders/linear_orders.hpp"

namespace arcwise {

class LinearOrder final : public State {
  public:
    explicit LinearOrder(const LinearOrders& space);

    void draw_uniform(Random& random) override;
    Proposal propose(const Temperature& temperature, Random& random) override;
    void accept() override;
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;
    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

    // The order as it is; a move may change predecessors for a while.
    const NodeWeights& weights() const { return weights_; }
    std::size_t nodes() const { return order_.size(); }
    int at(std::size_t place) const { return order_[place]; }
    const LogWeight& weight_of(int node) const {
        return node_weights_[static_cast<std::size_t>(node)];
    }
    std::uint64_t* predecessors(int node) {
        return predecessors_.data() + static_cast<std::size_t>(node) * words_;
    }

    // The change proposed: the nodes at two places are swapped, or that at `from` goes to `to`;
    void swap_places(std::size_t one, std::size_t other) { set_change(one, other, false); }
    void relocate(std::size_t from, std::size_t to) { set_change(from, to, true); }

    // and nodes with other predecessors, which start as they are, to be changed and then weighed.
    std::uint64_t* begin_change(int node);
    void drop_change() { changes_.pop_back(); }
    std::size_t changes() const { return changes_.size(); }
    void weigh_change(std::size_t index);
    void weigh_last_change(const LogWeight& weight) { count_change(changes_.back(), weight); }

    const LogWeight& proposed_weight() const { return proposed_; }

    // One word is the rule, and a call to copy it would take longer than all else.
    void copy_words(const std::uint64_t* from, std::uint64_t* to) const {
        to[0] = from[0];
        for (std::size_t word = 1; word < words_; ++word) to[word] = from[word];
    }

  protected:
    std::span<LogWeight> exact_parts() override { return node_weights_; }

  private:
    struct Change {
        int node;
        LogWeight weight;
    };

    void set_change(std::size_t from, std::size_t to, bool relocated) {
        from_ = from;
        to_ = to;
        relocated_ = relocated;
    }
    std::uint64_t* changed_predecessors(std::size_t change) {
        return changed_predecessors_.data() + change * words_;
    }
    void count_change(Change& change, const LogWeight& weight) {
        change.weight = weight;
        proposed_ = proposed_ + (weight - weight_of(change.node));
    }
    void sum_up();

    const LinearOrders& space_;
    const NodeWeights& weights_;
    const std::size_t words_;
    std::vector<int> order_;
    std::vector<std::uint64_t> predecessors_;  // words_ for each node
    std::vector<LogWeight> node_weights_;

    std::size_t from_ = 0;
    std::size_t to_ = 0;
    bool relocated_ = false;
    std::vector<Change> changes_;
    std::vector<std::uint64_t> changed_predecessors_;
    LogWeight proposed_;

    Moves moves_;
};

// The table of the space: shares in proportion to 1 / (score sums a move needs), so that all take
// the same time.
std::vector<MoveRow<LinearOrder>> linear_order_moves(int nodes);

}  // namespace arcwise
