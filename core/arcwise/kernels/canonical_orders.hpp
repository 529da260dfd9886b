// Markov chains over orders anywhere between linear and canonical ones, a chain for each thread:
// swaps of nodes at two places, at a target for each step, for each chain or for all.
//
// A move is scored from the nodes it changes: those whose predecessors change, and later ones whose
// last larger predecessor is, or becomes, among these.
//
// All chains swap over the same distance in a step, so that threads side by side do the same work;
// the distances of all steps are drawn beforehand, independently of the states. For each distance
// every pair of places is proposed with the same probability, so proposals are symmetric.
#pragma once

#include "arcwise/kernels/canonical_states.hpp"
#include "arcwise/kernels/elementary.hpp"
#include "arcwise/kernels/random.hpp"

namespace arcwise::kernels {

// The streams of random numbers of a chain.
constexpr u64 walk_stream = 0;
constexpr u64 start_stream = u64{1} << 56;
constexpr u64 draw_stream = u64{2} << 56;

// Whether to accept a change of the log weight, in nats, with the probability e^change.
ARCWISE_DEVICE bool accepts(double change, u32 word) {
    if (change >= 0.0) return true;
    if (change < -23.0) return false;  // below 2^-32
    return static_cast<double>(word) < exponential(change) * 4294967296.0;
}

// Puts the numbers from 0 on into at(place), in any order with the same probability; takes as many
// random numbers of the stream, and one more, from `position` on.
template <class At>
ARCWISE_DEVICE void shuffle_places(u64 seed, u64 stream, u64 position, int count, At at) {
    for (int i = 0; i < count; ++i) at(i) = static_cast<u8>(i);
    for (int left = count; left > 1; --left) {
        const FourWords words = philox(seed, stream, position + static_cast<u64>(left));
        const int to = static_cast<int>(high_product(words.a, static_cast<u32>(left)));
        const u8 kept = at(left - 1);
        at(left - 1) = at(to);
        at(to) = kept;
    }
}

template <class Order>
ARCWISE_DEVICE u32 number_of(const Order& order, int node) {
    return order.standing(node) & ~bound_bit;
}

template <class Order>
ARCWISE_DEVICE UnitWeight weigh_node(const Order& order, const CanonicalTables& tables, int node,
                                     double t) {
    return weigh(tables.of(node), order.allowed(node), order.earlier(node),
                 (order.standing(node) & bound_bit) != 0, t);
}

template <class Order>
ARCWISE_DEVICE UnitWeight weigh_order(const Order& order, const CanonicalTables& tables, double t) {
    UnitWeight total{0, 0};
    for (int node = 0; node < tables.nodes; ++node) {
        total = total + weigh_node(order, tables, node, t);
    }
    return total;
}

// An order in which the nodes at two places have changed places.
template <class Order>
struct SwappedOrder {
    const Order& order;
    int first;
    int last;

    ARCWISE_DEVICE int at(int place) const {
        return order.at(place == first ? last : place == last ? first : place);
    }
};

// Takes from `earlier`, a node's predecessors, those at and after the last larger one before a
// place; whether there is one. If not, nothing is left.
template <class Places, class Order>
ARCWISE_DEVICE bool set_earlier(const Places& places, const Order& order,
                                const CanonicalTables& tables, int place, int node, u32& earlier) {
    const u32 number = number_of(order, node);
    const u16* bits = tables.bits_of(node);
    while (place-- > 0) {
        const int other = places.at(place);
        earlier &= ~static_cast<u32>(bits[other]);
        if (number_of(order, other) > number) return true;
    }
    earlier = 0;
    return false;
}

// Calls touch(node, allowed, earlier, bound) for the nodes after a place whose last larger one is
// among those up to it and changes, with what sets it; until it says no.
template <class Order, class SetEarlier, class Touch>
ARCWISE_DEVICE void touch_later(const Order& order, const CanonicalTables& tables, int last,
                                i32 highest_between, SetEarlier set, Touch touch) {
    i32 highest_since = -1;
    for (int place = last + 1; place < tables.nodes && highest_since < highest_between; ++place) {
        const int node = order.at(place);
        const i32 number = static_cast<i32>(number_of(order, node));
        if (number < highest_since) continue;
        highest_since = number;
        if (number > highest_between) return;
        if (!touch(node, static_cast<u32>(order.allowed(node)), set(place, node), true)) return;
    }
}

// Calls touch for all nodes that a swap of neighbours may change.
template <class Order, class Touch>
ARCWISE_DEVICE void touch_neighbours(const Order& order, const CanonicalTables& tables, int first,
                                     Touch touch) {
    const int early = order.at(first);
    const int late = order.at(first + 1);
    const u32 of_early = number_of(order, early);
    const u32 of_late = number_of(order, late);
    const bool falls = of_early > of_late;

    const u32 late_allowed = order.allowed(late) & ~static_cast<u32>(tables.bits_of(late)[early]);
    u32 late_earlier = order.earlier(late);  // the last larger one is before both, unless it falls
    bool late_bound = (order.standing(late) & bound_bit) != 0;
    if (falls) {
        late_earlier = late_allowed;
        late_bound = set_earlier(order, order, tables, first, late, late_earlier);
    }
    if (!touch(late, late_allowed, late_earlier, late_bound)) return;

    const u32 early_before = order.allowed(early);
    const u32 early_allowed = early_before | tables.bits_of(early)[late];
    const bool early_bound = !falls || (order.standing(early) & bound_bit) != 0;
    const u32 early_earlier = falls ? static_cast<u32>(order.earlier(early)) : early_before;
    if (!touch(early, early_allowed, early_earlier, early_bound)) return;

    // The last larger one is that of the two which comes last, or the larger of them alone.
    touch_later(
        order, tables, first + 1, static_cast<i32>(falls ? of_early : of_late),
        [&](int, int node) {
            const u32 number = number_of(order, node);
            const u16* bits = tables.bits_of(node);
            u32 earlier = order.earlier(node);
            if (of_late > number) earlier ^= bits[early];
            if (of_early > number) earlier ^= bits[late];
            return earlier;
        },
        touch);
}

// The same of any two places.
template <class Order, class Touch>
ARCWISE_DEVICE void touch_swapped(const Order& order, const CanonicalTables& tables, int first,
                                  int last, Touch touch) {
    const SwappedOrder<Order> swapped{order, first, last};
    const int early = order.at(first);
    const int late = order.at(last);
    i32 highest = -1;
    for (int place = first; place <= last; ++place) {
        const int node = swapped.at(place);
        const u16* bits = tables.bits_of(node);
        u32 allowed = order.allowed(node);
        if (node != early) allowed &= ~static_cast<u32>(bits[early]);
        if (node != late) allowed |= bits[late];
        if (node == early || node == late) {
            for (int between = first + 1; between < last; ++between) {
                const u32 bit = bits[order.at(between)];
                allowed = node == early ? allowed | bit : allowed & ~bit;
            }
        }
        u32 earlier = allowed;
        const bool bound = set_earlier(swapped, order, tables, place, node, earlier);
        if (!touch(node, allowed, earlier, bound)) return;
        const i32 number = static_cast<i32>(number_of(order, node));
        highest = highest < number ? number : highest;
    }
    touch_later(
        order, tables, last, highest,
        [&](int place, int node) {
            u32 earlier = order.allowed(node);
            set_earlier(swapped, order, tables, place, node, earlier);
            return earlier;
        },
        touch);
}

template <class Order, class Touch>
ARCWISE_DEVICE void touch_changes(const Order& order, const CanonicalTables& tables, int first,
                                  int last, Touch touch) {
    if (last == first + 1) {
        touch_neighbours(order, tables, first, touch);
    } else {
        touch_swapped(order, tables, first, last, touch);
    }
}

// The change of the order's weight if the nodes at two places change places. With `rough` given,
// one that may be too large, and it is said so. Where weights of zero are refused, it ends with the
// first node that has one.
template <class Order>
ARCWISE_DEVICE UnitWeight change_of_swap(const Order& order, const CanonicalTables& tables,
                                         int first, int last, double t, bool refuses_zero,
                                         bool* rough) {
    UnitWeight change{0, 0};
    touch_changes(order, tables, first, last, [&](int node, u32 allowed, u32 earlier, bool bound) {
        const bool was_bound = (order.standing(node) & bound_bit) != 0;
        if (allowed == order.allowed(node) && earlier == order.earlier(node) &&
            bound == was_bound) {
            return true;
        }
        const UnitWeight then = weigh(tables.of(node), allowed, earlier, bound, t, rough);
        change = change + (then - weigh_node(order, tables, node, t));
        return !(refuses_zero && then.zero_factors > 0);
    });
    return change;
}

template <class Order>
ARCWISE_DEVICE void make_swap(const Order& order, const CanonicalTables& tables, int first,
                              int last) {
    touch_changes(order, tables, first, last, [&](int node, u32 allowed, u32 earlier, bool bound) {
        order.allowed(node) = static_cast<u16>(allowed);
        order.earlier(node) = static_cast<u16>(earlier);
        order.standing(node) =
            static_cast<u16>(number_of(order, node) | (bound ? bound_bit : u32{0}));
        return true;
    });
    const u8 early = order.at(first);
    order.at(first) = order.at(last);
    order.at(last) = early;
}

// One step of Metropolis; whether the swap was made.
template <class Order>
ARCWISE_DEVICE bool step(const Order& order, const CanonicalTables& tables, const Target& target,
                         int first, int last, u32 whether, UnitWeight& weight) {
    // Where weights of zero count for something, a bound on a weight that may be zero is none.
    const bool refuses = target.penalty == -minus_infinity() && weight.zero_factors == 0;
    bool rough = false;
    UnitWeight change = change_of_swap(order, tables, first, last, target.bridge, refuses,
                                       refuses ? &rough : nullptr);
    // What is refused by a bound is refused by what is below it: the random word is the same.
    if (!accepts(target.log_density(change), whether)) return false;
    if (rough) {
        change = change_of_swap(order, tables, first, last, target.bridge, refuses, nullptr);
        if (!accepts(target.log_density(change), whether)) return false;
    }
    make_swap(order, tables, first, last);
    weight = weight + change;
    return true;
}

// Takes a chain from one target to the next; the log ratio of its densities. A weight that was zero
// stays so.
template <class Order>
ARCWISE_DEVICE double reweigh(const Order& order, const CanonicalTables& tables, const Target& from,
                              const Target& to, UnitWeight& weight) {
    const double before = from.log_density(weight);
    if (from.bridge != to.bridge) weight = weigh_order(order, tables, to.bridge);
    return before == minus_infinity() ? before : to.log_density(weight) - before;
}

// Where the moves of a chain are counted: by itself, or by its level and its group.
ARCWISE_DEVICE u64 counted_at(const CanonicalChains& chains, u64 chain) {
    if (chains.levels == nullptr) return chain;
    return chains.levels[chain] * chains.groups + chain % chains.groups;
}

// Steps of all chains, from the step of this number on.
ARCWISE_DEVICE void walk(const Block& block, const CanonicalChains& chains, u64 first_step,
                         u64 steps, void* memory) {
    CanonicalTables tables(chains);
    void* const rest = tables.share(block, memory);
    const int nodes = tables.nodes;
    const SharedCanonicalOrder order(rest, block.thread(), block.threads(), nodes);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 chain =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         chain < chains.chains; chain += stride) {
        const ListedOrder listed(chains, chain);
        copy_order(listed, order, nodes);
        UnitWeight weight = chains.weights[chain];
        Target target =
            chains.levels != nullptr ? chains.targets[chains.levels[chain]] : chains.before;
        double annealed = 0.0;
        u32 neighbours_accepted = 0;
        u32 others_accepted = 0;
        const u64 stream = walk_stream + chains.first_chain + chain;
        FourWords words = philox(chains.seed, stream, first_step / 2);
        for (u64 i = 0; i < steps; ++i) {
            const u64 number = first_step + i;
            if (i != 0 && (number & 1) == 0) words = philox(chains.seed, stream, number / 2);
            const u32 where = (number & 1) == 0 ? words.a : words.c;
            const u32 whether = (number & 1) == 0 ? words.b : words.d;
            if (chains.levels == nullptr) {
                const Target next = chains.targets[chains.targets_by_step != 0 ? i : 0];
                annealed += reweigh(order, tables, target, next, weight);
                target = next;
            }
            const int distance = chains.distances[i];
            const int first =
                static_cast<int>(high_product(where, static_cast<u32>(nodes - distance)));
            if (step(order, tables, target, first, first + distance, whether, weight)) {
                if (distance == 1) {
                    ++neighbours_accepted;
                } else {
                    ++others_accepted;
                }
            }
        }
        copy_order(order, listed, nodes);
        chains.weights[chain] = weight;
        if (chains.log_weights != nullptr) chains.log_weights[chain] += annealed;
        const u64 counted = counted_at(chains, chain);
        chains.accepted[counted] += neighbours_accepted;
        chains.accepted[chains.chains + counted] += others_accepted;
    }
}

// Finds what belongs to the nodes of an order, given their numbers.
ARCWISE_DEVICE void set_up(const ListedOrder& order, const CanonicalTables& tables) {
    for (int place = 0; place < tables.nodes; ++place) {
        const int node = order.at(place);
        const u16* bits = tables.bits_of(node);
        u32 allowed = 0;
        for (int before = 0; before < place; ++before) allowed |= bits[order.at(before)];
        u32 earlier = allowed;
        const bool bound = set_earlier(order, order, tables, place, node, earlier);
        order.allowed(node) = static_cast<u16>(allowed);
        order.earlier(node) = static_cast<u16>(earlier);
        order.standing(node) =
            static_cast<u16>(number_of(order, node) | (bound ? bound_bit : u32{0}));
    }
}

// Finds all that belongs to the order of every chain, which is drawn before if asked for, any as
// probable as any other; the numbers of nodes stay.
ARCWISE_DEVICE void start_canonical_orders(const Block& block, const CanonicalChains& chains,
                                           u64 draws) {
    const CanonicalTables tables(chains);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 chain =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         chain < chains.chains; chain += stride) {
        const ListedOrder order(chains, chain);
        if (draws != 0) {
            shuffle_places(chains.seed, start_stream + chains.first_chain + chain, 0, tables.nodes,
                           [&](int place) -> u8& { return order.at(place); });
        }
        set_up(order, tables);
        chains.weights[chain] = weigh_order(order, tables, chains.before.bridge);
    }
}

// Takes all chains, which are where `before` is, to the one target there is, or finds their weights
// anew at their levels.
ARCWISE_DEVICE void reweigh_orders(const Block& block, const CanonicalChains& chains) {
    const CanonicalTables tables(chains);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 chain =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         chain < chains.chains; chain += stride) {
        const ListedOrder order(chains, chain);
        UnitWeight weight = chains.weights[chain];
        if (chains.levels != nullptr) {
            weight = weigh_order(order, tables, chains.targets[chains.levels[chain]].bridge);
        } else {
            const double ratio = reweigh(order, tables, chains.before, chains.targets[0], weight);
            if (chains.log_weights != nullptr) chains.log_weights[chain] += ratio;
        }
        chains.weights[chain] = weight;
    }
}

}  // namespace arcwise::kernels

#if defined(__CUDACC__)
extern "C" {
__global__ void __launch_bounds__(512, 1)
    walk_canonical_orders(const arcwise::kernels::CanonicalChains* chains,
                          unsigned long long first_step, unsigned long long steps) {
    extern __shared__ double memory[];
    const auto own = *chains;
    arcwise::kernels::walk(arcwise::kernels::Block{}, own, first_step, steps, memory);
}

__global__ void start_canonical_orders(const arcwise::kernels::CanonicalChains* chains,
                                       unsigned long long draws) {
    const auto own = *chains;
    arcwise::kernels::start_canonical_orders(arcwise::kernels::Block{}, own, draws);
}

__global__ void reweigh_canonical_orders(const arcwise::kernels::CanonicalChains* chains) {
    const auto own = *chains;
    arcwise::kernels::reweigh_orders(arcwise::kernels::Block{}, own);
}
}
#endif
