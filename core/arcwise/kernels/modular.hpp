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
constexpr int products_bits = 8;  // nodes of one table of products
constexpr u32 lanes = 1U << products_bits;
// Kinds of sums over lanes: of all terms, of their absolute values, of those with a middle node,
// and of those with a far one.
constexpr int absolute_kind = 1;
constexpr int middle_kind = 2;
constexpr int far_kind = middle_kind + products_bits;

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

// prod_T (-alpha_j(U)) for all T among some nodes, in the order of their bits.
struct Products {
    double* mantissas;
    i32* exponents;
    u32* sets;
};

ARCWISE_DEVICE void fill_products(const Block& block, const ModularTables& tables, u32 set,
                                  u32 nodes, const Products& products) {
    if (block.thread() == 0) {
        products.mantissas[0] = 1.0;
        products.exponents[0] = 0;
        products.sets[0] = 0;
    }
    block.sync();
    u32 filled = 1;
    for (u32 left = nodes; left != 0; left &= left - 1) {
        const int v = first_bit(left);
        const u64 place = tables.place(v, set);
        const double factor = -tables.mantissas[place];
        const i32 shift = tables.exponents[place];
        for_each(block, filled, [&](u32 i) {
            products.mantissas[filled + i] = products.mantissas[i] * factor;
            products.exponents[filled + i] = products.exponents[i] + shift;
            products.sets[filled + i] = products.sets[i] | (u32{1} << v);
        });
        block.sync();
        filled *= 2;
    }
}

// The lowest members of a set, as many as a table of products has.
ARCWISE_DEVICE u32 first_members(u32 set) {
    u32 rest = set;
    for (int i = 0; i < products_bits && rest != 0; ++i) rest &= rest - 1;
    return set ^ rest;
}

ARCWISE_DEVICE u32 size_of(u32 set) {
    u32 size = 0;
    for (; set != 0; set &= set - 1) ++size;
    return size;
}

// The nodes outside a set, by where their products come from.
struct Outside {
    u32 near;    // a lane for each set of these
    u32 middle;  // a turn of the loop for each
    u32 far;     // factors

    explicit ARCWISE_DEVICE Outside(u32 free) {
        near = first_members(free);
        middle = first_members(free ^ near);
        far = free ^ near ^ middle;
    }
};

// What the threads of a block share while they work at one set.
struct OneSet {
    Products near;
    Products middle;
    double* sums;  // [kind][lane], as many kinds as are needed

    explicit ARCWISE_DEVICE OneSet(void* memory) {
        double* doubles = static_cast<double*>(memory);
        near.mantissas = doubles;
        middle.mantissas = doubles + lanes;
        near.exponents = reinterpret_cast<i32*>(doubles + 2 * lanes);
        middle.exponents = near.exponents + lanes;
        near.sets = reinterpret_cast<u32*>(middle.exponents + lanes);
        middle.sets = near.sets + lanes;
        sums = doubles + 4 * lanes;
    }
};

// Sums of one kind over all lanes, halved again and again, whoever does it. The result is in the
// first lane.
ARCWISE_DEVICE void add_lanes(const Block& block, double* sums, u32 count) {
    for (u32 width = count / 2; width > 0; width /= 2) {
        for_each(block, width, [&](u32 lane) { sums[lane] += sums[lane + width]; });
        block.sync();
    }
}

// Calls use(T, term) for every T outside U with the near members of the lane's set, where term is
// prod_T (-alpha_j(U)) B(U + T), and turn(far members) after each set of far ones.
template <class Use, class Turn>
ARCWISE_DEVICE void for_each_term(const ModularTables& tables, u32 set, const Outside& outside,
                                  const OneSet& shared, u32 lane, Use use, Turn turn) {
    const u32 turns = u32{1} << size_of(outside.middle);
    const u32 with_near = set | shared.near.sets[lane];
    u32 far = 0;
    do {
        double mantissa = shared.near.mantissas[lane];
        i32 exponent = shared.near.exponents[lane] + tables.scales[set] + exponent_bias;
        for (u32 left = far; left != 0; left &= left - 1) {
            const u64 place = tables.place(first_bit(left), set);
            mantissa *= -tables.mantissas[place];
            exponent += tables.exponents[place];
        }
        for (u32 i = 0; i < turns; ++i) {
            const u32 larger = with_near | far | shared.middle.sets[i];
            const double unit =
                power_of_two(exponent + shared.middle.exponents[i] - tables.scales[larger]);
            use(i, larger, mantissa * shared.middle.mantissas[i] * (unit * tables.beyond[larger]));
        }
        turn(far);
        far = (far - outside.far) & outside.far;
    } while (far != 0);
}

// B of the sets of one size, all larger ones being there.
ARCWISE_DEVICE void fill_beyond(const Block& block, const ModularTables& tables, u32 size,
                                u64 count, void* memory) {
    const OneSet shared(memory);
    for (u64 rank = block.index(); rank < count; rank += block.blocks()) {
        const u32 set = set_of_rank(tables, size, rank);
        if (set == tables.everything()) {
            if (block.thread() == 0) tables.beyond[set] = 1.0;
            continue;
        }
        if (tables.scales[set] == impossible_scale) continue;
        const Outside outside(tables.everything() & ~set);
        fill_products(block, tables, set, outside.near, shared.near);
        fill_products(block, tables, set, outside.middle, shared.middle);
        const u32 used = u32{1} << size_of(outside.near);
        for_each(block, used, [&](u32 lane) {
            double sum = 0.0;
            // B(U) itself is zero yet, so that the empty T is no term.
            for_each_term(
                tables, set, outside, shared, lane, [&](u32, u32, double term) { sum += term; },
                [](u32) {});
            shared.sums[lane] = sum;
        });
        block.sync();
        add_lanes(block, shared.sums, used);
        if (block.thread() == 0) {
            const double sum = -shared.sums[0];
            tables.beyond[set] = sum < power_of_two(exponent_bias - 500) ? 0.0 : sum;
        }
        block.sync();
    }
}

// The shares of the sets of one size.
ARCWISE_DEVICE void fill_shares(const Block& block, const ModularTables& tables, u32 size,
                                u64 count, void* memory) {
    const OneSet shared(memory);
    for (u64 rank = block.index(); rank < count; rank += block.blocks()) {
        const u32 set = set_of_rank(tables, size, rank);
        const double weight = tables.on[set];
        block.sync();  // before it is overwritten
        if (tables.is_negligible(set, weight)) {
            if (block.thread() == 0) tables.on[set] = 0.0;
            continue;
        }
        const Outside outside(tables.everything() & ~set);
        fill_products(block, tables, set, outside.near, shared.near);
        fill_products(block, tables, set, outside.middle, shared.middle);
        const u32 used = u32{1} << size_of(outside.near);
        const int middle = static_cast<int>(size_of(outside.middle));
        const int far = static_cast<int>(size_of(outside.far));
        const double factor = -weight * tables.inverse_total;
        for_each(block, used, [&](u32 lane) {
            double* const own = shared.sums + lane;
            double all = 0.0;
            double sizes = 0.0;
            double turn_sum = 0.0;
            double by_middle[products_bits] = {};
            for (int i = 0; i < far; ++i) own[(far_kind + i) * lanes] = 0.0;
            for_each_term(
                tables, set, outside, shared, lane,
                [&](u32 turn, u32 larger, double product) {
                    if (larger == set) return;  // the empty T is no term
                    const double term = factor * product;
                    turn_sum += term;
                    sizes += term < 0.0 ? -term : term;
                    for (int i = 0; i < products_bits; ++i) {
                        if ((turn >> i & 1U) != 0) by_middle[i] += term;
                    }
                },
                [&](u32 far_set) {
                    int i = 0;
                    for (u32 left = outside.far; left != 0; left &= left - 1, ++i) {
                        if ((far_set & left & (~left + 1)) != 0) {
                            own[(far_kind + i) * lanes] += turn_sum;
                        }
                    }
                    all += turn_sum;
                    turn_sum = 0.0;
                });
            own[0] = all;
            own[absolute_kind * lanes] = sizes;
            for (int i = 0; i < middle; ++i) own[(middle_kind + i) * lanes] = by_middle[i];
        });
        block.sync();
        // Those of near nodes are sums over the lanes that have them.
        for_each(block, size_of(outside.near), [&](u32 bit) {
            double sum = 0.0;
            for (u32 lane = 0; lane < used; ++lane) {
                if ((lane >> bit & 1U) != 0) sum += shared.sums[lane];
            }
            const int v = first_bit(shared.near.sets[u32{1} << bit]);
            tables.shares[tables.place(v, set)] = sum;
        });
        for (int kind = absolute_kind; kind < far_kind + far; ++kind) {
            if (kind >= middle_kind + middle && kind < far_kind) continue;
            add_lanes(block, shared.sums + kind * lanes, used);
        }
        if (block.thread() == 0) {
            tables.on[set] =
                shared.sums[absolute_kind * lanes] * shared.sums[absolute_kind * lanes];
            int kind = middle_kind;
            for (u32 left = outside.middle; left != 0; left &= left - 1, ++kind) {
                tables.shares[tables.place(first_bit(left), set)] = shared.sums[kind * lanes];
            }
            kind = far_kind;
            for (u32 left = outside.far; left != 0; left &= left - 1, ++kind) {
                tables.shares[tables.place(first_bit(left), set)] = shared.sums[kind * lanes];
            }
        }
        block.sync();
    }
}

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

#if defined(__CUDACC__)
extern "C" {
__global__ void place_modular_families(const arcwise::kernels::ModularTables* tables,
                                       const arcwise::kernels::ListedFamilies* families) {
    arcwise::kernels::place_families(arcwise::kernels::Block{}, *tables, *families);
}

__global__ void add_modular_sums(const arcwise::kernels::ModularTables* tables,
                                 unsigned long long bit, unsigned long long to_larger) {
    arcwise::kernels::add_along_bit(arcwise::kernels::Block{}, *tables, bit, to_larger != 0);
}

__global__ void fill_modular_scales(const arcwise::kernels::ModularTables* tables,
                                    unsigned long long size, unsigned long long count) {
    const auto own = *tables;
    arcwise::kernels::fill_scales(arcwise::kernels::Block{}, own, static_cast<unsigned int>(size),
                                  count);
}

__global__ void fill_modular_beyond(const arcwise::kernels::ModularTables* tables,
                                    unsigned long long size, unsigned long long count) {
    extern __shared__ double memory[];
    const auto own = *tables;
    arcwise::kernels::fill_beyond(arcwise::kernels::Block{}, own, static_cast<unsigned int>(size),
                                  count, memory);
}

__global__ void fill_modular_on(const arcwise::kernels::ModularTables* tables,
                                const unsigned int* high_sets, unsigned long long count) {
    extern __shared__ double memory[];
    const auto own = *tables;
    arcwise::kernels::fill_on(arcwise::kernels::Block{}, own, high_sets, count, memory);
}

__global__ void fill_modular_shares(const arcwise::kernels::ModularTables* tables,
                                    unsigned long long size, unsigned long long count) {
    extern __shared__ double memory[];
    const auto own = *tables;
    arcwise::kernels::fill_shares(arcwise::kernels::Block{}, own, static_cast<unsigned int>(size),
                                  count, memory);
}

__global__ void divide_modular_shares(const arcwise::kernels::ModularTables* tables) {
    arcwise::kernels::divide_shares(arcwise::kernels::Block{}, *tables);
}

__global__ void find_modular_probabilities(const arcwise::kernels::ModularTables* tables,
                                           const arcwise::kernels::ListedFamilies* families) {
    arcwise::kernels::find_probabilities(arcwise::kernels::Block{}, *tables, *families);
}
}
#endif
