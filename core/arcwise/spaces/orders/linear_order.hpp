// One linear order, its score sums, and the last move proposed to it.
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

  protected:
    std::span<LogWeight> exact_parts() override { return node_weights_; }

  private:
    // A node whose predecessors the proposed move changes, with what becomes of it.
    struct Change {
        int node;
        LogWeight weight;
    };

    Proposal propose_swap(std::size_t first, std::size_t last, int move);
    Proposal propose_relocation(const Temperature& temperature, Random& random);

    // Goes from `from` to the other end, node by node as `moved` passes them; place_weights_ and
    // passed_weights_ get the weights on the way.
    void pass(std::size_t from, int step);

    std::uint64_t* predecessors(int node) {
        return predecessors_.data() + static_cast<std::size_t>(node) * words_;
    }
    std::uint64_t* changed_predecessors(std::size_t change) {
        return changed_predecessors_.data() + change * words_;
    }
    // One word is the rule, and a call to copy it would take longer than all else.
    void copy_words(const std::uint64_t* from, std::uint64_t* to) const {
        to[0] = from[0];
        for (std::size_t word = 1; word < words_; ++word) to[word] = from[word];
    }
    // Adds a change of a node; its new predecessors start as the present ones.
    std::uint64_t* begin_change(int node);
    void end_change(std::size_t index);
    void sum_up();

    const LinearOrders& space_;
    const NodeWeights& weights_;
    const std::size_t nodes_;
    const std::size_t words_;
    std::vector<int> order_;
    std::vector<std::uint64_t> predecessors_;  // words_ for each node
    std::vector<LogWeight> node_weights_;

    // The last proposal: the nodes at two places are swapped, or that at from_ goes to to_.
    std::size_t from_ = 0;
    std::size_t to_ = 0;
    bool relocated_ = false;
    std::vector<Change> changes_;
    std::vector<std::uint64_t> changed_predecessors_;
    LogWeight proposed_;

    // For relocation, by place: the weight of the moved node there, and of the node it passes to
    // get there once it is passed.
    std::vector<LogWeight> place_weights_;
    std::vector<LogWeight> passed_weights_;
    std::vector<double> choices_;
    std::vector<std::uint64_t> scratch_;
};

}  // namespace arcwise
