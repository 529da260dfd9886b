// Loops the compiler turns into vector code, in one version per instruction set.
//
// Kernels are inline functions of single numbers without branches or library calls, so that their
// loops vectorise; products are never fused with sums (-ffp-contract=off), so all versions give the
// same bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "arcwise/support/compiler.hpp"

#define ARCWISE_VECTOR_VERSIONS ARCWISE_VERSIONS("avx2", "avx512f")

namespace arcwise {

constexpr std::size_t lanes = 8;

// The extreme that `omp simd reduction(max)` or `(min)` found, infinite where there was none:
// compilers may begin their lanes at the outermost finite number (clang does; gcc takes infinity),
// and loops that wait for minus infinity would not end.
ARCWISE_INLINE double reduced_extreme(double found) {
    constexpr double outermost = std::numeric_limits<double>::max();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (found == -outermost) return -infinity;
    return found == outermost ? infinity : found;
}

// to[i] = kernel(to[i], from[i]).
template <class Kernel>
ARCWISE_INLINE void combine_into(double* __restrict to, const double* __restrict from,
                                 std::size_t count, Kernel kernel) {
    for (std::size_t i = 0; i < count; ++i) to[i] = kernel(to[i], from[i]);
}

// The transform over the first three elements of 64 entries: eight blocks of eight, transposed so
// that neighbours in memory are neighbours in a vector.
template <class Kernel>
ARCWISE_INLINE void combine_in_tile(double* tile, Kernel kernel) {
    double columns[lanes][lanes];
    for (std::size_t i = 0; i < lanes; ++i) {
        for (std::size_t j = 0; j < lanes; ++j) columns[j][i] = tile[i * lanes + j];
    }
    for (std::size_t bit = 1; bit < lanes; bit <<= 1) {
        for (std::size_t j = 0; j < lanes; ++j) {
            if ((j & bit) != 0) combine_into(columns[j], columns[j ^ bit], lanes, kernel);
        }
    }
    for (std::size_t i = 0; i < lanes; ++i) {
        for (std::size_t j = 0; j < lanes; ++j) tile[i * lanes + j] = columns[j][i];
    }
}

// The transform over all subsets, table[U] = kernel over S within U of table[S], level by level.
template <class Kernel>
ARCWISE_INLINE void over_subsets_by_level(double* table, int elements, Kernel kernel) {
    const std::size_t count = std::size_t{1} << elements;
    std::size_t half = 1;
    if (count >= lanes * lanes) {
        for (std::size_t i = 0; i < count; i += lanes * lanes) combine_in_tile(table + i, kernel);
        half = lanes;
    }
    for (; half < count; half *= 2) {
        for (std::size_t i = 0; i < count; i += 2 * half) {
            combine_into(table + i + half, table + i, half, kernel);
        }
    }
}

// Rows of numbers, added up under a mask.
//
// Sums are taken in eight lanes and the lanes added in a fixed order, so that every vector unit
// gives the same bits.
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
    constexpr std::uint64_t infinite = 0xFFF0000000000000;
    const std::uint64_t mask = 0 - (bits >> i & 1);
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(row[i]) & mask) |
                                 (infinite & ~mask));
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
