// The exact modular posterior over all subsets, as core/arcwise/exact/modular_tables.hpp has it:
//
//   H(empty) = 1,  H(S) = - sum over nonempty T within S  of  H(S - T) prod_T (-alpha_j(S - T))
//   B(V)     = 1,  B(U) = - sum over nonempty T outside U of  prod_T (-alpha_j(U)) B(U + T)
//   t(U, T)  = - H(U) prod_T (-alpha_j(U)) B(U + T) / Z,  share_v(U) = sum over T with v of t(U, T)
//   P(v has the parents S) = phi_v(S) sum over U that contain S of share_v(U) / alpha_v(U)
//
// Scales. H(S) is kept as a mantissa times 2^scale(S), B(S) as one times 2^(scale(V) - scale(S)),
// where scale(S) is the largest sum of exponents of alpha along an order of S: the DAGs of that
// order are some of all DAGs, and n! orders have all of them, so that mantissas are plain numbers.
//
// B and the shares of a set U are sums over T outside it: a block takes one U, products over T come
// from two tables and a few factors. H of a set is a sum over its subsets U, of which each has
// products of its own; a block takes the sets with the same high nodes, and for all sets of low
// ones goes through pairs (U, T), a number in base three: no node twice.
#pragma once

#include "arcwise/kernels/scaled.hpp"

namespace arcwise::kernels {

constexpr i32 impossible_scale = 1 << 28;

// What the kernels are told. Every field takes eight bytes.
struct ModularTables {
    u64 nodes;
    u64 low;                  // number of low nodes, the first ones
    double* mantissas;        // [v][U without v]: alpha_v(U), later share_v(U) / alpha_v(U)
    i32* exponents;           // likewise
    i32* scales;              // [set]
    double* on;               // [set]: mantissa of H, later squares of sums of |t(U, T)|
    double* beyond;           // [set]: mantissa of B
    double* shares;           // [v][U without v]
    const u32* binomials;     // [size (nodes + 1) + of]
    const u32* pairs;         // U | T << 16, sets of low nodes, by the size of T
    const u32* pair_starts;   // [size], [size + 1]: where they stand
    const u32* level_places;  // sets of low nodes by size
    const u32* level_starts;  // likewise
    const u32* ternary;       // [set of low nodes]: its bits as digits in base three
    double inverse_total;     // one over the mantissa of Z

    ARCWISE_DEVICE u32 everything() const { return static_cast<u32>((u64{1} << nodes) - 1); }
    ARCWISE_DEVICE u64 place(int v, u32 set) const {
        return (static_cast<u64>(v) << (nodes - 1)) + without_bit(set, v);
    }
    // Whether a set is closed with so small a probability that no term of it would show.
    ARCWISE_DEVICE bool is_negligible(u32 set, double weight) const {
        return !(weight * beyond[set] > as_double(u64{exponent_bias - 140} << 52) * beyond[0]);
    }
};

// The set of so many nodes that has this rank among them.
ARCWISE_DEVICE u32 set_of_rank(const ModularTables& tables, u32 size, u64 rank) {
    const u32 n = static_cast<u32>(tables.nodes);
    u32 set = 0;
    for (u32 bit = n; bit-- > 0 && size > 0;) {
        const u64 without = tables.binomials[size * (n + 1) + bit];
        if (rank < without) continue;
        rank -= without;
        set |= u32{1} << bit;
        --size;
    }
    return set;
}

// Calls use(item) for every item, shared out among the threads of all blocks.
template <class Use>
ARCWISE_DEVICE void for_each_of_all(const Block& block, u64 items, Use use) {
    constexpr u64 at_once = 4096;
    for (u64 first = block.index() * at_once; first < items; first += block.blocks() * at_once) {
        const u64 left = items - first;
        for_each(block, static_cast<u32>(left < at_once ? left : at_once),
                 [&](u32 item) { use(first + item); });
    }
}

// The families of one node: their parents without the node, and their weights.
struct ListedFamilies {
    u64 node;
    u64 count;
    const u32* places;
    const double* mantissas;
    const i32* exponents;
    double* probabilities;
};

ARCWISE_DEVICE void place_families(const Block& block, const ModularTables& tables,
                                   const ListedFamilies& families) {
    const u64 first = families.node << (tables.nodes - 1);
    for_each_of_all(block, families.count, [&](u64 item) {
        const u64 place = first + families.places[item];
        tables.mantissas[place] = families.mantissas[item];
        tables.exponents[place] = families.exponents[item];
    });
}

// Adds up the numbers of all nodes along one bit of their sets, to the sets with it or without it.
ARCWISE_DEVICE void add_along_bit(const Block& block, const ModularTables& tables, u64 bit,
                                  bool to_larger) {
    const u64 half = u64{1} << (tables.nodes - 2);
    for_each_of_all(block, tables.nodes * half, [&](u64 item) {
        const u64 first = item / half << (tables.nodes - 1);
        const u64 without = first + with_gap(static_cast<u32>(item % half), static_cast<int>(bit));
        const u64 with = without + (u64{1} << bit);
        const u64 to = to_larger ? with : without;
        const u64 from = to_larger ? without : with;
        const Scaled sum = plus(Scaled{tables.mantissas[to], tables.exponents[to]},
                                Scaled{tables.mantissas[from], tables.exponents[from]});
        tables.mantissas[to] = sum.mantissa;
        tables.exponents[to] = sum.exponent;
    });
}

ARCWISE_DEVICE void fill_scales(const Block& block, const ModularTables& tables, u32 size,
                                u64 count) {
    for_each_of_all(block, count, [&](u64 rank) {
        const u32 set = set_of_rank(tables, size, rank);
        i32 best = set == 0 ? 0 : impossible_scale;
        for (u32 left = set; left != 0; left &= left - 1) {
            const int v = first_bit(left);
            const u32 before = set ^ (u32{1} << v);
            const u64 place = tables.place(v, before);
            if (tables.scales[before] == impossible_scale || tables.mantissas[place] == 0.0) {
                continue;
            }
            const i32 scale = tables.scales[before] + tables.exponents[place];
            if (best == impossible_scale || scale > best) best = scale;
        }
        tables.scales[set] = best;
    });
}

ARCWISE_DEVICE void divide_shares(const Block& block, const ModularTables& tables) {
    for_each_of_all(block, tables.nodes << (tables.nodes - 1), [&](u64 place) {
        const double alpha = tables.mantissas[place];
        const Scaled ratio =
            scaled(alpha == 0.0 ? 0.0 : tables.shares[place] / alpha, -tables.exponents[place]);
        tables.mantissas[place] = ratio.mantissa;
        tables.exponents[place] = ratio.exponent;
    });
}

ARCWISE_DEVICE void find_probabilities(const Block& block, const ModularTables& tables,
                                       const ListedFamilies& families) {
    const u64 first = families.node << (tables.nodes - 1);
    for_each_of_all(block, families.count, [&](u64 item) {
        const u64 place = first + families.places[item];
        const i32 exponent = families.exponents[item] + tables.exponents[place] + exponent_bias;
        families.probabilities[item] =
            families.mantissas[item] * tables.mantissas[place] * power_of_two(exponent);
    });
}

}  // namespace arcwise::kernels
