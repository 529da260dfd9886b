// The moves of a linear order, whatever an order is worth.
//
// An order scores what is proposed: `propose_swap(first, last)` of the nodes at two places and
// `propose_relocation(from, to)` return the weight the order then has, and `weigh_places(from,
// weights)` sets the weight it has with the node at each place, exactly or not.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/moves.hpp"

namespace arcwise {

// Of two nodes anywhere, or of neighbours.
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

// Of one node, to a place drawn from its law given the order of the others, or nearly so.
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
        // weight. Where the weights of places are not exact, they are no less what the way back is
        // drawn by.
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
