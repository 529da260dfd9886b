// Subsets of nodes as bits: how to go through them, their places in tables that leave one node out,
// and sums over those with given members.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "arcwise/support/bits.hpp"

namespace arcwise {

// The subset of `free` after `subset`; the empty one after the last.
inline std::uint32_t next_subset(std::uint32_t subset, std::uint32_t free) {
    return (subset - free) & free;
}

// The place of a set in a table over the sets without the node, and back.
inline std::size_t place_without(int node, std::uint32_t set) { return squeeze_bit(set, node); }
inline std::uint32_t set_without(int node, std::size_t place) {
    return insert_bit(static_cast<std::uint32_t>(place), node);
}

// The sums below fold one member away after the other. Values are one number for each subset of
// some members, by its bits: the member at place i is bit i. They are overwritten.

// The sum of `size` values, a power of two, added pairwise.
template <class Real>
Real spend_sum(Real* values, std::size_t size) {
    for (std::size_t half = size / 2; half > 0; half /= 2) {
        for (std::size_t i = 0; i < half; ++i) values[i] += values[half + i];
    }
    return values[0];
}

// Calls use(place, with_it, size) for the places from the highest to the lowest: with_it[W], for
// the subsets W of the places below, is the sum over the subsets that have the place and, below it,
// just W. It may be overwritten. Returns the sum of all values.
template <class Real, class Use>
Real fold_places(Real* values, int places, Use use) {
    for (int place = places; place-- > 0;) {
        const std::size_t half = std::size_t{1} << place;
        for (std::size_t i = 0; i < half; ++i) values[i] += values[half + i];
        use(place, values + half, half);
    }
    return values[0];
}

// What keeping sums as logarithms costs the exact computations.

// Estimate of the absolute error in a probability. Each node brings exponentials of numbers up to
// 600, which are off by as much as these are rounded; the log sums that count add up to the log of
// the whole, relative to the heaviest families, and are rounded in proportion.
inline double rounding_of_logs(int nodes, double log_total) {
    return std::numeric_limits<double>::epsilon() * (512.0 * nodes + std::abs(log_total));
}

}  // namespace arcwise
