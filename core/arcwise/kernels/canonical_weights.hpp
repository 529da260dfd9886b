// The weight of one node of an order all along the bridge from linear to canonical orders, and the
// targets made of such weights.
//
// A node is bound if a node with a larger number comes before it. With A its predecessors, E those
// before the last larger one, S(A) the summed weights of the families within A and
// R = S(A) - S(E) those of families that are not within E, a bound node weighs
// R + (1 - t) (S(A) - R), and any other S(A); see core/arcwise/spaces/orders/canonical_orders.hpp,
// which this follows, impossible nodes and the targets at other temperatures included.
//
// Weights are logarithms in whole units of 2^-32 nats, relative to the sum over all families of the
// node: those of orders are then exact whatever the path to them.
#pragma once

#include "arcwise/kernels/elementary.hpp"

namespace arcwise::kernels {

constexpr double weight_unit = 0x1p-32;

// Below this share of S(A) the difference S(A) - S(E) has too few digits, unless so much of the
// bridge is left that it does not matter.
constexpr double smallest_difference = 0x1p-18;
constexpr double safe_left = 0x1p-10;

// The weight of a node or an order; parts that have weight zero are counted, and have a finite
// number instead.
struct UnitWeight {
    i64 value;
    i64 zero_factors;
};

ARCWISE_DEVICE UnitWeight operator+(UnitWeight a, UnitWeight b) {
    return {a.value + b.value, a.zero_factors + b.zero_factors};
}
ARCWISE_DEVICE UnitWeight operator-(UnitWeight a, UnitWeight b) {
    return {a.value - b.value, a.zero_factors - b.zero_factors};
}

// The target e^(inverse value - penalty zero_factors), at a place of the bridge.
struct Target {
    double inverse;
    double penalty;
    double bridge;

    ARCWISE_DEVICE double log_density(UnitWeight weight) const {
        const double forbidden =
            weight.zero_factors == 0 ? 0.0 : penalty * static_cast<double>(weight.zero_factors);
        return inverse * (static_cast<double>(weight.value) * weight_unit) - forbidden;
    }
};

ARCWISE_DEVICE i64 in_weight_units(double nats) {
    const double units = nats * 4294967296.0;
    return static_cast<i64>(units < 0.0 ? units - 0.5 : units + 0.5);
}

// One node's tables over the sets of its candidates, less the log sum over all of them.
struct NodeTables {
    const double* log_sums;
    const double* log_families;
};

// ln of the summed weights of the families within a set that meet another, family by family.
ARCWISE_DEVICE double log_sum_meeting(const NodeTables& tables, u32 allowed, u32 recent) {
    double most = minus_infinity();
    for (u32 set = allowed; set != 0; set = (set - 1) & allowed) {
        if ((set & recent) != 0 && tables.log_families[set] > most) {
            most = tables.log_families[set];
        }
    }
    if (most == minus_infinity()) return most;
    double sum = 0.0;
    for (u32 set = allowed; set != 0; set = (set - 1) & allowed) {
        if ((set & recent) != 0) sum += exponential_or_zero(tables.log_families[set] - most);
    }
    return most + logarithm(sum);
}

// R / S(A) as a difference, for E other than A.
ARCWISE_DEVICE double share_met(double whole, double rest) {
    return rest == minus_infinity() ? 1.0 : 1.0 - exponential_or_zero(rest - whole);
}

// ln R; minus infinity if there is no such family.
ARCWISE_DEVICE double log_required(const NodeTables& tables, u32 allowed, u32 earlier) {
    const double whole = tables.log_sums[allowed];
    if (allowed == earlier || whole == minus_infinity()) return minus_infinity();
    const double met = share_met(whole, tables.log_sums[earlier]);
    if (met < smallest_difference) return log_sum_meeting(tables, allowed, allowed & ~earlier);
    return whole + logarithm(met);
}

// The weight of a node. With `rough` given, one that is not smaller where families would have to be
// added up, and it is said so.
ARCWISE_DEVICE UnitWeight weigh(const NodeTables& tables, u32 allowed, u32 earlier, bool bound,
                                double t, bool* rough = nullptr) {
    const double whole = tables.log_sums[allowed];
    if (whole == minus_infinity()) return {0, 1};
    if (!bound || t == 0.0) return {in_weight_units(whole), 0};
    const double left = 1.0 - t;
    double met = 0.0;
    if (allowed != earlier) {
        met = share_met(whole, tables.log_sums[earlier]);
        if (met < smallest_difference && left < safe_left) {
            if (rough != nullptr) {
                *rough = true;
                return {in_weight_units(whole + logarithm(left + t * (2.0 * smallest_difference))),
                        0};
            }
            const double required = log_sum_meeting(tables, allowed, allowed & ~earlier);
            if (left == 0.0) {
                if (required == minus_infinity()) return {in_weight_units(whole), 1};
                return {in_weight_units(required), 0};
            }
            return {in_weight_units(log_add(required + logarithm(t), whole + logarithm(left))), 0};
        }
    }
    const double share = left + t * met;
    if (share == 0.0) return {in_weight_units(whole), 1};
    return {in_weight_units(whole + logarithm(share)), 0};
}

}  // namespace arcwise::kernels
