// One canonical order, its numbering and score sums, and the change proposed to it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arcwise/spaces/orders/canonical_orders.hpp"
#include "arcwise/spaces/orders/order_state.hpp"
#include "arcwise/spaces/orders/split_sum.hpp"

namespace arcwise {

// What is known of a node given its predecessors A and the earlier ones E of them; E is empty where
// the node is not bound.
struct Standing {
    SplitSum sum;
    bool bound = false;
};

struct CanonicalChange {
    int node;
    Standing standing;
    LogWeight weight;
    bool same_predecessors;  // only the earlier ones, or whether it is bound, change
};

class CanonicalOrder final : public LinearState<CanonicalOrders, CanonicalChange, 2>,
                             public Bridge {
  public:
    explicit CanonicalOrder(const CanonicalOrders& space);

    void draw_uniform(Random& random) override;
    bool start_from_orders(std::uint64_t steps, Random& random, TaskContext* context) override;
    bool start_at(const SomeDag& dag) override;
    Bridge* bridge() override { return this; }
    LogWeight weight_at(const Temperature& temperature) const override;
    LogWeight weight_above(const Temperature& temperature) const override;
    void go_to(const Temperature& temperature) override;
    Proposal propose(const Temperature& temperature, Random& random) override;
    void accept() override;
    // The order, and the numbers of the nodes where they are part of the state.
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;
    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

    // What moves ask for; see order_state.hpp.
    LogWeight propose_swap(std::size_t first, std::size_t last);
    LogWeight propose_relocation(std::size_t from, std::size_t to);
    void weigh_places(std::size_t from, std::vector<LogWeight>& totals);
    // They are bounds, functions of the place and the order of the others.
    static constexpr bool weighs_places_exactly = false;

    // Proposes a new numbering, with the order as it is or as the canonical one of a DAG, and
    // returns the weight it then has.
    LogWeight propose_numbering(const std::vector<int>& numbers);
    LogWeight propose_numbering(const std::vector<int>& numbers, const std::uint64_t* dag);

  private:
    struct Numbered {
        std::vector<int> order;
        std::vector<int> numbers;  // by node
    };
    // How precisely the proposed weight is known. Most proposals are refused, and bounds on their
    // weight, which cost less, are enough to refuse them.
    enum class Precision {
        upper_bound,  // by S of the changed nodes, whether they are bound or not
        close_bound,  // exact but for nodes whose families would have to be added up
        exact
    };
    struct RelocationScratch;

    std::uint64_t* predecessors(int node) { return set_of(node, 0); }
    std::uint64_t* earlier(int node) { return set_of(node, 1); }
    ParentBits predecessors(int node) const { return set_of(node, 0); }
    ParentBits earlier(int node) const { return set_of(node, 1); }
    const Standing& standing(int node) const { return standings_[static_cast<std::size_t>(node)]; }
    int number(int node) const { return numbers_[static_cast<std::size_t>(node)]; }

    void sum_up();
    void set_highest(std::size_t first, std::size_t end);
    std::vector<int> canonical_order(const std::uint64_t* dag,
                                     const std::vector<int>& numbers) const;

    // Sets A and E of the node at a place, by an order and its numbers; returns whether it is
    // bound.
    bool set_sets(std::span<const int> order, const std::vector<int>& numbers, std::size_t place,
                  std::uint64_t* predecessors, std::uint64_t* earlier) const;
    // Sets E of a bound node from A, where the node is to be at a place of an order.
    template <class Order>
    void set_earlier(const Order& order, std::size_t place, int node, ParentBits predecessors,
                     std::uint64_t* earlier) const;

    // The sets of the change that is added next.
    std::uint64_t* next_predecessors() { return changed_set(changes_.size(), 0); }
    std::uint64_t* next_earlier() { return changed_set(changes_.size(), 1); }
    // Each of these adds changes to the proposal, and returns false if it then has weight zero and
    // would be refused; what comes after the node that makes it zero is left out.
    bool add_change(int node, bool bound, bool same_predecessors);
    bool add_change_if_any(int node, bool bound, bool same_predecessors);
    bool add_changes(std::size_t first, std::size_t last, int one, int other);
    bool add_adjacent_swap(std::size_t first);
    template <class SetNext>
    bool add_later_changes(std::size_t last, int highest_between, SetNext set_next);
    LogWeight propose_between(std::size_t first, std::size_t last, int one, int other);
    LogWeight propose_numbered(Numbered numbered);

    // Finds an upper bound on the weight of the proposal, and refines it at once unless it is
    // small.
    LogWeight weigh_changes();
    // Goes to the close bound, or from there to the exact weight.
    void refine();
    bool passes(Proposal& proposal, const Temperature& temperature, Random& random) const;

    LogWeight weigh_change(std::size_t i) {
        return sums_.weight(place_, changes_[i].standing.sum, changes_[i].node, changed_set(i, 0),
                            changed_set(i, 1));
    }
    LogWeight weigh(int node, const BridgePlace& place) const {
        return sums_.weight(place, standing(node).sum, node, predecessors(node), earlier(node));
    }
    template <class WeighOther>
    LogWeight total_at(const Temperature& temperature, const BridgePlace& place,
                       WeighOther weigh_other) const;
    void weigh_moved(int moved, RelocationScratch& scratch, std::vector<LogWeight>& totals) const;
    LogWeight weigh_other(std::size_t k, int moved, bool was_after,
                          RelocationScratch& scratch) const;

    mutable SplitSums sums_;  // what it remembers changes no result
    BridgePlace place_;

    std::vector<int> numbers_;  // by node
    std::vector<int> highest_;  // by place: the largest number up to it
    std::vector<Standing> standings_;

    // The change proposed.
    bool screens_ = false;       // bounds on the weight may refuse the proposal
    bool refuses_zero_ = false;  // and so does a bound node without a recent possible parent
    Precision precision_ = Precision::exact;
    std::size_t first_ = 0;  // the places between which the order changes
    std::size_t last_ = 0;
    std::optional<Numbered> numbered_;

    // Memory for weighing the places of a relocation; nothing in it outlasts a call.
    struct RelocationScratch {
        RelocationScratch(std::size_t nodes, std::size_t words)
            : others(nodes - 1),
              last_larger(nodes - 1),
              steps(nodes + 1),
              without(words),
              with(words),
              earlier(words) {}

        // Adds a weight at the places from `first` to the one before `end`.
        void add_between(std::size_t first, std::size_t end, const LogWeight& weight) {
            steps[first] = steps[first] + weight;
            steps[end] = steps[end] - weight;
        }

        std::vector<int> others;       // the other nodes u_0, u_1, .. in their order
        std::vector<int> last_larger;  // by k: the place of the last larger one before u_k, or -1
        std::vector<LogWeight> steps;  // by place: the others' weight less that one place before
        std::vector<std::uint64_t> without;  // predecessors of one node without the moved one,
        std::vector<std::uint64_t> with;     // with it,
        std::vector<std::uint64_t> earlier;  // and the earlier ones of them
    };
    RelocationScratch scratch_;
};

// The table of the space: shares are in proportion to 1 / (score sums that a move needs), so that
// all take the same time.
std::vector<MoveRow<CanonicalOrder>> canonical_order_moves(int nodes);

}  // namespace arcwise
