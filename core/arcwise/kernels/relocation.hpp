// Gibbs moves of chains over orders: one node goes to a place drawn given the order of the others.
//
// The node goes through all places by swaps with its neighbours, which say how weights change.
// Where a weight would take many sums, a bound on it is used to draw the place, a function of the
// others' order and the place alone, and the move is accepted by what the bound leaves out, as in
// core/arcwise/spaces/orders/order_state.hpp.
#pragma once

#include "arcwise/kernels/canonical_orders.hpp"

namespace arcwise::kernels {

constexpr u64 relocation_stream = u64{5} << 56;

// The change of the order's weight by a swap of neighbours, by bounds where `rough` is given.
template <class Order>
ARCWISE_DEVICE UnitWeight change_of_neighbours(const Order& order, const CanonicalTables& tables,
                                               int first, double t, bool* rough) {
    UnitWeight change{0, 0};
    touch_neighbours(order, tables, first, [&](int node, u32 allowed, u32 earlier, bool bound) {
        const NodeTables own = tables.of(node);
        const bool was_bound = (order.standing(node) & bound_bit) != 0;
        change =
            change + (weigh(own, allowed, earlier, bound, t, rough) -
                      weigh(own, order.allowed(node), order.earlier(node), was_bound, t, rough));
        return true;
    });
    return change;
}

// Takes a node from one place to another.
template <class Order>
ARCWISE_DEVICE void carry(const Order& order, const CanonicalTables& tables, int from, int to) {
    for (int place = from; place > to; --place) make_swap(order, tables, place - 1, place);
    for (int place = from; place < to; ++place) make_swap(order, tables, place, place + 1);
}

// Calls use(place, weight) with the node at each place, whose weight may be too large; it is then
// at the last.
template <class Order, class Use>
ARCWISE_DEVICE void weigh_places(const Order& order, const CanonicalTables& tables,
                                 const Target& target, int from, Use use) {
    bool rough = false;
    carry(order, tables, from, 0);
    UnitWeight weight{0, 0};
    for (int node = 0; node < tables.nodes; ++node) {
        weight = weight + weigh(tables.of(node), order.allowed(node), order.earlier(node),
                                (order.standing(node) & bound_bit) != 0, target.bridge, &rough);
    }
    for (int place = 0;; ++place) {
        use(place, weight);
        if (place + 1 == tables.nodes) return;
        weight = weight + change_of_neighbours(order, tables, place, target.bridge, &rough);
        make_swap(order, tables, place, place + 1);
    }
}

// Whether the move was made. Places are drawn on the way: the next one, in proportion to its share
// of the sum so far.
template <class Order>
ARCWISE_DEVICE bool relocate(const Order& order, const CanonicalTables& tables,
                             const Target& target, u64 seed, u64 stream, u64 position,
                             UnitWeight& weight) {
    const u64 first_word = position * static_cast<u64>(tables.nodes);
    const FourWords words = philox(seed, stream, first_word);
    const int from = static_cast<int>(high_product(words.b, static_cast<u32>(tables.nodes)));
    double highest = minus_infinity();
    double sum = 0.0;
    double above_from = 0.0;
    double above_to = 0.0;
    int to = from;
    weigh_places(order, tables, target, from, [&](int place, UnitWeight there) {
        const double density = target.log_density(there);
        if (place == from) above_from = density;
        if (density == minus_infinity()) return;
        if (density > highest) {
            sum = sum * exponential_or_zero(highest - density);
            highest = density;
        }
        const double share = exponential_or_zero(density - highest);
        sum += share;
        const u32 word = philox(seed, stream, first_word + static_cast<u64>(place)).a;
        if ((static_cast<double>(word) + 0.5) * 0x1p-32 * sum < share) {
            to = place;
            above_to = density;
        }
    });
    carry(order, tables, tables.nodes - 1, to);
    if (to == from) return true;
    const UnitWeight then = weigh_order(order, tables, target.bridge);
    const double left_out_then = target.log_density(then) - above_to;
    const double left_out_now = target.log_density(weight) - above_from;
    if (!accepts(left_out_then - left_out_now, words.c)) {
        carry(order, tables, to, from);
        return false;
    }
    weight = then;
    return true;
}

// One relocation in all chains.
ARCWISE_DEVICE void relocate_orders(const Block& block, const CanonicalChains& chains, u64 position,
                                    void* memory) {
    CanonicalTables tables(chains);
    void* const rest = tables.share(block, memory);
    const SharedCanonicalOrder order(rest, block.thread(), block.threads(), tables.nodes);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 chain =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         chain < chains.chains; chain += stride) {
        const ListedOrder listed(chains, chain);
        copy_order(listed, order, tables.nodes);
        UnitWeight weight = chains.weights[chain];
        const Target& target = chains.targets[chains.levels != nullptr ? chains.levels[chain] : 0];
        const u64 stream = relocation_stream + chains.first_chain + chain;
        if (relocate(order, tables, target, chains.seed, stream, position, weight)) {
            ++chains.accepted[2 * chains.chains + counted_at(chains, chain)];
        }
        copy_order(order, listed, tables.nodes);
        chains.weights[chain] = weight;
    }
}

}  // namespace arcwise::kernels

#if defined(__CUDACC__)
extern "C" {
__global__ void __launch_bounds__(512, 1)
    relocate_canonical_orders(const arcwise::kernels::CanonicalChains* chains,
                              unsigned long long position) {
    extern __shared__ double memory[];
    const auto own = *chains;
    arcwise::kernels::relocate_orders(arcwise::kernels::Block{}, own, position, memory);
}
}
#endif
