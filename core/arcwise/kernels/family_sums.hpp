// Sums of a node's families over a tile of sets: all sets of low nodes with one set of high ones.
//
//   alpha_v(A + L) = sum of phi_v(S) over S within A + L,  for every set L of low nodes
//
// Families that have the same low parents are cut into pieces, one for a thread: first each piece
// adds up its families whose high parents are in A, then each set of low parents adds up its
// pieces, then sums go up the subsets of low nodes. Pieces of about the same length stand in groups
// of 32, the k-th families of a group side by side, so that threads next to each other read next to
// each other. Every sum is made in an order of its own, whoever makes it.
#pragma once

#include "arcwise/kernels/platform.hpp"
#include "arcwise/kernels/wide.hpp"

namespace arcwise::kernels {

constexpr u32 pieces_per_group = 32;

// The families of all nodes. Every field takes eight bytes, so that the host can write it down as
// an array of whole numbers.
template <class Value>
struct Families {
    u64 nodes;
    u64 low;                    // number of low nodes, the first ones
    const u32* node_pieces;     // [v], [v + 1]: the pieces of node v; multiples of 32
    const u64* group_entries;   // [group]: where its families begin
    const u32* group_length;    // [group]: families of its longest piece
    const u16* piece_place;     // [piece]: low parents
    const u32* place_pieces;    // [v (2^low + 1) + place]: where its pieces are listed
    const u16* listed_pieces;   // counted from the first piece of the node
    const u32* entry_high;      // [entry]: high parents
    const Value* entry_weight;  // [entry]: zero where a piece is shorter than its group

    ARCWISE_DEVICE u32 tile() const { return u32{1} << low; }
    ARCWISE_DEVICE u32 pieces(int v) const { return node_pieces[v + 1] - node_pieces[v]; }
};

// Sums over the subsets that lack `skipped`, or over all if it is -1.
template <class Value>
ARCWISE_DEVICE void sum_over_subsets(const Block& block, Value* tile, int low, int skipped) {
    for (int bit = 0; bit < low; ++bit) {
        if (bit == skipped) continue;
        for_each(block, u32{1} << (low - 1), [&](u32 item) {
            const u32 without = with_gap(item, bit);
            const u32 with = without | (u32{1} << bit);
            tile[with] = plus(tile[with], tile[without]);
        });
        block.sync();
    }
}

template <class Value>
ARCWISE_DEVICE void sum_over_supersets(const Block& block, Value* tile, int low, int skipped) {
    for (int bit = 0; bit < low; ++bit) {
        if (bit == skipped) continue;
        for_each(block, u32{1} << (low - 1), [&](u32 item) {
            const u32 without = with_gap(item, bit);
            const u32 with = without | (u32{1} << bit);
            tile[without] = plus(tile[without], tile[with]);
        });
        block.sync();
    }
}

// tile[L] = alpha_v(available + L), for L without v. `partial` has room for the node's pieces. The
// tile is ready for all threads.
template <class Value>
ARCWISE_DEVICE void family_sums(const Block& block, const Families<Value>& families, int v,
                                u32 available, Value* tile, Value* partial) {
    const u32 first = families.node_pieces[v];
    for_each(block, families.pieces(v), [&](u32 item) {
        const u32 piece = first + item;
        const u32 group = piece / pieces_per_group;
        const u64 start = families.group_entries[group] + piece % pieces_per_group;
        const u32 length = families.group_length[group];
        Value sum = Value::zero();
        ARCWISE_UNROLL
        for (u32 k = 0; k < length; ++k) {
            const u64 entry = start + u64{k} * pieces_per_group;
            if ((families.entry_high[entry] & ~available) == 0) {
                sum = plus(sum, families.entry_weight[entry]);
            }
        }
        partial[item] = sum;
    });
    block.sync();
    const u32* places = families.place_pieces + static_cast<u64>(v) * (families.tile() + 1);
    for_each(block, families.tile(), [&](u32 place) {
        Value sum = Value::zero();
        for (u32 i = places[place]; i < places[place + 1]; ++i) {
            sum = plus(sum, partial[families.listed_pieces[i]]);
        }
        tile[place] = sum;
    });
    block.sync();
    const int low = static_cast<int>(families.low);
    sum_over_subsets(block, tile, low, v < low ? v : -1);
}

// Adds to shares[entry], for every family (S with low parents L and high ones in `available`),
// phi_v(S) tile[L], in units of 2^-63.
ARCWISE_DEVICE void add_shares(const Block& block, const Families<Wide>& families, int v,
                               u32 available, const Wide* tile, u64* shares) {
    const u32 first = families.node_pieces[v];
    for_each(block, families.pieces(v), [&](u32 item) {
        const u32 piece = first + item;
        const Wide factor = tile[families.piece_place[piece]];
        if (factor.bits == 0 || factor.exponent() < -65) return;  // no weight is above 1
        const u32 group = piece / pieces_per_group;
        const u64 start = families.group_entries[group] + piece % pieces_per_group;
        const u32 length = families.group_length[group];
        ARCWISE_UNROLL
        for (u32 k = 0; k < length; ++k) {
            const u64 entry = start + u64{k} * pieces_per_group;
            if ((families.entry_high[entry] & ~available) != 0) continue;
            const u64 share = in_units(times(families.entry_weight[entry], factor));
            if (share != 0) atomic_add(shares + entry, share);
        }
    });
}

}  // namespace arcwise::kernels
