// The moves of a linear order, each scored from the nodes whose predecessors it changes.
#include <algorithm>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/orders/linear_order.hpp"

namespace arcwise {
namespace {

// Of two nodes anywhere, or of neighbours.
template <bool adjacent>
class Swap final : public Move {
  public:
    explicit Swap(LinearOrder& order) : order_(order) {}

    Proposal propose(const Temperature&, Random& random) override {
        if constexpr (adjacent) {
            const std::size_t first = random.below(order_.nodes() - 1);
            return swap(first, first + 1);
        }
        const std::size_t one = random.below(order_.nodes());
        std::size_t other = random.below(order_.nodes() - 1);
        if (other >= one) ++other;
        return swap(std::min(one, other), std::max(one, other));
    }

  private:
    Proposal swap(std::size_t first, std::size_t last) {
        const NodeWeights& weights = order_.weights();
        const int early = order_.at(first);
        const int late = order_.at(last);
        order_.swap_places(first, last);

        // `early` gains, and `late` loses, all that is between them, and each other; those between
        // lose the one and gain the other.
        std::uint64_t* of_early = order_.begin_change(early);
        std::uint64_t* of_late = order_.begin_change(late);
        weights.flip(of_early, early, late);
        weights.flip(of_late, late, early);
        for (std::size_t place = first + 1; place < last; ++place) {
            const int node = order_.at(place);
            weights.flip(of_early, early, node);
            weights.flip(of_late, late, node);
            std::uint64_t* changed = order_.begin_change(node);
            const bool loses = weights.flip(changed, node, early);
            const bool gains = weights.flip(changed, node, late);
            if (!loses && !gains) order_.drop_change();
        }
        for (std::size_t change = 0; change < order_.changes(); ++change) {
            order_.weigh_change(change);
        }
        return {.weight = order_.proposed_weight()};
    }

    LinearOrder& order_;
};

// Of one node, to a place drawn from its law given the order of the others.
class Relocation final : public Move {
  public:
    explicit Relocation(LinearOrder& order)
        : order_(order),
          place_weights_(order.nodes()),
          passed_weights_(order.nodes()),
          choices_(order.nodes()),
          scratch_(order.weights().words()) {}

    Proposal propose(const Temperature& temperature, Random& random) override {
        const std::size_t from = random.below(order_.nodes());
        const int moved = order_.at(from);
        const LogWeight now = order_.log_weight();
        const LogWeight others = now - order_.weight_of(moved);
        pass(from, 1);
        pass(from, -1);

        // The weight of the whole order with the node at each place.
        std::vector<LogWeight>& totals = place_weights_;
        totals[from] = now;
        for (const int step : {1, -1}) {
            LogWeight rest = others;
            for_each_place(from, step, [&](std::size_t place) {
                rest = rest + (passed_weights_[place] - order_.weight_of(order_.at(place)));
                totals[place] = rest + totals[place];
            });
        }
        double largest = minus_infinity;
        for (std::size_t place = 0; place < totals.size(); ++place) {
            choices_[place] = temperature.log_density(totals[place]);
            largest = std::max(largest, choices_[place]);
        }
        for (double& choice : choices_) choice = std::exp(choice - largest);
        const std::size_t to = random.choose(choices_);
        relocate(from, to);
        // A draw from the law given the others is always accepted: the ratio undoes the change of
        // weight.
        const LogWeight& then = order_.proposed_weight();
        return {.weight = then,
                .log_ratio = -(temperature.log_density(then) - temperature.log_density(now))};
    }

  private:
    // Calls visit(place) for all places from one on, itself left out, up or down.
    template <class Visit>
    void for_each_place(std::size_t from, int step, Visit visit) const {
        if (step > 0) {
            for (std::size_t place = from + 1; place < order_.nodes(); ++place) visit(place);
        } else {
            for (std::size_t place = from; place-- > 0;) visit(place);
        }
    }

    // Goes from `from` to the other end, node by node as the moved one passes them.
    void pass(std::size_t from, int step) {
        const NodeWeights& weights = order_.weights();
        const int moved = order_.at(from);
        order_.copy_words(order_.predecessors(moved), scratch_.data());
        for_each_place(from, step, [&](std::size_t place) {
            const int passed = order_.at(place);
            weights.flip(scratch_.data(), moved, passed);
            place_weights_[place] = weights.at(moved, scratch_.data());
            std::uint64_t* of_passed = order_.predecessors(passed);
            if (weights.flip(of_passed, passed, moved)) {
                passed_weights_[place] = weights.at(passed, of_passed);
                weights.flip(of_passed, passed, moved);
            } else {
                passed_weights_[place] = order_.weight_of(passed);
            }
        });
    }

    void relocate(std::size_t from, std::size_t to) {
        order_.relocate(from, to);
        if (to == from) return;
        const NodeWeights& weights = order_.weights();
        const int moved = order_.at(from);
        const std::size_t first = std::min(from, to);
        const std::size_t last = std::max(from, to);
        std::uint64_t* of_moved = order_.begin_change(moved);
        for (std::size_t place = first; place <= last; ++place) {
            if (place != from) weights.flip(of_moved, moved, order_.at(place));
        }
        order_.weigh_change(0);
        for (std::size_t place = first; place <= last; ++place) {
            if (place == from) continue;
            const int passed = order_.at(place);
            if (weights.flip(order_.begin_change(passed), passed, moved)) {
                order_.weigh_last_change(passed_weights_[place]);  // known from the way there
            } else {
                order_.drop_change();
            }
        }
    }

    LinearOrder& order_;
    // By place: the weight of the moved node there, and of the node it passes to get there once it
    // is passed.
    std::vector<LogWeight> place_weights_;
    std::vector<LogWeight> passed_weights_;
    std::vector<double> choices_;
    std::vector<std::uint64_t> scratch_;
};

}  // namespace

std::vector<MoveRow<LinearOrder>> linear_order_moves(int nodes) {
    const double n = nodes;
    return {
        {"swap", 1.0 / (n / 3.0 + 2.0), make_move<Swap<false>>},
        {"adjacent", 1.0 / 2.0, make_move<Swap<true>>},
        {"relocate", 1.0 / (2.0 * n), make_move<Relocation>},
    };
}

}  // namespace arcwise
