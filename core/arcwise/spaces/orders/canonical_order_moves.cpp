// The moves of a canonical order, each weighed from the nodes it changes.
//
// In the symbols of canonical_orders.hpp, the weight of a node depends on its predecessors A and,
// if it is bound, on the earlier ones E. Two kinds of nodes change: those between the places of a
// move, whose A change; and later ones, whose A stay, but whose last larger one is between these
// places.
//
// An example, in which the number of each node is its name: in the order (1 4 2 3), node 2 is bound
// by 4, with A = {1, 4}, E = {1} and recent = {4}. Where node 3 is relocated, the sets of node 2
// are
//
//   place 0   (3 1 4 2)   A = {1, 3, 4}   E = {1, 3}   3 is one of the earlier ones
//   place 1   (1 3 4 2)   A = {1, 3, 4}   E = {1, 3}
//   place 2   (1 4 3 2)   A = {1, 3, 4}   E = {1, 4}   3 is the last larger one itself
//   place 3   (1 4 2 3)   A = {1, 4}      E = {1}      3 is no predecessor
//
// and where 1 and 4 are swapped, to (4 1 2 3), node 2 is a later one: A stays, and E becomes empty.
#include <algorithm>
#include <numeric>

#include "arcwise/spaces/orders/canonical_order.hpp"
#include "arcwise/spaces/orders/order_state.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

template <class Order>
void CanonicalOrder::set_earlier(const Order& order, std::size_t place, int node,
                                 ParentBits predecessors, std::uint64_t* earlier) const {
    copy_words(predecessors, earlier);
    for (std::size_t before = place; before-- > 0;) {
        weights_.flip(earlier, node, order[before]);
        if (number(order[before]) > number(node)) return;
    }
}

bool CanonicalOrder::add_change(int node, bool bound, bool same_predecessors) {
    if (refuses_zero_ && bound && sums_.same(next_predecessors(), next_earlier())) {
        proposed_.zero_factors = 1;
        return false;
    }
    if (!same_predecessors) weights_.fetch(node, next_predecessors());
    if (bound) weights_.fetch(node, next_earlier());
    changes_.push_back({node, {{}, bound}, {}, same_predecessors});
    return true;
}

bool CanonicalOrder::add_change_if_any(int node, bool bound, bool same_predecessors) {
    if (same_predecessors && bound == standing(node).bound &&
        sums_.same(next_earlier(), earlier(node))) {
        return true;
    }
    return add_change(node, bound, same_predecessors);
}

LogWeight CanonicalOrder::weigh_changes() {
    // Below this gain it costs less to draw one more random number than to find the weight.
    constexpr double unlikely = -1.0;
    double gained = 0.0;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        CanonicalChange& change = changes_[i];
        SplitSum& sum = change.standing.sum;
        sum = change.same_predecessors ? standing(change.node).sum.unbound()
                                       : sums_.unbound(change.node, changed_set(i, 0));
        gained += sum.log_S - weight_of(change.node).value;
    }
    precision_ = Precision::upper_bound;
    proposed_.value += gained;
    if (!(screens_ && gained < unlikely)) refine();
    return proposed_;
}

void CanonicalOrder::refine() {
    // Whether families would have to be added up.
    const auto is_costly = [&](const SplitSum& sum) {
        return sum.cancels && !sum.is_product(place_);
    };
    if (precision_ == Precision::upper_bound) {
        precision_ = Precision::exact;
        proposed_ = weight_;
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            CanonicalChange& change = changes_[i];
            auto& [sum, bound] = change.standing;
            if (bound) sums_.bind(sum, change.node, changed_set(i, 0), changed_set(i, 1));
            if (screens_ && is_costly(sum)) {
                precision_ = Precision::close_bound;
                count_change(change, sums_.close_bound(place_, sum, change.node));
            } else {
                count_change(change, weigh_change(i));
            }
            if (refuses_zero_ && proposed_.zero_factors > 0) break;
        }
    } else {
        precision_ = Precision::exact;
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            CanonicalChange& change = changes_[i];
            if (!is_costly(change.standing.sum)) continue;
            const LogWeight weight = weigh_change(i);
            proposed_ = proposed_ + (weight - change.weight);
            change.weight = weight;
        }
    }
}

// The order is as after the move, in which one node, or two, go elsewhere between two places.
bool CanonicalOrder::add_changes(std::size_t first, std::size_t last, int one, int other) {
    // A moved node gains or loses all others between the places, and these gain or lose the moved
    // ones; no node is a possible parent of itself, so that its own bit is never flipped.
    const auto flip_moved = [&](int node, std::uint64_t* set) {
        bool changed = weights_.flip(set, node, one);
        if (other != one) changed |= weights_.flip(set, node, other);
        return changed;
    };
    const auto flip_all = [&](int node, std::uint64_t* set) {
        bool changed = false;
        for (std::size_t place = first; place <= last; ++place) {
            changed |= weights_.flip(set, node, order_[place]);
        }
        return changed;
    };
    int highest = first == 0 ? -1 : highest_[first - 1];
    const int highest_moved = std::max(number(one), number(other));
    int highest_stayed = -1;
    for (std::size_t place = first; place <= last; ++place) {
        const int node = order_[place];
        const bool stays = node != one && node != other;
        copy_words(predecessors(node), next_predecessors());
        const bool changed =
            stays ? flip_moved(node, next_predecessors()) : flip_all(node, next_predecessors());
        const bool bound = highest > number(node);
        if (!bound) {
            std::fill_n(next_earlier(), words_, 0);
        } else if (stays && highest_stayed > number(node)) {
            // The last larger one stays before it, and moved nodes come before that one, or did.
            copy_words(earlier(node), next_earlier());
            flip_moved(node, next_earlier());
        } else if (stays && highest_moved < number(node)) {
            copy_words(earlier(node), next_earlier());  // all larger ones are before these places
        } else {
            set_earlier(order_, place, node, next_predecessors(), next_earlier());
        }
        if (!add_change_if_any(node, bound, !changed)) return false;
        highest = std::max(highest, number(node));
        if (stays) highest_stayed = std::max(highest_stayed, number(node));
    }
    return add_later_changes(
        last, std::max(highest_moved, highest_stayed), [&](std::size_t place, int node) {
            set_earlier(order_, place, node, predecessors(node), next_earlier());
        });
}

// A later node has its last larger one between the places of a move if there is a larger one there,
// and none from there to the node; set_next(place, node) then sets its next_earlier().
template <class SetNext>
bool CanonicalOrder::add_later_changes(std::size_t last, int highest_between, SetNext set_next) {
    int highest_since = -1;
    for (std::size_t place = last + 1; place < nodes() && highest_since < highest_between;
         ++place) {
        const int node = order_[place];
        if (number(node) < highest_since) continue;
        highest_since = number(node);
        if (number(node) > highest_between) break;
        copy_words(predecessors(node), next_predecessors());
        set_next(place, node);
        if (!add_change_if_any(node, true, true)) return false;
    }
    return true;
}

// The same for two neighbours, which most steps swap; the order is as before the move, and E
// follows from what it was.
bool CanonicalOrder::add_adjacent_swap(std::size_t first) {
    const int early = order_[first];
    const int late = order_[first + 1];
    const bool falls = number(early) > number(late);
    const int highest = first == 0 ? -1 : highest_[first - 1];

    copy_words(predecessors(late), next_predecessors());
    const bool loses = weights_.flip(next_predecessors(), late, early);
    const bool late_bound = highest > number(late);
    if (!falls) {
        copy_words(earlier(late), next_earlier());  // the last larger one is before both
    } else if (late_bound) {
        set_earlier(order_, first, late, next_predecessors(), next_earlier());
    } else {
        std::fill_n(next_earlier(), words_, 0);
    }
    if (!add_change_if_any(late, late_bound, !loses)) return false;

    copy_words(predecessors(early), next_predecessors());
    const bool gains = weights_.flip(next_predecessors(), early, late);
    const bool early_bound = !falls || highest > number(early);
    copy_words(falls ? earlier(early) : predecessors(early), next_earlier());
    if (!add_change_if_any(early, early_bound, !gains)) return false;

    // The last larger one of a later node is the one of the two that comes last, if both are
    // larger, or else the larger one alone.
    return add_later_changes(first + 1, std::max(number(early), number(late)),
                             [&](std::size_t, int node) {
                                 copy_words(earlier(node), next_earlier());
                                 if (number(late) > number(node)) {
                                     weights_.flip(next_earlier(), node, early);
                                 }
                                 if (number(early) > number(node)) {
                                     weights_.flip(next_earlier(), node, late);
                                 }
                             });
}

LogWeight CanonicalOrder::propose_between(std::size_t first, std::size_t last, int one, int other) {
    first_ = first;
    last_ = last;
    order_.make_change();
    const bool possible = add_changes(first, last, one, other);
    order_.undo_change();
    return possible ? weigh_changes() : proposed_;
}

LogWeight CanonicalOrder::propose_swap(std::size_t first, std::size_t last) {
    order_.propose_swap(first, last);
    if (last > first + 1) return propose_between(first, last, order_[first], order_[last]);
    first_ = first;
    last_ = last;
    return add_adjacent_swap(first) ? weigh_changes() : proposed_;
}

LogWeight CanonicalOrder::propose_relocation(std::size_t from, std::size_t to) {
    const int moved = order_[from];
    order_.propose_relocation(from, to);
    if (to != from) return propose_between(std::min(from, to), std::max(from, to), moved, moved);
    first_ = last_ = from;
    return proposed_;
}

// Sets a bound on the weight of the moved node at each place among the others.
void CanonicalOrder::weigh_moved(int moved, RelocationScratch& scratch,
                                 std::vector<LogWeight>& totals) const {
    const std::vector<int>& others = scratch.others;
    std::uint64_t* predecessors = scratch.with.data();
    std::uint64_t* earlier = scratch.earlier.data();
    std::fill_n(predecessors, words_, 0);
    std::fill_n(earlier, words_, 0);
    bool bound = false;
    for (std::size_t place = 0;; ++place) {
        const SplitSum sum = sums_.split(moved, predecessors, earlier, bound);
        totals[place] = sums_.close_bound(place_, sum, moved);
        if (place == others.size()) return;
        // The weight is the same up to the next place where A or E changes.
        bool changed = false;
        for (;; ++place) {
            const int other = others[place];
            if (number(other) > number(moved)) {
                changed = !bound || !sums_.same(predecessors, earlier);
                bound = true;
                copy_words(predecessors, earlier);
            }
            changed |= weights_.flip(predecessors, moved, other);
            if (changed || place + 1 == others.size()) break;
            totals[place + 1] = totals[place];
        }
        if (!changed) {
            totals[place + 1] = totals[place];
            return;
        }
    }
}

// Returns a bound on the weight that u, the other node number k, has without the moved node m, and
// adds to the steps what it gains where m is at a place p <= k, before it. With A and E the sets of
// u without m, and u_i the last larger one of the others before it, if any, they become
//
//   p <= i                            A + m   E + m           m is one of the earlier ones
//   p > i,  number(m) < number(u)     A + m   E               m is recent
//   p > i,  number(m) > number(u)     A + m   {u_0 .. u_p-1}  m is the last larger one itself
//
// `was_after` is whether m comes before u in the present order.
LogWeight CanonicalOrder::weigh_other(std::size_t k, int moved, bool was_after,
                                      RelocationScratch& scratch) const {
    const int node = scratch.others[k];
    const Standing& now = standing(node);
    const bool bound = scratch.last_larger[k] >= 0;
    const std::size_t after_larger = static_cast<std::size_t>(scratch.last_larger[k] + 1);  // i + 1
    std::uint64_t* without = scratch.without.data();
    std::uint64_t* with = scratch.with.data();
    std::uint64_t* earlier_ones = scratch.earlier.data();
    copy_words(predecessors(node), without);
    const bool loses = was_after && weights_.flip(without, node, moved);
    if (bound) {
        set_earlier(scratch.others, k, node, without, earlier_ones);
    } else {
        std::fill_n(earlier_ones, words_, 0);
    }
    copy_words(without, with);
    const bool can_be_parent = weights_.flip(with, node, moved);

    const bool as_it_is =
        !loses && bound == now.bound && (!bound || sums_.same(earlier_ones, earlier(node)));
    const SplitSum sum = as_it_is ? now.sum : sums_.split(node, without, earlier_ones, bound);
    const LogWeight base = sums_.close_bound(place_, sum, node);
    const auto gain = [&](const SplitSum& then) {
        return sums_.close_bound(place_, then, node) - base;
    };

    if (bound && can_be_parent) {
        weights_.flip(earlier_ones, node, moved);
        scratch.add_between(0, after_larger, gain(sums_.split(node, with, earlier_ones, true)));
        weights_.flip(earlier_ones, node, moved);
    }
    if (number(moved) < number(node)) {
        if (can_be_parent) {
            scratch.add_between(after_larger, k + 1,
                                gain(sums_.split(node, with, earlier_ones, bound)));
        }
        return base;
    }
    // From place k down to i + 1, E shrinks by one other node after the other; the weight is the
    // same between places where a possible parent leaves it.
    const SplitSum unbound = can_be_parent ? sums_.unbound(node, with) : sum.unbound();
    copy_words(without, earlier_ones);
    std::size_t first = k;
    for (std::size_t end = k + 1;;) {
        SplitSum then = unbound;
        sums_.bind(then, node, with, earlier_ones);
        const LogWeight there = gain(then);
        bool changes = false;
        while (first > after_larger && !changes) {
            changes = weights_.flip(earlier_ones, node, scratch.others[first - 1]);
            if (!changes) --first;
        }
        scratch.add_between(first, end, there);
        if (!changes) return base;
        end = first--;
    }
}

void CanonicalOrder::weigh_places(std::size_t from, std::vector<LogWeight>& totals) {
    RelocationScratch& scratch = scratch_;
    std::vector<int>& others = scratch.others;
    const int moved = order_[from];
    for (std::size_t k = 0; k < others.size(); ++k) {
        others[k] = order_[k < from ? k : k + 1];
        int larger = static_cast<int>(k) - 1;
        while (larger >= 0 &&
               number(others[static_cast<std::size_t>(larger)]) < number(others[k])) {
            larger = scratch.last_larger[static_cast<std::size_t>(larger)];
        }
        scratch.last_larger[k] = larger;
    }
    weigh_moved(moved, scratch, totals);
    std::fill(scratch.steps.begin(), scratch.steps.end(), LogWeight{});
    LogWeight rest = weight_ - weight_of(moved);
    for (std::size_t k = 0; k < others.size(); ++k) {
        rest = rest + (weigh_other(k, moved, k >= from, scratch) - weight_of(others[k]));
    }
    for (std::size_t place = 0; place < nodes(); ++place) {
        rest = rest + scratch.steps[place];
        totals[place] = rest + totals[place];
    }
}

LogWeight CanonicalOrder::propose_numbering(const std::vector<int>& numbers) {
    return propose_numbered({{order_.begin(), order_.end()}, numbers});
}

LogWeight CanonicalOrder::propose_numbering(const std::vector<int>& numbers,
                                            const std::uint64_t* dag) {
    return propose_numbered({canonical_order(dag, numbers), numbers});
}

LogWeight CanonicalOrder::propose_numbered(Numbered numbered) {
    numbered_ = std::move(numbered);
    const auto& [order, numbers] = *numbered_;
    for (std::size_t place = 0; place < nodes(); ++place) {
        const bool bound = set_sets(order, numbers, place, next_predecessors(), next_earlier());
        if (!add_change(order[place], bound, false)) return proposed_;
    }
    weigh_changes();
    while (precision_ != Precision::exact) refine();
    return proposed_;
}

namespace {

// Numbers all nodes anew.
class Renumbering final : public Move {
  public:
    explicit Renumbering(CanonicalOrder& order)
        : order_(order), numbers_(order.nodes()), dag_(order.nodes() * words_for(order.nodes())) {}

    Proposal propose(const Temperature& temperature, Random& random) override {
        std::iota(numbers_.begin(), numbers_.end(), 0);
        random.shuffle(std::span(numbers_));
        if (!temperature.is_posterior()) return {.weight = order_.propose_numbering(numbers_)};
        order_.given()->draw(random, dag_.data());
        const LogWeight then = order_.propose_numbering(numbers_, dag_.data());
        // With P(D | order) the DAG's share of the order's weight, pi(order) P(D | order) is the
        // DAG's probability: the same for both orders, so the move is always accepted.
        const LogWeight& now = order_.log_weight();
        return {.weight = then,
                .log_ratio = -(temperature.log_density(then) - temperature.log_density(now))};
    }

  private:
    CanonicalOrder& order_;
    std::vector<int> numbers_;
    std::vector<std::uint64_t> dag_;
};

}  // namespace

std::vector<MoveRow<CanonicalOrder>> canonical_order_moves(int nodes) {
    const double n = nodes;
    return {
        {"swap", 1.0 / (n / 3.0 + 2.0), make_move<Swap<CanonicalOrder, false>>},
        {"adjacent", 1.0 / 2.0, make_move<Swap<CanonicalOrder, true>>},
        {"relocate", 1.0 / (3.0 * n), make_move<Relocation<CanonicalOrder>>},
        {CanonicalOrders::renumbering, 1.0 / (20.0 * n), make_move<Renumbering>},
    };
}

}  // namespace arcwise
