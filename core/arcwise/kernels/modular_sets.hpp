// B, and the shares of the modular posterior, by sums over the sets T outside a set U: a block
// takes one U, and products over T come from two tables and a few factors; see modular_tables.hpp.
#pragma once

#include "arcwise/kernels/modular_tables.hpp"

namespace arcwise::kernels {

constexpr int products_bits = 8;  // nodes of one table of products
constexpr u32 lanes = 1U << products_bits;
// Kinds of sums over lanes: of all terms, of their absolute values, of those with a middle node,
// and of those with a far one.
constexpr int absolute_kind = 1;
constexpr int middle_kind = 2;
constexpr int far_kind = middle_kind + products_bits;

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

}  // namespace arcwise::kernels
