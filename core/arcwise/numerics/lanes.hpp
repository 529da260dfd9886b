// Loops the compiler turns into vector code, in one version per instruction set.
//
// Kernels are inline functions of single numbers without branches or library calls, so that their
// loops vectorise; products are never fused with sums (-ffp-contract=off), so all versions give the
// same bits.
#pragma once

#include <cstddef>

// Compiles a function once per instruction set; the best one is chosen at run time.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(ARCWISE_SANITIZE)
#define ARCWISE_VECTOR_VERSIONS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define ARCWISE_VECTOR_VERSIONS
#endif

// Kernels must become part of the version they are used in.
#define ARCWISE_INLINE __attribute__((always_inline)) inline
#define ARCWISE_INLINE_LAMBDA __attribute__((always_inline))

namespace arcwise {

constexpr std::size_t lanes = 8;

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

}  // namespace arcwise
