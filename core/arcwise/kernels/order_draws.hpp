// Draws of orders and DAGs from the exact order-modular posterior, one for each block.
//
// When the backward computation has ended, its table says how much is to come: an order is drawn
// from its beginning, the next node v after the set U by alpha_v(U) B(U + v), and its parents S
// within U by phi_v(S). A draw is a function of the seed and of its number.
#pragma once

#include "arcwise/kernels/order_modular.hpp"
#include "arcwise/kernels/random.hpp"

namespace arcwise::kernels {

struct OrderDraws {
    u64 seed;
    u64 first;  // number of the first draw
    u64 count;
    u8* orders;    // [draw nodes + place]
    u64* parents;  // [draw nodes + node], as bits
};

// partial[piece] = sum of the node's families of the piece within a set.
ARCWISE_DEVICE void piece_sums(const Block& block, const Families<Wide>& families, int v, u64 set,
                               Wide* partial) {
    const u32 first = families.node_pieces[v];
    const u32 low_set = static_cast<u32>(set) & (families.tile() - 1);
    const u32 high_set = static_cast<u32>(set >> families.low);
    for_each(block, families.pieces(v), [&](u32 item) {
        const u32 piece = first + item;
        Wide sum = Wide::zero();
        if ((families.piece_place[piece] & ~low_set) == 0) {
            const u32 group = piece / pieces_per_group;
            const u64 start = families.group_entries[group] + piece % pieces_per_group;
            const u32 length = families.group_length[group];
            ARCWISE_UNROLL
            for (u32 k = 0; k < length; ++k) {
                const u64 entry = start + u64{k} * pieces_per_group;
                if ((families.entry_high[entry] & ~high_set) == 0) {
                    sum = plus(sum, families.entry_weight[entry]);
                }
            }
        }
        partial[item] = sum;
    });
    block.sync();
}

ARCWISE_DEVICE Wide sum_of(const Wide* values, u32 count) {
    Wide sum = Wide::zero();
    for (u32 i = 0; i < count; ++i) sum = plus(sum, values[i]);
    return sum;
}

// A number from 0 to 1, neither of them.
ARCWISE_DEVICE Wide uniform(u64 seed, u64 stream, u64 position) {
    const FourWords words = philox(seed, stream, position);
    const u64 bits = (static_cast<u64>(words.a) << 20) | (words.b >> 12);
    return Wide::pack((static_cast<double>(bits) + 0.5) * 0x1p-52, 0);
}

// The first value that brings the running sum above `wanted`; else the last that is not zero, as
// rounding may leave the sum a little below.
ARCWISE_DEVICE u32 chosen_of(const Wide* values, u32 count, Wide wanted) {
    Wide sum = Wide::zero();
    u32 last = 0;
    for (u32 i = 0; i < count; ++i) {
        if (values[i].bits == 0) continue;
        last = i;
        sum = plus(sum, values[i]);
        if (sum.bits > wanted.bits) break;
    }
    return last;
}

// The parents of the node, drawn within a set, given what `piece_sums` made.
ARCWISE_DEVICE u64 draw_parents(const Families<Wide>& families, int v, u64 set, const Wide* partial,
                                Wide share) {
    const u32 pieces = families.pieces(v);
    const Wide wanted = times(sum_of(partial, pieces), share);
    Wide before = Wide::zero();
    const u32 item = chosen_of(partial, pieces, wanted);
    for (u32 i = 0; i < item; ++i) before = plus(before, partial[i]);
    const u32 piece = families.node_pieces[v] + item;
    const u32 group = piece / pieces_per_group;
    const u64 start = families.group_entries[group] + piece % pieces_per_group;
    const u32 high_set = static_cast<u32>(set >> families.low);
    u64 parents = 0;
    for (u32 k = 0; k < families.group_length[group]; ++k) {
        const u64 entry = start + u64{k} * pieces_per_group;
        const Wide weight = families.entry_weight[entry];
        if (weight.bits == 0 || (families.entry_high[entry] & ~high_set) != 0) continue;
        parents = (static_cast<u64>(families.entry_high[entry]) << families.low) |
                  families.piece_place[piece];
        before = plus(before, weight);
        if (before.bits > wanted.bits) break;
    }
    return parents;
}

ARCWISE_DEVICE void draw_orders(const Block& block, const OrderModular<Wide>& computation,
                                const OrderDraws& draws, void* memory) {
    const Families<Wide>& families = computation.families;
    const int nodes = static_cast<int>(families.nodes);
    Wide* const partial = static_cast<Wide*>(memory);
    Wide* const weight = partial + computation.most_pieces;
    i32* const chosen = reinterpret_cast<i32*>(weight + nodes);
    for (u64 draw = block.index(); draw < draws.count; draw += block.blocks()) {
        const u64 stream = draws.first + draw;
        u64 set = 0;
        for (int place = 0; place < nodes; ++place) {
            for (int v = 0; v < nodes; ++v) {
                if ((set >> v & 1) != 0) {
                    if (block.thread() == 0) weight[v] = Wide::zero();
                    continue;
                }
                piece_sums(block, families, v, set, partial);
                if (block.thread() == 0) {
                    weight[v] = times(sum_of(partial, families.pieces(v)),
                                      computation.values[set | (u64{1} << v)]);
                }
                block.sync();
            }
            if (block.thread() == 0) {
                const Wide share = uniform(draws.seed, stream, 2 * static_cast<u64>(place));
                const u32 count = static_cast<u32>(nodes);
                *chosen =
                    static_cast<i32>(chosen_of(weight, count, times(sum_of(weight, count), share)));
            }
            block.sync();
            const int v = *chosen;
            piece_sums(block, families, v, set, partial);
            if (block.thread() == 0) {
                const Wide share = uniform(draws.seed, stream, 2 * static_cast<u64>(place) + 1);
                const u64 row = draw * static_cast<u64>(nodes);
                draws.orders[row + static_cast<u64>(place)] = static_cast<u8>(v);
                draws.parents[row + static_cast<u64>(v)] =
                    draw_parents(families, v, set, partial, share);
            }
            block.sync();
            set |= u64{1} << v;
        }
    }
}

}  // namespace arcwise::kernels

#if defined(__CUDACC__)
extern "C" {
__global__ void draw_orders(
    const arcwise::kernels::OrderModular<arcwise::kernels::Wide>* computation,
    const arcwise::kernels::OrderDraws* draws) {
    extern __shared__ double memory[];
    const auto own = *computation;
    const auto wanted = *draws;
    arcwise::kernels::draw_orders(arcwise::kernels::Block{}, own, wanted, memory);
}
}
#endif
