// The moves of a linear order, each scored from the nodes whose predecessors it changes.
#include <algorithm>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/orders/linear_order.hpp"
#include "arcwise/spaces/orders/order_moves.hpp"

namespace arcwise {

std::uint64_t* LinearOrder::begin_change(int node) {
    std::uint64_t* changed = changed_predecessors(changes_.size());
    copy_words(predecessors(node), changed);
    changes_.push_back({node, {}});
    return changed;
}

void LinearOrder::weigh_change(std::size_t index) {
    Change& change = changes_[index];
    count_change(change, weights_.at(change.node, changed_predecessors(index)));
}

// All changes; where weights are sums of rows, their logarithms are taken at one time.
void LinearOrder::weigh_changes() {
    if (!weights_.any_rows()) {
        for (std::size_t change = 0; change < changes_.size(); ++change) weigh_change(change);
        return;
    }
    numbers_.assign(changes_.size(), 1.0);
    logarithms_.assign(changes_.size(), 0.0);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        Change& change = changes_[i];
        if (const PlusOneSums* rows = weights_.rows(change.node)) {
            const PlusOneSums::PlainSum sum = rows->plain_sum(changed_predecessors(i));
            numbers_[i] = sum.number;
            logarithms_[i] = sum.unit;
        } else {
            change.weight = weights_.at(change.node, changed_predecessors(i));
            logarithms_[i] = change.weight.value;
        }
    }
    add_logarithms(logarithms_.data(), numbers_.data(), numbers_.size());
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        Change& change = changes_[i];
        const double sum = logarithms_[i];
        LogWeight weight{sum, change.weight.impossible};
        if (!(sum > minus_infinity)) weight = {weights_.stand_in(change.node), 1};
        count_change(change, weight);
    }
}

LogWeight LinearOrder::propose_swap(std::size_t first, std::size_t last) {
    const int early = order_[first];
    const int late = order_[last];
    order_.propose_swap(first, last);

    // `early` gains, and `late` loses, all that is between them, and each other; those between lose
    // the one and gain the other.
    std::uint64_t* of_early = begin_change(early);
    std::uint64_t* of_late = begin_change(late);
    weights_.flip(of_early, early, late);
    weights_.flip(of_late, late, early);
    for (std::size_t place = first + 1; place < last; ++place) {
        const int node = order_[place];
        weights_.flip(of_early, early, node);
        weights_.flip(of_late, late, node);
        std::uint64_t* changed = begin_change(node);
        const bool loses = weights_.flip(changed, node, early);
        const bool gains = weights_.flip(changed, node, late);
        if (!loses && !gains) drop_change();
    }
    weigh_changes();
    return proposed_;
}

// Calls visit(place) for all places from one on, itself left out, up or down.
template <class Visit>
void LinearOrder::for_each_place(std::size_t from, int step, Visit visit) const {
    if (step > 0) {
        for (std::size_t place = from + 1; place < nodes(); ++place) visit(place);
    } else {
        for (std::size_t place = from; place-- > 0;) visit(place);
    }
}

// Goes from `from` to the other end, node by node as the moved one passes them.
void LinearOrder::pass(std::size_t from, int step, std::vector<LogWeight>& of_moved) {
    const int moved = order_[from];
    copy_words(predecessors(moved), scratch_.data());
    for_each_place(from, step, [&](std::size_t place) {
        const int passed = order_[place];
        weights_.flip(scratch_.data(), moved, passed);
        of_moved[place] = weights_.at(moved, scratch_.data());
        std::uint64_t* of_passed = predecessors(passed);
        if (weights_.flip(of_passed, passed, moved)) {
            passed_weights_[place] = weights_.at(passed, of_passed);
            weights_.flip(of_passed, passed, moved);
        } else {
            passed_weights_[place] = weight_of(passed);
        }
    });
}

void LinearOrder::weigh_places(std::size_t from, std::vector<LogWeight>& totals) {
    const LogWeight others = weight_ - weight_of(order_[from]);
    pass(from, 1, totals);
    pass(from, -1, totals);
    totals[from] = weight_;
    for (const int step : {1, -1}) {
        LogWeight rest = others;
        for_each_place(from, step, [&](std::size_t place) {
            rest = rest + (passed_weights_[place] - weight_of(order_[place]));
            totals[place] = rest + totals[place];
        });
    }
}

LogWeight LinearOrder::propose_relocation(std::size_t from, std::size_t to) {
    order_.propose_relocation(from, to);
    if (to == from) return proposed_;
    const int moved = order_[from];
    const std::size_t first = std::min(from, to);
    const std::size_t last = std::max(from, to);
    std::uint64_t* of_moved = begin_change(moved);
    for (std::size_t place = first; place <= last; ++place) {
        if (place != from) weights_.flip(of_moved, moved, order_[place]);
    }
    weigh_change(0);
    for (std::size_t place = first; place <= last; ++place) {
        if (place == from) continue;
        const int passed = order_[place];
        if (weights_.flip(begin_change(passed), passed, moved)) {
            count_change(changes_.back(), passed_weights_[place]);  // known from the way there
        } else {
            drop_change();
        }
    }
    return proposed_;
}

std::vector<MoveRow<LinearOrder>> linear_order_moves(int nodes) {
    const double n = nodes;
    return {
        {"swap", 1.0 / (n / 3.0 + 2.0), make_move<Swap<LinearOrder, false>>},
        {"adjacent", 1.0 / 2.0, make_move<Swap<LinearOrder, true>>},
        {"relocate", 1.0 / (2.0 * n), make_move<Relocation<LinearOrder>>},
    };
}

}  // namespace arcwise
