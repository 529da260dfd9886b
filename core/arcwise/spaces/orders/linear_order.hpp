// One linear order, its score sums, and the change that is proposed to it.
#pragma once

#include <vector>

#include "arcwise/spaces/known_row_sums.hpp"
#include "arcwise/spaces/orders/linear_orders.hpp"
#include "arcwise/spaces/orders/node_order.hpp"

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

    std::size_t nodes() const { return order_.size(); }

    // What moves ask for; see order_moves.hpp.
    LogWeight propose_swap(std::size_t first, std::size_t last);
    LogWeight propose_relocation(std::size_t from, std::size_t to);
    void weigh_places(std::size_t from, std::vector<LogWeight>& totals);
    static constexpr bool weighs_places_exactly = true;

  protected:
    std::span<LogWeight> exact_parts() override { return node_weights_; }

  private:
    struct Change {
        int node;
        LogWeight weight;
    };

    const LogWeight& weight_of(int node) const {
        return node_weights_[static_cast<std::size_t>(node)];
    }
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

    // A node that gets other predecessors, which start as they are, to be changed and then weighed.
    std::uint64_t* begin_change(int node);
    void drop_change() { changes_.pop_back(); }
    void weigh_change(std::size_t index);
    void weigh_swap_in_rows();
    // A node between two that are swapped loses the one and gains the other; false if it can have
    // neither as a parent.
    bool exchange(std::uint64_t* predecessors, int node) const {
        const bool loses = weights_.flip(predecessors, node, swapped_.early);
        const bool gains = weights_.flip(predecessors, node, swapped_.late);
        return loses || gains;
    }
    // Of a swap whose sums are had from rows, most predecessors of nodes between are never asked
    // for: they are changed where they are, once the swap is accepted.
    bool left_as_is(std::size_t change) const { return swapped_.in_rows && change >= 2; }
    void count_change(Change& change, const LogWeight& weight) {
        change.weight = weight;
        proposed_ = proposed_ + (weight - weight_of(change.node));
    }

    template <class Visit>
    void for_each_place(std::size_t from, int step, Visit visit) const;
    void pass(std::size_t from, int step, std::vector<LogWeight>& of_moved);
    void sum_up();

    const LinearOrders& space_;
    const NodeWeights& weights_;
    const std::size_t words_;
    NodeOrder order_;
    std::vector<std::uint64_t> predecessors_;  // words_ for each node
    std::vector<LogWeight> node_weights_;

    struct Swapped {
        int early = 0;
        int late = 0;
        bool in_rows = false;  // and the changes from the third on are those of nodes between
    };

    std::vector<Change> changes_;
    std::vector<std::uint64_t> changed_predecessors_;
    Swapped swapped_;
    KnownRowSums row_sums_;
    PlainWeights plain_weights_;
    LogWeight proposed_;

    // Of a relocation: by place, the weight of the node that is passed to get there once it is
    // passed; and the predecessors of the moved one on its way.
    std::vector<LogWeight> passed_weights_;
    std::vector<std::uint64_t> scratch_;

    Moves moves_;
};

// The table of the space: shares in proportion to 1 / (score sums a move needs), so that all take
// the same time.
std::vector<MoveRow<LinearOrder>> linear_order_moves(int nodes);

}  // namespace arcwise
