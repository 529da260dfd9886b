// What the states of the order spaces have in common, and the moves of those that are linear
// orders.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/moves.hpp"
#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/support/error.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

// A state of any order space has moves, and a weight that the last of them proposed.
template <class SpaceOfOrders>
class OrderState : public State {
  public:
    const SpaceOfOrders& space() const { return space_; }

    Proposal propose(const Temperature& temperature, Random& random) override {
        return moves_->propose(space_.moves().choose(random), temperature, random);
    }
    LogWeight recomputed_weight() const override {
        const std::unique_ptr<State> fresh = space_.make_state();
        fresh->decode(this->exact_code());
        return fresh->log_weight();
    }

  protected:
    explicit OrderState(const SpaceOfOrders& space) : space_(space) {}

    const SpaceOfOrders& space_;
    std::optional<Moves> moves_;  // made last by the constructor of the state
    LogWeight proposed_;
};

// Whether the numbers are those below `count`, each once.
template <class Numbers>
bool has_each_once(const Numbers& numbers, std::size_t count) {
    std::vector<bool> seen(count, false);
    for (const auto number : numbers) {
        const auto at = static_cast<std::size_t>(number);  // a negative number becomes a huge one
        if (at >= count || seen[at]) return false;
        seen[at] = true;
    }
    return numbers.size() == count;
}

// The nodes in a row, and the change of places that is proposed to them.
class NodeOrder {
  public:
    explicit NodeOrder(std::size_t nodes) : order_(nodes) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    std::size_t size() const { return order_.size(); }
    int operator[](std::size_t place) const { return order_[place]; }
    auto begin() const { return order_.begin(); }
    auto end() const { return order_.end(); }

    void shuffle(Random& random) { random.shuffle(std::span(order_)); }
    void assign(const std::vector<int>& order) { order_ = order; }

    // The nodes at two places are swapped, or the one at `from` goes to `to` and those between make
    // room. `make_change` makes the proposed change, and `undo_change` takes it back.
    void propose_swap(std::size_t one, std::size_t other) { change_ = {one, other, false}; }
    void propose_relocation(std::size_t from, std::size_t to) { change_ = {from, to, true}; }
    void make_change() { make(change_.from, change_.to); }
    void undo_change() { make(change_.to, change_.from); }

    std::vector<std::uint16_t> encode() const { return {order_.begin(), order_.end()}; }

    // Throws `argument` unless every node is named once.
    void decode(std::span<const std::uint16_t> code) {
        if (!has_each_once(code, size())) {
            throw Error(ErrorKind::argument, "An order must name every node once.");
        }
        order_.assign(code.begin(), code.end());
    }

  private:
    struct Change {
        std::size_t from = 0;
        std::size_t to = 0;
        bool relocates = false;
    };

    void make(std::size_t from, std::size_t to) {
        const auto at = [&](std::size_t place) {
            return order_.begin() + static_cast<std::ptrdiff_t>(place);
        };
        if (!change_.relocates) {
            std::swap(order_[from], order_[to]);
        } else if (to > from) {
            std::rotate(at(from), at(from + 1), at(to + 1));
        } else {
            std::rotate(at(to), at(from), at(from + 1));
        }
    }

    std::vector<int> order_;
    Change change_;
};

// A state that is a linear order. The weight of each node depends on `sets` sets of predecessors,
// which are bits of its possible parents; a proposal is a list of the nodes whose sets or weight
// change. A Change has the members `node` and `weight`, and whatever else a space knows of a node.
template <class SpaceOfOrders, class Change, std::size_t sets>
class LinearState : public OrderState<SpaceOfOrders> {
  public:
    std::size_t nodes() const { return order_.size(); }

  protected:
    using OrderState<SpaceOfOrders>::proposed_;

    explicit LinearState(const SpaceOfOrders& space)
        : OrderState<SpaceOfOrders>(space),
          weights_(space.weights()),
          words_(weights_.words()),
          order_(static_cast<std::size_t>(space.nodes())),
          node_weights_(nodes()),
          sets_(nodes() * sets * words_),
          changed_sets_((nodes() + 1) * sets * words_) {
        changes_.reserve(nodes());
    }

    std::span<LogWeight> exact_parts() override { return node_weights_; }

    const LogWeight& weight_of(int node) const {
        return node_weights_[static_cast<std::size_t>(node)];
    }
    // The sets of a node, and those that a change of the proposal gives to its node.
    std::uint64_t* set_of(int node, std::size_t set = 0) {
        return sets_.data() + (static_cast<std::size_t>(node) * sets + set) * words_;
    }
    ParentBits set_of(int node, std::size_t set = 0) const {
        return sets_.data() + (static_cast<std::size_t>(node) * sets + set) * words_;
    }
    std::uint64_t* changed_set(std::size_t change, std::size_t set = 0) {
        return changed_sets_.data() + (change * sets + set) * words_;
    }
    // One word is the rule, and a call to copy it would take longer than everything else.
    void copy_words(ParentBits from, std::uint64_t* to) const {
        to[0] = from[0];
        for (std::size_t word = 1; word < words_; ++word) to[word] = from[word];
    }

    void begin_proposal() {
        changes_.clear();
        proposed_ = this->weight_;
    }
    void count_change(Change& change, const LogWeight& weight) {
        change.weight = weight;
        proposed_ = proposed_ + (weight - weight_of(change.node));
    }
    // Calls take(index, change), which gives the node its sets, for each change, and sets weights.
    template <class Take>
    void accept_changes(Take take) {
        for (std::size_t index = 0; index < changes_.size(); ++index) {
            const Change& change = changes_[index];
            take(index, change);
            node_weights_[static_cast<std::size_t>(change.node)] = change.weight;
        }
        this->take_weight(proposed_);
    }

    const NodeWeights& weights_;
    const std::size_t words_;
    NodeOrder order_;
    std::vector<LogWeight> node_weights_;
    std::vector<Change> changes_;

  private:
    std::vector<std::uint64_t> sets_;
    std::vector<std::uint64_t> changed_sets_;  // with room for one change that is then dropped
};

// The moves of a linear order, whatever an order is worth.
//
// An order weighs what is proposed: `propose_swap(first, last)` of the nodes at two places and
// `propose_relocation(from, to)` return the weight that the order then has, and `weigh_places(from,
// weights)` sets the weight it has with the node at each place, or a bound on it.

// Swaps two nodes anywhere, or two neighbours.
template <class Order, bool adjacent>
class Swap final : public Move {
  public:
    explicit Swap(Order& order) : order_(order) {}

    Proposal propose(const Temperature&, Random& random) override {
        if constexpr (adjacent) {
            const std::size_t first = random.below(order_.nodes() - 1);
            return {.weight = order_.propose_swap(first, first + 1)};
        }
        const std::size_t one = random.below(order_.nodes());
        std::size_t other = random.below(order_.nodes() - 1);
        if (other >= one) ++other;
        return {.weight = order_.propose_swap(std::min(one, other), std::max(one, other))};
    }

  private:
    Order& order_;
};

// Relocates one node to a place drawn from its law given the order of the others, or from a law
// close to it.
template <class Order>
class Relocation final : public Move {
  public:
    explicit Relocation(Order& order)
        : order_(order), place_weights_(order.nodes()), choices_(order.nodes()) {}

    Proposal propose(const Temperature& temperature, Random& random) override {
        const std::size_t from = random.below(order_.nodes());
        const LogWeight now = order_.log_weight();
        order_.weigh_places(from, place_weights_);
        double largest = minus_infinity;
        for (std::size_t place = 0; place < choices_.size(); ++place) {
            choices_[place] = temperature.log_density(place_weights_[place]);
            largest = std::max(largest, choices_[place]);
        }
        for (double& choice : choices_) choice = std::exp(choice - largest);
        const std::size_t to = random.choose(choices_);
        const LogWeight then = order_.propose_relocation(from, to);
        // A draw from the law given the others is always accepted: the ratio undoes the change of
        // weight. Where the weights of places are bounds, the way back is drawn by the same ones.
        if constexpr (Order::weighs_places_exactly) {
            return {.weight = then,
                    .log_ratio = -(temperature.log_density(then) - temperature.log_density(now))};
        }
        return {.weight = then,
                .log_ratio = temperature.log_density(place_weights_[from]) -
                             temperature.log_density(place_weights_[to])};
    }

  private:
    Order& order_;
    std::vector<LogWeight> place_weights_;
    std::vector<double> choices_;
};

}  // namespace arcwise
