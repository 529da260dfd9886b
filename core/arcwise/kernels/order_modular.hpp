// The recursions of the exact order-modular posterior over all subsets, tile by tile.
//
//   forward:   F(empty) = 1,  F(Y) = sum over v in Y      of alpha_v(Y - v) F(Y - v)
//   backward:  B(V)     = 1,  B(Y) = sum over v not in Y  of alpha_v(Y) B(Y + v)
//
// A tile has one set H of high nodes and all sets of low ones; tiles with as many high nodes do not
// depend on each other, so a launch is one such level. The backward recursion takes the place of
// the forward one: when it comes to a tile it still finds F there, which is all the probabilities
// of families need beside B of the tiles above,
//   P(v has the parents S) = phi_v(S) sum over U that contain S of F(U) B(U + v) / F(V).
// So one number for each set is held, never two.
#pragma once

#include "arcwise/kernels/family_sums.hpp"

namespace arcwise::kernels {

template <class Value>
struct OrderModular {
    Families<Value> families;
    Value* values;            // [set]: F, then B
    const u32* level_places;  // sets of low nodes by size
    const u32* level_starts;  // [size], [size + 1]: where they stand
    u64 most_pieces;          // of a node
    u64* shares;              // [entry]
    Value inverse_total;      // 1 / F(V)
};

// What the threads of a block share.
template <class Value>
struct Workspace {
    Value* total;    // [L]: F or B of the tile
    Value* before;   // [L]: F of the tile over F(V), backward only
    Value* tile;     // [L]
    Value* partial;  // [piece]
    Value* alpha;    // [v][L without v], of the low nodes
    i32* flag;

    ARCWISE_DEVICE Workspace(void* memory, const OrderModular<Value>& computation) {
        const u64 size = computation.families.tile();
        total = static_cast<Value*>(memory);
        before = total + size;
        tile = before + size;
        partial = tile + size;
        alpha = partial + computation.most_pieces;
        flag = reinterpret_cast<i32*>(alpha + computation.families.low * (size / 2));
    }
};

// alpha_v of the low nodes over the tile.
template <class Value>
ARCWISE_DEVICE void fill_alpha(const Block& block, const OrderModular<Value>& computation,
                               u32 high_set, const Workspace<Value>& work) {
    const int low = static_cast<int>(computation.families.low);
    const u32 half = computation.families.tile() / 2;
    for (int v = 0; v < low; ++v) {
        family_sums(block, computation.families, v, high_set, work.tile, work.partial);
        Value* own = work.alpha + static_cast<u64>(v) * half;
        for_each(block, half, [&](u32 place) { own[place] = work.tile[with_gap(place, v)]; });
        block.sync();
    }
}

template <class Value>
ARCWISE_DEVICE void forward_tile(const Block& block, const OrderModular<Value>& computation,
                                 u32 high_set, const Workspace<Value>& work) {
    const int low = static_cast<int>(computation.families.low);
    const u32 size = computation.families.tile();
    for_each(block, size, [&](u32 i) {
        work.total[i] = high_set == 0 && i == 0 ? Value::one() : Value::zero();
    });
    for (u32 left = high_set; left != 0; left &= left - 1) {
        const u32 earlier = high_set ^ (left & (~left + 1));
        family_sums(block, computation.families, low + first_bit(left), earlier, work.tile,
                    work.partial);
        const Value* before = computation.values + static_cast<u64>(earlier) * size;
        for_each(block, size, [&](u32 i) {
            work.total[i] = plus(work.total[i], times(work.tile[i], before[i]));
        });
        block.sync();
    }
    fill_alpha(block, computation, high_set, work);
    const u32 half = size / 2;
    for (int level = 1; level <= low; ++level) {
        const u32 start = computation.level_starts[level];
        for_each(block, computation.level_starts[level + 1] - start, [&](u32 item) {
            const u32 set = computation.level_places[start + item];
            Value sum = work.total[set];
            for (u32 left = set; left != 0; left &= left - 1) {
                const int v = first_bit(left);
                const u32 earlier = set ^ (u32{1} << v);
                const Value alpha =
                    work.alpha[static_cast<u64>(v) * half + without_bit(earlier, v)];
                sum = plus(sum, times(alpha, work.total[earlier]));
            }
            work.total[set] = sum;
        });
        block.sync();
    }
    Value* after = computation.values + static_cast<u64>(high_set) * size;
    for_each(block, size, [&](u32 i) { after[i] = work.total[i]; });
    block.sync();
}

// Adds what F(U) B(U + v) / F(V), in the tile, give to the families of v. Below 2^-64 all is
// nothing.
ARCWISE_DEVICE void share_out(const Block& block, const OrderModular<Wide>& computation, int v,
                              u32 high_set, const Workspace<Wide>& work) {
    const int low = static_cast<int>(computation.families.low);
    if (block.thread() == 0) *work.flag = 0;
    block.sync();
    for_each(block, computation.families.tile(), [&](u32 i) {
        if (work.tile[i].bits != 0 && work.tile[i].exponent() > -66 - low) raise_flag(work.flag);
    });
    block.sync();
    if (*work.flag == 0) {
        block.sync();  // before the flag is lowered again
        return;
    }
    sum_over_supersets(block, work.tile, low, v < low ? v : -1);
    add_shares(block, computation.families, v, high_set, work.tile, computation.shares);
    block.sync();
}

ARCWISE_DEVICE void backward_tile(const Block& block, const OrderModular<Wide>& computation,
                                  u32 high_set, const Workspace<Wide>& work) {
    const int low = static_cast<int>(computation.families.low);
    const int high = static_cast<int>(computation.families.nodes) - low;
    const u32 size = computation.families.tile();
    const u32 all_high = (u32{1} << high) - 1;
    Wide* own = computation.values + static_cast<u64>(high_set) * size;
    for_each(block, size, [&](u32 i) {
        work.total[i] = high_set == all_high && i == size - 1 ? Wide::one() : Wide::zero();
        work.before[i] = times(own[i], computation.inverse_total);
    });
    for (u32 left = all_high & ~high_set; left != 0; left &= left - 1) {
        const int v = low + first_bit(left);
        const u32 later = high_set | (left & (~left + 1));
        family_sums(block, computation.families, v, high_set, work.tile, work.partial);
        const Wide* after = computation.values + static_cast<u64>(later) * size;
        for_each(block, size, [&](u32 i) {
            const Wide rest = after[i];
            work.total[i] = plus(work.total[i], times(work.tile[i], rest));
            work.tile[i] = times(work.before[i], rest);
        });
        share_out(block, computation, v, high_set, work);
    }
    fill_alpha(block, computation, high_set, work);
    const u32 half = size / 2;
    for (int level = low - 1; level >= 0; --level) {
        const u32 start = computation.level_starts[level];
        for_each(block, computation.level_starts[level + 1] - start, [&](u32 item) {
            const u32 set = computation.level_places[start + item];
            Wide sum = work.total[set];
            for (u32 left = (size - 1) & ~set; left != 0; left &= left - 1) {
                const int v = first_bit(left);
                const Wide alpha = work.alpha[static_cast<u64>(v) * half + without_bit(set, v)];
                sum = plus(sum, times(alpha, work.total[set | (u32{1} << v)]));
            }
            work.total[set] = sum;
        });
        block.sync();
    }
    for (int v = 0; v < low; ++v) {
        const u32 bit = u32{1} << v;
        for_each(block, size, [&](u32 i) {
            work.tile[i] =
                (i & bit) != 0 ? Wide::zero() : times(work.before[i], work.total[i | bit]);
        });
        share_out(block, computation, v, high_set, work);
    }
    for_each(block, size, [&](u32 i) { own[i] = work.total[i]; });
    block.sync();
}

// The tiles of one level, shared out among the blocks.
template <class Value>
ARCWISE_DEVICE void forward_level(const Block& block, const OrderModular<Value>& computation,
                                  const u32* high_sets, u64 count, void* memory) {
    const Workspace<Value> work(memory, computation);
    for (u64 i = block.index(); i < count; i += block.blocks()) {
        forward_tile(block, computation, high_sets[i], work);
    }
}

ARCWISE_DEVICE void backward_level(const Block& block, const OrderModular<Wide>& computation,
                                   const u32* high_sets, u64 count, void* memory) {
    const Workspace<Wide> work(memory, computation);
    for (u64 i = block.index(); i < count; i += block.blocks()) {
        backward_tile(block, computation, high_sets[i], work);
    }
}

}  // namespace arcwise::kernels

#if defined(__CUDACC__)
// What a kernel is told is copied first: held in registers, it is not read again and again.
extern "C" {
__global__ void forward_sums(
    const arcwise::kernels::OrderModular<arcwise::kernels::Wide>* computation,
    const unsigned int* high_sets, unsigned long long count) {
    extern __shared__ double memory[];
    const auto own = *computation;
    arcwise::kernels::forward_level(arcwise::kernels::Block{}, own, high_sets, count, memory);
}

__global__ void forward_maxima(
    const arcwise::kernels::OrderModular<arcwise::kernels::LogMaximum>* computation,
    const unsigned int* high_sets, unsigned long long count) {
    extern __shared__ double memory[];
    const auto own = *computation;
    arcwise::kernels::forward_level(arcwise::kernels::Block{}, own, high_sets, count, memory);
}

__global__ void backward_sums(
    const arcwise::kernels::OrderModular<arcwise::kernels::Wide>* computation,
    const unsigned int* high_sets, unsigned long long count) {
    extern __shared__ double memory[];
    const auto own = *computation;
    arcwise::kernels::backward_level(arcwise::kernels::Block{}, own, high_sets, count, memory);
}
}
#endif
