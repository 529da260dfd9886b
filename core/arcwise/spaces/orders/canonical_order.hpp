// One canonical order, its numbering and score sums, and the change that is proposed to it.
#pragma once

#include <vector>

#include "arcwise/spaces/orders/canonical_orders.hpp"
#include "arcwise/spaces/orders/node_order.hpp"
#include "arcwise/spaces/orders/required_weight.hpp"

namespace arcwise {

class CanonicalOrder final : public State {
  public:
    explicit CanonicalOrder(const CanonicalOrders& space);

    void draw_uniform(Random& random) override;
    bool start_from_orders(std::uint64_t steps, Random& random, TaskContext* context) override;
    bool start_at(const SomeDag& dag) override;
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

    std::size_t nodes() const { return order_.size(); }

    // What moves ask for; see order_moves.hpp.
    LogWeight propose_swap(std::size_t first, std::size_t last);
    LogWeight propose_relocation(std::size_t from, std::size_t to);
    void weigh_places(std::size_t from, std::vector<LogWeight>& totals);
    // They may be larger than the weights are, by a function of the others' order and the place.
    static constexpr bool weighs_places_exactly = false;

    // A new numbering, with the order as it is or as the canonical one of a DAG; the weight then.
    LogWeight propose_numbering(const std::vector<int>& numbers);
    LogWeight propose_numbering(const std::vector<int>& numbers, const std::uint64_t* dag);

  protected:
    std::span<LogWeight> exact_parts() override { return node_weights_; }

  private:
    // A node's predecessors, those of them before the last with a larger number, and whether there
    // is such a one; bits are kept apart, by node or by change.
    struct Standing {
        RequiredWeight weight;
        bool bound = false;
    };
    struct Change {
        int node;
        Standing standing;
        LogWeight weight;
        bool same_allowed;
    };

    std::size_t at(int node) const { return static_cast<std::size_t>(node) * words_; }
    std::uint64_t* allowed(int node) { return allowed_.data() + at(node); }
    std::uint64_t* earlier(int node) { return earlier_.data() + at(node); }
    ParentBits allowed(int node) const { return allowed_.data() + at(node); }
    ParentBits earlier(int node) const { return earlier_.data() + at(node); }
    const Standing& standing(int node) const { return standings_[static_cast<std::size_t>(node)]; }
    const LogWeight& weight_of(int node) const {
        return node_weights_[static_cast<std::size_t>(node)];
    }
    int number(int node) const { return numbers_[static_cast<std::size_t>(node)]; }

    // One word is the rule, and a call to copy it would take longer than all else.
    void copy_words(ParentBits from, std::uint64_t* to) const {
        to[0] = from[0];
        for (std::size_t word = 1; word < words_; ++word) to[word] = from[word];
    }

    void sum_up();
    void set_highest(std::size_t first, std::size_t end);
    std::vector<int> canonical_order(const std::uint64_t* dag,
                                     const std::vector<int>& numbers) const;

    // Sets what comes before the last larger one of those before a place, where the node is to be.
    template <class Order>
    void set_earlier(const Order& order, std::size_t place, int node, ParentBits allowed,
                     std::uint64_t* earlier) const;

    LogWeight propose_numbered(const std::vector<int>& numbers, std::vector<int> order);

    // The order is changed between two places: adds all that is then changed. One node, or two, go
    // elsewhere; flip(node, bits) changes the predecessors of a node there. Where a state of weight
    // zero would be refused, changes end with the first node that makes it one.
    template <class Flip>
    bool add_changes(std::size_t first, std::size_t last, int one, int other, Flip flip);
    bool add_swap(std::size_t first, std::size_t last);
    bool add_adjacent_swap(std::size_t first);
    template <class SetBefore>
    bool add_later_changes(std::size_t last, int highest_between, SetBefore set_before);
    bool add_change(int node, bool bound, bool same_allowed);
    bool add_change_if_any(int node, bool bound, bool same_allowed);
    // First the sums of the changed nodes, whatever they require: a bound on the weight, with which
    // it ends where that is refused more often than not; then the weight, or a closer bound.
    LogWeight weigh_changes();
    void weigh_bounded_changes();
    void weigh_rough_changes();
    bool passes(Proposal& proposal, const Temperature& temperature, Random& random) const;
    std::uint64_t* changed_allowed() { return changed_allowed_.data() + changes_.size() * words_; }
    std::uint64_t* changed_earlier() { return changed_earlier_.data() + changes_.size() * words_; }

    LogWeight weigh(const RequiredWeight& weight, int node, ParentBits allowed,
                    ParentBits earlier) const {
        return sums_.at(place_, weight, node, allowed, earlier);
    }
    LogWeight weigh_above(const RequiredWeight& weight, int node) const {
        return sums_.above(place_, weight, node);
    }
    template <class WeighOther>
    LogWeight total_at(const Temperature& temperature, const BridgePlace& place,
                       WeighOther weigh_other) const;
    void weigh_moved(int moved, std::vector<LogWeight>& totals);
    LogWeight weigh_passed(std::size_t place, int moved, std::size_t from);
    void add_between(std::size_t first, std::size_t end, const LogWeight& weight) {
        steps_[first] = steps_[first] + weight;
        steps_[end] = steps_[end] - weight;
    }

    const CanonicalOrders& space_;
    const NodeWeights& weights_;
    const std::size_t words_;
    mutable RequiredWeights sums_;  // what it remembers changes no result
    BridgePlace place_;

    NodeOrder order_;
    std::vector<int> numbers_;  // by node
    std::vector<int> highest_;  // by place: the largest number up to it
    std::vector<std::uint64_t> allowed_;
    std::vector<std::uint64_t> earlier_;
    std::vector<Standing> standings_;
    std::vector<LogWeight> node_weights_;

    bool refuses_zero_ = false;
    bool screens_ = false;  // proposals whose weight is too small by a bound on it alone
    bool bounded_ = false;  // the weight proposed is such a bound as yet, the first one
    bool rough_ = false;    // or the second one
    bool renumbered_ = false;
    std::size_t first_ = 0;  // the places between which the order changes
    std::size_t last_ = 0;
    std::vector<int> new_order_;
    std::vector<int> new_numbers_;
    std::vector<Change> changes_;
    std::vector<std::uint64_t> changed_allowed_;
    std::vector<std::uint64_t> changed_earlier_;
    LogWeight proposed_;

    // Of a relocation: the others in their order, the last larger one before each, and by place how
    // the weight of the others changes from there on to the next place.
    std::vector<int> others_;
    std::vector<int> last_larger_;
    std::vector<LogWeight> steps_;
    std::vector<std::uint64_t> with_;
    std::vector<std::uint64_t> without_;
    std::vector<std::uint64_t> before_;

    Moves moves_;
};

// The table of the space: shares in proportion to 1 / (score sums a move needs), so that all take
// the same time.
std::vector<MoveRow<CanonicalOrder>> canonical_order_moves(int nodes);

}  // namespace arcwise
