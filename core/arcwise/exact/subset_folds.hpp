// Sums over the subsets that contain given nodes, by folding one node away after the other.
//
// Values are one number for each subset of `nodes`, in the order of their bits squeezed together.
// All functions overwrite them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace arcwise {

// The sum of `size` values, a power of two, added pairwise.
template <class Real>
Real spend_sum(Real* values, std::size_t size) {
    for (std::size_t half = size / 2; half > 0; half /= 2) {
        for (std::size_t i = 0; i < half; ++i) values[i] += values[half + i];
    }
    return values[0];
}

// Calls use(v, below, with_v, size) for the nodes from the highest to the lowest: with_v[W], for
// the subsets W of the nodes `below` v, is the sum over the subsets that have v and, below v, just
// W. It may be overwritten. Returns the sum of all values.
template <class Real, class Use>
Real fold_nodes(Real* values, std::uint32_t nodes, Use use) {
    std::size_t half = (std::size_t{1} << std::popcount(nodes)) / 2;
    for (std::uint32_t below = nodes; below != 0; half /= 2) {
        const int v = 31 - std::countl_zero(below);
        below ^= std::uint32_t{1} << v;
        for (std::size_t i = 0; i < half; ++i) values[i] += values[half + i];
        use(v, below, values + half, half);
    }
    return values[0];
}

}  // namespace arcwise
