// The moves of a linear order, each scored from the nodes whose predecessors it changes.
#include <algorithm>

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

// The ends have other predecessors altogether; each node between has lost the one and gained the
// other.
void LinearOrder::weigh_swap_in_rows() {
    const ScoreSums& sums = weights_.sums();
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        Change& change = changes_[i];
        const IncrementalSums& own = weights_.incremental(change.node);
        bool by_rows = own.by_rows();
        if (by_rows && left_as_is(i)) {
            const int gone = sums.place(change.node, swapped_.early);
            const int come = sums.place(change.node, swapped_.late);
            if (own.can_exchange(gone, come)) {
                const IncrementalSums::Known& now =
                    row_sums_.of(change.node, predecessors(change.node), nullptr);
                const double number = now.digits ? own.exchanged(now, gone, come) : 0.0;
                if (number > 0.0) {
                    plain_weights_.ask_inline(change.node, number, now.unit, change.weight);
                    continue;
                }
                by_rows = false;  // rows would have no more digits for all of the sum
            }
        }
        if (left_as_is(i)) {
            copy_words(predecessors(change.node), changed_predecessors(i));
            exchange(changed_predecessors(i), change.node);
        }
        IncrementalSums::Known then;
        if (by_rows) then = own.known(changed_predecessors(i), nullptr);
        if (then.digits && then.met > 0.0) {
            plain_weights_.ask_inline(change.node, then.met, then.unit, change.weight);
        } else {
            change.weight = weights_.at(change.node, changed_predecessors(i));
        }
    }
    plain_weights_.answer();
    for (Change& change : changes_) count_change(change, change.weight);
}

LogWeight LinearOrder::propose_swap(std::size_t first, std::size_t last) {
    // Rows of a word are added up as soon as what they were.
    swapped_ = {order_[first], order_[last], row_sums_.any() && words_ > 1};
    const auto [early, late, in_rows] = swapped_;
    order_.propose_swap(first, last);

    // `early` gains, and `late` loses, all that is between them, and each other.
    std::uint64_t* of_early = begin_change(early);
    std::uint64_t* of_late = begin_change(late);
    weights_.flip(of_early, early, late);
    weights_.flip(of_late, late, early);
    for (std::size_t place = first + 1; place < last; ++place) {
        const int node = order_[place];
        weights_.flip(of_early, early, node);
        weights_.flip(of_late, late, node);
        if (in_rows) {
            if (weights_.can_have(node, early) || weights_.can_have(node, late)) {
                changes_.push_back({node, {}});
            }
        } else if (!exchange(begin_change(node), node)) {
            drop_change();
        }
    }
    if (in_rows) {
        weigh_swap_in_rows();
    } else {
        for (std::size_t change = 0; change < changes_.size(); ++change) weigh_change(change);
    }
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
    swapped_.in_rows = false;
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
