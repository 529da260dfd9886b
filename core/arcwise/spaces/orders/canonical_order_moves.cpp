// The moves of a canonical order, each scored from the nodes it changes: those whose predecessors
// change, and later ones whose last larger predecessor is, or becomes, among these.
#include <algorithm>
#include <numeric>

#include "arcwise/spaces/orders/canonical_order.hpp"
#include "arcwise/spaces/orders/order_moves.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

template <class Order>
void CanonicalOrder::set_earlier(const Order& order, std::size_t place, int node,
                                 ParentBits allowed, std::uint64_t* earlier) const {
    copy_words(allowed, earlier);
    for (std::size_t before = place; before-- > 0;) {
        weights_.flip(earlier, node, order[before]);
        if (number(order[before]) > number(node)) return;
    }
}

bool CanonicalOrder::add_change(int node, bool bound, bool same_allowed) {
    if (refuses_zero_ && bound && sums_.same(changed_allowed(), changed_earlier())) {
        proposed_.zero_factors = 1;
        return false;
    }
    if (!same_allowed) weights_.fetch(node, changed_allowed());
    if (bound) weights_.fetch(node, changed_earlier());
    changes_.push_back({node, {{}, bound}, {}, same_allowed});
    return true;
}

bool CanonicalOrder::add_change_if_any(int node, bool bound, bool same_allowed) {
    if (same_allowed && bound == standing(node).bound &&
        sums_.same(changed_earlier(), earlier(node))) {
        return true;
    }
    return add_change(node, bound, same_allowed);
}

LogWeight CanonicalOrder::weigh_changes() {
    // Below this much of the present weight, another random number costs less than the weight.
    constexpr double unlikely = -1.0;
    double gained = 0.0;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        Change& change = changes_[i];
        RequiredWeight& weight = change.standing.weight;
        weight = change.same_allowed
                     ? RequiredWeights::whole(standing(change.node).weight)
                     : sums_.whole(change.node, changed_allowed_.data() + i * words_);
        gained += weight.log_sum - weight_of(change.node).value;
    }
    if (screens_ && gained < unlikely) {
        bounded_ = true;
        proposed_.value += gained;
    } else {
        weigh_bounded_changes();
    }
    return proposed_;
}

void CanonicalOrder::weigh_bounded_changes() {
    bounded_ = false;
    proposed_ = weight_;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        Change& change = changes_[i];
        const ParentBits then_allowed = changed_allowed_.data() + i * words_;
        const ParentBits then_earlier = changed_earlier_.data() + i * words_;
        RequiredWeight& weight = change.standing.weight;
        if (change.standing.bound) sums_.require(weight, change.node, then_allowed, then_earlier);
        const bool rough = screens_ && weight.rough && !weight.is_plain(place_);
        rough_ |= rough;
        change.weight = rough ? weigh_above(weight, change.node)
                              : weigh(weight, change.node, then_allowed, then_earlier);
        proposed_ = proposed_ + (change.weight - weight_of(change.node));
        if (refuses_zero_ && proposed_.zero_factors > 0) break;
    }
}

void CanonicalOrder::weigh_rough_changes() {
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        Change& change = changes_[i];
        const RequiredWeight& weight = change.standing.weight;
        if (!weight.rough || weight.is_plain(place_)) continue;
        const LogWeight exact = weigh(weight, change.node, changed_allowed_.data() + i * words_,
                                      changed_earlier_.data() + i * words_);
        proposed_ = proposed_ + (exact - change.weight);
        change.weight = exact;
    }
    rough_ = false;
}

template <class Flip>
bool CanonicalOrder::add_changes(std::size_t first, std::size_t last, int one, int other,
                                 Flip flip) {
    first_ = first;
    last_ = last;
    int highest = first == 0 ? -1 : highest_[first - 1];
    int highest_moved = std::max(number(one), number(other));
    int highest_stayed = -1;
    for (std::size_t place = first; place <= last; ++place) {
        const int node = order_[place];
        const bool stays = node != one && node != other;
        copy_words(allowed(node), changed_allowed());
        const bool other_allowed = flip(node, changed_allowed());
        const bool bound = highest > number(node);
        if (!bound) {
            std::fill_n(changed_earlier(), words_, 0);
        } else if (stays && highest_stayed > number(node)) {
            // Its last larger one stays before it, and who moves comes before that, or did.
            copy_words(earlier(node), changed_earlier());
            flip(node, changed_earlier());
        } else if (stays && highest_moved < number(node)) {
            copy_words(earlier(node), changed_earlier());  // what is larger is before all these
        } else {
            set_earlier(order_, place, node, changed_allowed(), changed_earlier());
        }
        if (!add_change_if_any(node, bound, !other_allowed)) return false;
        highest = std::max(highest, number(node));
        if (stays) highest_stayed = std::max(highest_stayed, number(node));
    }
    return add_later_changes(last, std::max(highest_moved, highest_stayed),
                             [&](std::size_t place, int node) {
                                 set_earlier(order_, place, node, allowed(node), changed_earlier());
                             });
}

// Later nodes have their last larger one between the places of a change if no node between is
// larger, and some there is; set_before(place, node) sets what
// comes before it then.
template <class SetBefore>
bool CanonicalOrder::add_later_changes(std::size_t last, int highest_between,
                                       SetBefore set_before) {
    int highest_since = -1;
    for (std::size_t place = last + 1; place < nodes() && highest_since < highest_between;
         ++place) {
        const int node = order_[place];
        if (number(node) < highest_since) continue;
        highest_since = number(node);
        if (number(node) > highest_between) break;
        copy_words(allowed(node), changed_allowed());
        set_before(place, node);
        if (!add_change_if_any(node, true, true)) return false;
    }
    return true;
}

// `early` gains, and `late` loses, all that is between them, and each other; those between lose the
// one and gain the other.
bool CanonicalOrder::add_swap(std::size_t first, std::size_t last) {
    const int early = order_[first];
    const int late = order_[last];
    order_.make_change();
    const bool possible = add_changes(first, last, early, late, [&](int node, std::uint64_t* bits) {
        if (node != early && node != late) {
            const bool loses = weights_.flip(bits, node, early);
            const bool gains = weights_.flip(bits, node, late);
            return loses || gains;
        }
        bool changed = weights_.flip(bits, node, node == early ? late : early);
        for (std::size_t place = first + 1; place < last; ++place) {
            changed |= weights_.flip(bits, node, order_[place]);
        }
        return changed;
    });
    order_.undo_change();
    return possible;
}

// The same of neighbours, most of all steps, where what comes before a last larger one is known.
bool CanonicalOrder::add_adjacent_swap(std::size_t first) {
    first_ = first;
    last_ = first + 1;
    const int early = order_[first];
    const int late = order_[first + 1];
    const bool falls = number(early) > number(late);
    const int highest = first == 0 ? -1 : highest_[first - 1];

    copy_words(allowed(late), changed_allowed());
    const bool loses = weights_.flip(changed_allowed(), late, early);
    const bool late_bound = highest > number(late);
    if (!falls) {
        copy_words(earlier(late), changed_earlier());  // the last larger one is before both
    } else if (late_bound) {
        set_earlier(order_, first, late, changed_allowed(), changed_earlier());
    } else {
        std::fill_n(changed_earlier(), words_, 0);
    }
    if (!add_change_if_any(late, late_bound, !loses)) return false;

    copy_words(allowed(early), changed_allowed());
    const bool gains = weights_.flip(changed_allowed(), early, late);
    const bool early_bound = !falls || highest > number(early);
    copy_words(falls ? ParentBits{earlier(early)} : ParentBits{allowed(early)}, changed_earlier());
    if (!add_change_if_any(early, early_bound, !gains)) return false;

    // The last larger one is that of the two which comes last, or the larger of them alone.
    return add_later_changes(first + 1, std::max(number(early), number(late)),
                             [&](std::size_t, int node) {
                                 copy_words(earlier(node), changed_earlier());
                                 if (number(late) > number(node))
                                     weights_.flip(changed_earlier(), node, early);
                                 if (number(early) > number(node))
                                     weights_.flip(changed_earlier(), node, late);
                             });
}

LogWeight CanonicalOrder::propose_swap(std::size_t first, std::size_t last) {
    order_.propose_swap(first, last);
    const bool possible = last == first + 1 ? add_adjacent_swap(first) : add_swap(first, last);
    return possible ? weigh_changes() : proposed_;
}

LogWeight CanonicalOrder::propose_relocation(std::size_t from, std::size_t to) {
    const int moved = order_[from];
    order_.propose_relocation(from, to);
    if (to == from) {
        first_ = last_ = from;
        return proposed_;
    }
    order_.make_change();
    const std::size_t first = std::min(from, to);
    const std::size_t last = std::max(from, to);
    const bool possible =
        add_changes(first, last, moved, moved, [&](int node, std::uint64_t* bits) {
            if (node != moved) return weights_.flip(bits, node, moved);
            bool changed = false;
            for (std::size_t place = first; place <= last; ++place) {
                if (place != to) changed |= weights_.flip(bits, moved, order_[place]);
            }
            return changed;
        });
    order_.undo_change();
    return possible ? weigh_changes() : proposed_;
}

// The weight of the moved node at each place among the others.
void CanonicalOrder::weigh_moved(int moved, std::vector<LogWeight>& totals) {
    std::uint64_t* before = with_.data();
    std::uint64_t* before_larger = without_.data();
    std::fill_n(before, words_, 0);
    std::fill_n(before_larger, words_, 0);
    bool bound = false;
    for (std::size_t place = 0;; ++place) {
        const RequiredWeight weight = sums_.split(moved, before, before_larger, bound);
        totals[place] = weigh_above(weight, moved);
        if (place == others_.size()) return;
        // Up to the next place where something is different.
        bool changed = false;
        for (;; ++place) {
            const int other = others_[place];
            if (number(other) > number(moved)) {
                changed = !bound || !sums_.same(before, before_larger);
                bound = true;
                copy_words(before, before_larger);
            }
            changed |= weights_.flip(before, moved, other);
            if (changed || place + 1 == others_.size()) break;
            totals[place + 1] = totals[place];
        }
        if (!changed) {
            totals[place + 1] = totals[place];
            return;
        }
    }
}

// Adds to the places before an other node what it then gains, and returns its weight without the
// moved one.
LogWeight CanonicalOrder::weigh_passed(std::size_t place, int moved, std::size_t from) {
    const int node = others_[place];
    const bool after = place >= from;  // of the moved one, as things are
    const bool bound = last_larger_[place] >= 0;
    std::uint64_t* without = without_.data();
    std::uint64_t* before = before_.data();
    std::uint64_t* with = with_.data();
    copy_words(allowed(node), without);
    const bool parent = after ? weights_.flip(without, node, moved) : false;
    if (bound) {
        set_earlier(others_, place, node, without, before);
    } else {
        std::fill_n(before, words_, 0);
    }
    copy_words(without, with);
    const bool can_be_parent = weights_.flip(with, node, moved);

    const Standing& now = standing(node);
    const bool as_it_is =
        !parent && bound == now.bound && (!bound || sums_.same(before, earlier(node)));
    const RequiredWeight weight = as_it_is ? now.weight : sums_.split(node, without, before, bound);
    const LogWeight base = weigh_above(weight, node);

    const auto split_with = [&](ParentBits earlier_ones, bool needs) {
        return weigh_above(sums_.split(node, with, earlier_ones, needs), node);
    };
    const std::size_t beyond = bound ? static_cast<std::size_t>(last_larger_[place]) + 1 : 0;
    if (bound && can_be_parent) {
        // Before the last larger one it is one of the earlier ones.
        weights_.flip(before, node, moved);
        add_between(0, beyond, split_with(before, true) - base);
        weights_.flip(before, node, moved);
    }
    if (number(moved) < number(node)) {
        if (can_be_parent) add_between(beyond, place + 1, split_with(before, bound) - base);
        return base;
    }
    // There it is the last larger one itself, and what is between them is recent: fewer and fewer
    // come before it on its way down.
    const RequiredWeight whole =
        can_be_parent ? sums_.whole(node, with) : RequiredWeights::whole(weight);
    copy_words(without, before);
    std::size_t first = place;
    for (std::size_t end = place + 1;;) {
        RequiredWeight there = whole;
        sums_.require(there, node, with, before);
        const LogWeight gain = weigh_above(there, node) - base;
        bool changes = false;
        while (first > beyond && !changes) {
            changes = weights_.flip(before, node, others_[first - 1]);
            if (!changes) --first;
        }
        add_between(first, end, gain);
        if (!changes) return base;
        end = first--;
    }
}

void CanonicalOrder::weigh_places(std::size_t from, std::vector<LogWeight>& totals) {
    const int moved = order_[from];
    for (std::size_t place = 0; place + 1 < nodes(); ++place) {
        others_[place] = order_[place < from ? place : place + 1];
        int larger = static_cast<int>(place) - 1;
        while (larger >= 0 &&
               number(others_[static_cast<std::size_t>(larger)]) < number(others_[place])) {
            larger = last_larger_[static_cast<std::size_t>(larger)];
        }
        last_larger_[place] = larger;
    }
    weigh_moved(moved, totals);
    std::fill(steps_.begin(), steps_.end(), LogWeight{});
    LogWeight rest = weight_ - weight_of(moved);
    for (std::size_t place = 0; place < others_.size(); ++place) {
        const int node = others_[place];
        rest = rest + (weigh_passed(place, moved, from) - weight_of(node));
    }
    for (std::size_t place = 0; place < nodes(); ++place) {
        rest = rest + steps_[place];
        totals[place] = rest + totals[place];
    }
}

LogWeight CanonicalOrder::propose_numbering(const std::vector<int>& numbers) {
    return propose_numbered(numbers, {order_.begin(), order_.end()});
}

LogWeight CanonicalOrder::propose_numbering(const std::vector<int>& numbers,
                                            const std::uint64_t* dag) {
    return propose_numbered(numbers, canonical_order(dag, numbers));
}

LogWeight CanonicalOrder::propose_numbered(const std::vector<int>& numbers,
                                           std::vector<int> order) {
    new_order_ = std::move(order);
    new_numbers_ = numbers;
    renumbered_ = true;
    for (std::size_t place = 0; place < nodes(); ++place) {
        const int node = new_order_[place];
        const auto number_of = [&](std::size_t at) {
            return new_numbers_[static_cast<std::size_t>(new_order_[at])];
        };
        std::uint64_t* allowed = changed_allowed();
        std::uint64_t* earlier = changed_earlier();
        std::fill_n(allowed, words_, 0);
        std::fill_n(earlier, words_, 0);
        bool bound = false;
        for (std::size_t before = 0; before < place; ++before) {
            if (number_of(before) > number_of(place)) {
                bound = true;
                copy_words(allowed, earlier);
            }
            weights_.flip(allowed, node, new_order_[before]);
        }
        if (!add_change(node, bound, false)) return proposed_;
    }
    weigh_changes();
    if (bounded_) weigh_bounded_changes();
    if (rough_) weigh_rough_changes();
    return proposed_;
}

namespace {

// Of all nodes.
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
