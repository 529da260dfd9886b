// H of the modular posterior, tile by tile: a block takes the sets with the same high nodes, and
// for all sets of low ones goes through pairs (U, T), a number in base three; see
// modular_tables.hpp.
#pragma once

#include "arcwise/kernels/modular_tables.hpp"

namespace arcwise::kernels {

// What the threads of a block share while they work at the sets with the same high nodes.
struct OneTile {
    double* sums;      // [pair]
    double* products;  // [pair]
    double* alpha;     // [v][set of low nodes without v]: with a minus sign
    double* total;     // [set of low nodes]: H
    i32* exponents;    // [pair]: of the products
    i32* alpha_exponents;
    i32* scales;  // [set of low nodes]
    i32* flag;

    ARCWISE_DEVICE OneTile(void* memory, u32 low, u32 pairs) {
        const u32 sets = u32{1} << low;
        sums = static_cast<double*>(memory);
        products = sums + pairs;
        alpha = products + pairs;
        total = alpha + low * (sets / 2);
        exponents = reinterpret_cast<i32*>(total + sets);
        alpha_exponents = exponents + pairs;
        scales = alpha_exponents + low * (sets / 2);
        flag = scales + sets;
    }
};

// From the products of the pairs without T, those of all pairs, with the sums alpha of the sets
// whose high nodes are `high_set`. Calls use(pair, U, U + T) for each.
template <class Use>
ARCWISE_DEVICE void for_each_pair(const Block& block, const ModularTables& tables, u32 high_set,
                                  const OneTile& tile, Use use) {
    const u32 low = static_cast<u32>(tables.low);
    const u32 half = u32{1} << (low - 1);
    for_each(block, low * half, [&](u32 item) {
        const int v = static_cast<int>(item / half);
        const u64 place = tables.place(v, high_set << low | with_gap(item % half, v));
        tile.alpha[item] = -tables.mantissas[place];
        tile.alpha_exponents[item] = tables.exponents[place];
    });
    block.sync();
    for (u32 size = 0; size <= low; ++size) {
        const u32 start = tables.pair_starts[size];
        for_each(block, tables.pair_starts[size + 1] - start, [&](u32 item) {
            const u32 both = tables.pairs[start + item];
            const u32 before = both & 0xFFFF;
            const u32 added = both >> 16;
            const u32 pair = tables.ternary[before] + 2 * tables.ternary[added];
            if (size > 0) {
                const int v = first_bit(added);
                const u32 smaller = pair - 2 * tables.ternary[u32{1} << v];
                const u32 own = static_cast<u32>(v) * half + without_bit(before, v);
                tile.products[pair] = tile.products[smaller] * tile.alpha[own];
                tile.exponents[pair] = tile.exponents[smaller] + tile.alpha_exponents[own];
            }
            use(pair, before, before | added);
        });
        block.sync();
    }
}

// H of the sets with these high nodes, all of fewer high nodes being there.
ARCWISE_DEVICE void fill_tile(const Block& block, const ModularTables& tables, u32 high_set,
                              const OneTile& tile) {
    const u32 low = static_cast<u32>(tables.low);
    const u32 sets = u32{1} << low;
    for_each(block, tables.pair_starts[low + 1], [&](u32 pair) { tile.sums[pair] = 0.0; });
    for_each(block, sets, [&](u32 s) { tile.scales[s] = tables.scales[high_set << low | s]; });
    for (u32 source = 0; source != high_set; source = (source - high_set) & high_set) {
        if (block.thread() == 0) *tile.flag = 0;
        block.sync();
        for_each(block, sets, [&](u32 s) {
            const u32 set = source << low | s;
            const double weight = tables.on[set];
            double mantissa = tables.is_negligible(set, weight) ? 0.0 : -weight;
            i32 exponent = tables.scales[set];
            for (u32 left = high_set ^ source; left != 0 && mantissa != 0.0; left &= left - 1) {
                const u64 place = tables.place(static_cast<int>(low) + first_bit(left), set);
                mantissa *= -tables.mantissas[place];
                exponent += tables.exponents[place];
            }
            tile.products[tables.ternary[s]] = mantissa;
            tile.exponents[tables.ternary[s]] = exponent + exponent_bias;
            if (mantissa != 0.0) raise_flag(tile.flag);
        });
        block.sync();
        const bool nothing = *tile.flag == 0;
        block.sync();  // before the flag is lowered again
        if (nothing) continue;
        for_each_pair(block, tables, source, tile, [&](u32 pair, u32, u32 larger) {
            tile.sums[pair] +=
                tile.products[pair] * power_of_two(tile.exponents[pair] - tile.scales[larger]);
        });
    }
    block.sync();
    for_each(block, sets, [&](u32 s) {
        double sum = high_set == 0 && s == 0 ? 1.0 : 0.0;
        for (u32 before = s;; before = (before - 1) & s) {
            sum += tile.sums[tables.ternary[before] + 2 * tables.ternary[s ^ before]];
            if (before == 0) break;
        }
        tile.total[s] = sum;
    });
    // Within the tile: products without H, which gets complete set by set.
    for_each(block, sets, [&](u32 s) {
        tile.products[tables.ternary[s]] = -1.0;
        tile.exponents[tables.ternary[s]] = tile.scales[s] + exponent_bias;
    });
    block.sync();
    for_each_pair(block, tables, high_set, tile, [](u32, u32, u32) {});
    for (u32 size = 1; size <= low; ++size) {
        const u32 start = tables.level_starts[size];
        for_each(block, tables.level_starts[size + 1] - start, [&](u32 item) {
            const u32 s = tables.level_places[start + item];
            double sum = tile.total[s];
            for (u32 before = (s - 1) & s;; before = (before - 1) & s) {
                const u32 pair = tables.ternary[before] + 2 * tables.ternary[s ^ before];
                if (!tables.is_negligible(high_set << low | before, tile.total[before])) {
                    sum += tile.total[before] * tile.products[pair] *
                           power_of_two(tile.exponents[pair] - tile.scales[s]);
                }
                if (before == 0) break;
            }
            tile.total[s] = sum;
        });
        block.sync();
    }
    for_each(block, sets, [&](u32 s) { tables.on[high_set << low | s] = tile.total[s]; });
    block.sync();
}

ARCWISE_DEVICE void fill_on(const Block& block, const ModularTables& tables, const u32* high_sets,
                            u64 count, void* memory) {
    const OneTile tile(memory, static_cast<u32>(tables.low), tables.pair_starts[tables.low + 1]);
    for (u64 i = block.index(); i < count; i += block.blocks()) {
        fill_tile(block, tables, high_sets[i], tile);
    }
}

}  // namespace arcwise::kernels
