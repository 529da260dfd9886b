// Sums over the subsets that have given members, by folding one member away after the other.
//
// Values are one number for each subset of some members, by its bits: the member at place i is bit
// i. All functions overwrite them.
#pragma once

#include <cstddef>

namespace arcwise {

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

}  // namespace arcwise
