// BDeu of many families over many rows: contingency tables, and their log-gamma sums.
//
// A block takes a set of variables at a time. Its threads go through all rows, eight at a time, and
// add to the counter of each row's cell; then each cell adds ln Γ(a + N) - ln Γ(a), as
// core/arcwise/scores/discrete.hpp has it, and for a family each configuration of the parents takes
// away the same of its total:
//   M(X) = sum over cells of X,   score of (v, P) = M(P + v) - M(P), from one table
// Counts are whole numbers, so that they are the same in whatever order rows come. Terms are added
// in an order of their own, whatever the number of threads.
#pragma once

#include "arcwise/kernels/elementary.hpp"
#include "arcwise/kernels/set_walks.hpp"

namespace arcwise::kernels {

constexpr u32 most_members = 64;
constexpr u32 rows_of_word = 8;
constexpr u32 partial_sums = 256;  // a power of two
// A table of few cells is counted in so many copies, one for each bank of the shared memory: rows
// of one warp are often in one cell, and would wait for each other there.
constexpr u32 most_copies = 32;

// What the kernel is told. Every field takes eight bytes.
struct DiscreteScores {
    SetWalks walks;
    u64 words;                // of a column
    u64 padding;              // rows at the end that are none: their codes are 0
    const u64* codes;         // [variable][word]: a row in each byte
    const u32* weights;       // [row], or nothing where each counts once
    const u32* level_counts;  // [variable]
    double equivalent_sample_size;
    u64 shared_counters;  // how many there is room for
    u32* large;           // [block][cell], for tables beyond that
    u64 large_cells;
    double* values;  // [item of this launch]
};

// What the threads of a block share; the counters follow.
struct CountedSet {
    double partial[partial_sums];
    u32 members[most_members];
    u32 strides[most_members];
    u32 size;
    u32 cells;
    u32 levels;     // of the node; 1 without one
    u32 is_family;  // whether there is a node
};

// Takes up an item: its members, and how far apart their levels are in the table. The levels of the
// last member, the node, stand side by side.
ARCWISE_DEVICE void take_set(const DiscreteScores& scores, u64 item, CountedSet& set) {
    const SetWalk walk = scores.walks.walk_of(item);
    set.size = scores.walks.members(walk, item, [&](u32 i, u32 v) { set.members[i] = v; });
    set.is_family = walk.node == no_node ? 0 : 1;
    set.levels = walk.node == no_node ? 1 : scores.level_counts[walk.node];
    set.cells = 1;
    for (u32 i = set.size; i-- > 0;) {
        set.strides[i] = set.cells;
        set.cells *= scores.level_counts[set.members[i]];
    }
}

// Counts the rows of each cell. `counters` has `copies` of each, a power of two, side by side.
ARCWISE_DEVICE void count_rows(const Block& block, const DiscreteScores& scores,
                               const CountedSet& set, u32* counters, u32 copies) {
    // Whole numbers go round at 2^32, so that rows that are none may be taken away first.
    const u32 start = 0 - static_cast<u32>(scores.padding);
    for_each(block, set.cells * copies, [&](u32 i) { counters[i] = i == 0 ? start : 0; });
    block.sync();
    u32* own = counters + (static_cast<u32>(block.thread()) & (copies - 1));
    for_each(block, static_cast<u32>(scores.words), [&](u32 word) {
        u32 cell[rows_of_word] = {};  // in registers, as all that goes through it is unrolled
        for (u32 i = 0; i < set.size; ++i) {
            const u64 codes = scores.codes[set.members[i] * scores.words + word];
            const u32 stride = set.strides[i];
            ARCWISE_UNROLL_ALL
            for (u32 row = 0; row < rows_of_word; ++row) {
                cell[row] += static_cast<u32>((codes >> (8 * row)) & 255) * stride;
            }
        }
        ARCWISE_UNROLL_ALL
        for (u32 row = 0; row < rows_of_word; ++row) {
            const u32 weight =
                scores.weights == nullptr ? 1 : scores.weights[u64{word} * rows_of_word + row];
            atomic_add(own + u64{cell[row]} * copies, weight);
        }
    });
    block.sync();
}

// ln Γ(a + count) - ln Γ(a), with ln Γ(a) given.
ARCWISE_DEVICE double log_rising(double a, double log_gamma_of_a, u32 count) {
    return count == 0 ? 0.0 : log_gamma(a + static_cast<double>(count)) - log_gamma_of_a;
}

// The score of the set, for the first thread.
ARCWISE_DEVICE double sum_of_cells(const Block& block, const DiscreteScores& scores,
                                   CountedSet& set, const u32* counters, u32 copies) {
    const u32 configurations = set.cells / set.levels;
    const double a = scores.equivalent_sample_size / static_cast<double>(set.cells);
    const double a_of_parents = scores.equivalent_sample_size / static_cast<double>(configurations);
    for_each(block, partial_sums, [&](u32 lane) {
        double sum = 0.0;
        if (lane < configurations) {
            const double log_gamma_of_a = log_gamma(a);
            const double log_gamma_of_parents = log_gamma(a_of_parents);
            for (u32 parents = lane; parents < configurations; parents += partial_sums) {
                u32 total = 0;
                for (u32 level = 0; level < set.levels; ++level) {
                    const u64 first = (u64{parents} * set.levels + level) * copies;
                    u32 count = 0;
                    // Every thread of a warp begins at another copy: at the same one they would
                    // all read one bank.
                    for (u32 i = 0; i < copies; ++i) {
                        count += counters[first + ((lane + i) & (copies - 1))];
                    }
                    total += count;
                    sum += log_rising(a, log_gamma_of_a, count);
                }
                if (set.is_family != 0) {
                    sum -= log_rising(a_of_parents, log_gamma_of_parents, total);
                }
            }
        }
        set.partial[lane] = sum;
    });
    block.sync();
    for (u32 half = partial_sums / 2; half > 0; half /= 2) {
        for_each(block, half, [&](u32 lane) { set.partial[lane] += set.partial[lane + half]; });
        block.sync();
    }
    return set.partial[0];
}

// The sets of a launch, shared out among the blocks.
ARCWISE_DEVICE void score_sets(const Block& block, const DiscreteScores& scores, u64 first_item,
                               u64 count, void* memory) {
    CountedSet& set = *static_cast<CountedSet*>(memory);
    u32* shared = reinterpret_cast<u32*>(&set + 1);
    for (u64 i = block.index(); i < count; i += block.blocks()) {
        if (block.thread() == 0) take_set(scores, first_item + i, set);
        block.sync();
        double value = 0.0;
        // Both ways are written out, so that the compiler knows which memory each of them is in.
        if (set.cells <= scores.shared_counters) {
            u32 copies = most_copies;
            while (u64{set.cells} * copies > scores.shared_counters) copies /= 2;
            count_rows(block, scores, set, shared, copies);
            value = sum_of_cells(block, scores, set, shared, copies);
        } else {
            u32* large = scores.large + block.index() * scores.large_cells;
            count_rows(block, scores, set, large, 1);
            value = sum_of_cells(block, scores, set, large, 1);
        }
        if (block.thread() == 0) scores.values[i] = value;
        block.sync();  // before the next set is taken up
    }
}

}  // namespace arcwise::kernels

#if defined(__CUDACC__)
extern "C" {
// Blocks of up to 1,024 threads, which leaves each of them 64 registers.
__global__ void __launch_bounds__(1024)
    score_discrete_sets(const arcwise::kernels::DiscreteScores* scores,
                        unsigned long long first_item, unsigned long long count) {
    extern __shared__ double memory[];
    const auto own = *scores;
    arcwise::kernels::score_sets(arcwise::kernels::Block{}, own, first_item, count, memory);
}
}
#endif
