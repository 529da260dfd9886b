// Rows of numbers, added up under a mask.
//
// Sums are taken in eight lanes and the lanes added in a fixed order, so that every vector unit
// gives the same bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "arcwise/numerics/lanes.hpp"

namespace arcwise {

struct alignas(64) LaneSums {
    double lane[lanes];
};

ARCWISE_INLINE double total(const LaneSums& sums) {
    const double* lane = sums.lane;
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

ARCWISE_INLINE void add_lanes(LaneSums& to, const LaneSums& from) {
    for (std::size_t i = 0; i < lanes; ++i) to.lane[i] += from.lane[i];
}

// row[i] if bit i is set, else zero. By its bits: a choice would be made by masked stores, which
// the loads that come next have to wait for.
ARCWISE_INLINE double chosen(const double* row, std::uint64_t bits, std::size_t i) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(row[i]) & (0 - (bits >> i & 1)));
}

// row[i] if bit i is set, else minus infinity.
ARCWISE_INLINE double chosen_or_minus_infinity(const double* row, std::uint64_t bits,
                                               std::size_t i) {
    constexpr std::uint64_t minus_infinity = 0xFFF0000000000000;
    const std::uint64_t mask = 0 - (bits >> i & 1);
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(row[i]) & mask) |
                                 (minus_infinity & ~mask));
}

// to[i] += row[i] for every bit i. Most rows are short, so eight numbers are read without asking,
// be it for no bit. (The pragmas keep these short loops from being unrolled before they can become
// vector code.)
ARCWISE_INLINE void add_row(double* to, const double* row, std::uint64_t bits) {
    do {
#pragma omp simd simdlen(8)
        for (std::size_t i = 0; i < lanes; ++i) to[i] += chosen(row, bits, i);
        bits >>= lanes;
        row += lanes;
        to += lanes;
    } while (bits != 0);
}

// The same, but eight apart into the same sum.
ARCWISE_INLINE void add_row(LaneSums& sums, const double* row, std::uint64_t bits) {
    do {
#pragma omp simd simdlen(8)
        for (std::size_t i = 0; i < lanes; ++i) sums.lane[i] += chosen(row, bits, i);
        bits >>= lanes;
        row += lanes;
    } while (bits != 0);
}

// to[i] += factor * row[i] for every bit i, and the same into `sums`.
ARCWISE_INLINE void add_row_times(double* to, LaneSums& sums, const double* row, std::uint64_t bits,
                                  double factor) {
    do {
#pragma omp simd simdlen(8)
        for (std::size_t i = 0; i < lanes; ++i) {
            const double each = factor * chosen(row, bits, i);
            to[i] += each;
            sums.lane[i] += each;
        }
        bits >>= lanes;
        row += lanes;
        to += lanes;
    } while (bits != 0);
}

}  // namespace arcwise
