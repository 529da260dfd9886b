// BGe of many families: sums of products of columns, and determinants of many small matrices.
//
// core/arcwise/scores/gaussian.hpp has the score. A thread takes a family and eliminates its
// parents one after the other, the node last, so that both determinants come from one elimination.
// R = A + b b' is eliminated as A with b beside it, |R| = |A| (1 + b' A^-1 b): where b is large,
// adding it to A would lose the digits of A.
#pragma once

#include "arcwise/kernels/elementary.hpp"
#include "arcwise/kernels/set_walks.hpp"

namespace arcwise::kernels {

constexpr u32 scatter_tile = 32;  // columns and rows

// The sums of products of centred columns, added to what is there.
struct ScatterSums {
    u64 rows;
    u64 variables;
    const double* columns;  // [variable][row], less their means
    double* sums;           // [variable][variable]
};

// A block takes a tile of pairs of columns, of which it needs those with the first one not before
// the second; every pair is added up by one thread, so that the order of the sum is always the
// same.
ARCWISE_DEVICE void add_scatter_tile(const Block& block, const ScatterSums& scatter, u64 left,
                                     u64 right, double* memory) {
    // A row more than it has columns: threads that write a column would all be in one bank.
    constexpr u32 width = scatter_tile + 1;
    double* left_tile = memory;  // [row][column]
    double* right_tile = left_tile + scatter_tile * width;
    double* total = right_tile + scatter_tile * width;  // [left][right]
    for_each(block, scatter_tile * scatter_tile, [&](u32 pair) { total[pair] = 0.0; });
    for (u64 first_row = 0; first_row < scatter.rows; first_row += scatter_tile) {
        for_each(block, 2 * scatter_tile * scatter_tile, [&](u32 entry) {
            const u32 row = entry % scatter_tile;
            const u32 column = entry / scatter_tile % scatter_tile;
            const bool of_left = entry < scatter_tile * scatter_tile;
            const u64 variable = (of_left ? left : right) + column;
            const bool there = first_row + row < scatter.rows && variable < scatter.variables;
            (of_left ? left_tile : right_tile)[row * width + column] =
                there ? scatter.columns[variable * scatter.rows + first_row + row] : 0.0;
        });
        block.sync();
        for_each(block, scatter_tile * scatter_tile, [&](u32 pair) {
            const u32 i = pair / scatter_tile;
            const u32 j = pair % scatter_tile;
            double sum = 0.0;  // of its own, which rounds less than adding all rows to one
            for (u32 row = 0; row < scatter_tile; ++row) {
                sum += left_tile[row * width + i] * right_tile[row * width + j];
            }
            total[pair] += sum;
        });
        block.sync();
    }
    for_each(block, scatter_tile * scatter_tile, [&](u32 pair) {
        const u64 u = left + pair / scatter_tile;
        const u64 v = right + pair % scatter_tile;
        if (u >= scatter.variables || v > u) return;
        scatter.sums[u * scatter.variables + v] += total[pair];
        if (u != v) scatter.sums[v * scatter.variables + u] += total[pair];
    });
    block.sync();
}

ARCWISE_DEVICE void add_scatter(const Block& block, const ScatterSums& scatter, void* memory) {
    const u64 tiles = (scatter.variables + scatter_tile - 1) / scatter_tile;
    for (u64 tile = block.index(); tile < tiles * tiles; tile += block.blocks()) {
        const u64 left = tile / tiles;
        const u64 right = tile % tiles;
        if (right > left) continue;
        add_scatter_tile(block, scatter, left * scatter_tile, right * scatter_tile,
                         static_cast<double*>(memory));
    }
}

// What the kernel of the families is told. Every field takes eight bytes.
struct GaussianScores {
    SetWalks walks;
    u64 variables;
    u64 most_members;            // of a family, the node included
    const double* data;          // [u][v]: A, prior and sums of products
    const double* border;        // [v]: b
    const double* prior;         // [u][v]: T, or nothing if it is diagonal
    const double* log_diagonal;  // [v]: ln T_vv
    const double* coefficients;  // [members]: a constant, powers of |T| and 1 / |R|
    double singular_share;       // a pivot that is less of its variable's entry is rounding
    i32* singular;               // [v]: raised where v had such a pivot
    double* values;              // [item of this launch]
};

// ln of the determinants of a family and of its parents.
struct LogDeterminants {
    double family;
    double parents;
};

// The memory of a thread, entry by entry beside those of the other threads: neighbours are in
// neighbouring banks, whatever entry they are at.
struct Elimination {
    double* entries;  // packed rows of L below the inverse pivots
    double* beside;   // b, eliminated
    u32* members;
    u32 stride;
    u32 thread;

    ARCWISE_DEVICE Elimination(const Block& block, u64 most_members, void* memory)
        : stride(static_cast<u32>(block.threads())), thread(static_cast<u32>(block.thread())) {
        entries = static_cast<double*>(memory);
        beside = entries + most_members * (most_members + 1) / 2 * stride;
        members = reinterpret_cast<u32*>(beside + most_members * stride);
    }
    ARCWISE_DEVICE double& entry(u32 row, u32 column) const {
        return entries[(row * (row + 1) / 2 + column) * stride + thread];
    }
    ARCWISE_DEVICE double& border(u32 row) const { return beside[row * stride + thread]; }
    ARCWISE_DEVICE u32& member(u32 place) const { return members[place * stride + thread]; }
};

// Eliminates the members of a family from a matrix, with a border or without.
ARCWISE_DEVICE LogDeterminants eliminate(const GaussianScores& scores, const Elimination& own,
                                         u32 size, const double* matrix, const double* border,
                                         double least_share) {
    LogDeterminants found{0.0, 0.0};
    double log_pivots = 0.0;
    double corner = 1.0;
    for (u32 i = 0; i < size; ++i) {
        const u64 member = own.member(i);
        // Neighbouring threads have the same node and mostly the same parents but for the last:
        // these give the row, so that the entries that neighbours read are neighbours.
        const bool of_node = i + 1 == size;
        const auto entry_with = [&](u64 other) {
            return of_node ? matrix[member * scores.variables + other]
                           : matrix[other * scores.variables + member];
        };
        found.parents = found.family;
        double pivot = entry_with(member);
        const double least = least_share * pivot;
        double y = border == nullptr ? 0.0 : border[member];
        for (u32 j = 0; j < i; ++j) {
            double rest = entry_with(own.member(j));
            for (u32 k = 0; k < j; ++k) {
                // The row is not yet divided by its pivots, that of j is.
                rest -= own.entry(i, k) * own.entry(j, k);
            }
            own.entry(i, j) = rest;
        }
        for (u32 j = 0; j < i; ++j) {
            const double rest = own.entry(i, j);
            const double share = rest * own.entry(j, j);
            pivot -= rest * share;
            if (border != nullptr) y -= share * own.border(j);
            own.entry(i, j) = share;
        }
        // Below 2.3e-308 a number has no logarithm here.
        if (!(pivot > least) || pivot < 2.3e-308) raise_flag(scores.singular + member);
        own.entry(i, i) = 1.0 / pivot;
        log_pivots += logarithm(pivot);
        if (border != nullptr) {
            own.border(i) = y;
            corner += y * y * own.entry(i, i);
        }
        found.family = border == nullptr ? log_pivots : log_pivots + logarithm(corner);
    }
    return found;
}

ARCWISE_DEVICE double score_family(const GaussianScores& scores, const Elimination& own, u64 item) {
    const SetWalk walk = scores.walks.walk_of(item);
    const u32 size = scores.walks.members(walk, item, [&](u32 i, u32 v) { own.member(i) = v; });
    LogDeterminants prior{0.0, 0.0};
    if (scores.prior == nullptr) {
        for (u32 i = 0; i < size; ++i) {
            prior.parents = prior.family;
            prior.family += scores.log_diagonal[own.member(i)];
        }
    } else {
        prior = eliminate(scores, own, size, scores.prior, nullptr, 0.0);
    }
    const LogDeterminants data =
        eliminate(scores, own, size, scores.data, scores.border, scores.singular_share);
    const double* with = scores.coefficients + u64{size} * 3;
    const double* without = with - 3;
    return (with[0] + with[1] * prior.family - with[2] * data.family) -
           (without[0] + without[1] * prior.parents - without[2] * data.parents);
}

// The families of a launch, one for each thread of all blocks.
ARCWISE_DEVICE void score_families(const Block& block, const GaussianScores& scores, u64 first_item,
                                   u64 count, void* memory) {
    const Elimination own(block, scores.most_members, memory);
    const u64 threads = static_cast<u64>(block.threads());
    const u64 first = block.index() * threads + static_cast<u64>(block.thread());
    for (u64 i = first; i < count; i += block.blocks() * threads) {
        scores.values[i] = score_family(scores, own, first_item + i);
    }
}

}  // namespace arcwise::kernels

#if defined(__CUDACC__)
extern "C" {
__global__ void add_column_products(const arcwise::kernels::ScatterSums* scatter) {
    extern __shared__ double memory[];
    arcwise::kernels::add_scatter(arcwise::kernels::Block{}, *scatter, memory);
}

__global__ void score_gaussian_families(const arcwise::kernels::GaussianScores* scores,
                                        unsigned long long first_item, unsigned long long count) {
    extern __shared__ double memory[];
    const auto own = *scores;
    arcwise::kernels::score_families(arcwise::kernels::Block{}, own, first_item, count, memory);
}
}
#endif
