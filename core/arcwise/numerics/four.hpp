// Four numbers side by side: a vector of the compiler where it has them, else an array, with the
// same arithmetic lane by lane and so with the same bits.
//
// Vectors go by reference everywhere: how they are passed by value depends on the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "arcwise/support/compiler.hpp"

#if !ARCWISE_GNU
#include <bit>
#include <limits>
#endif

namespace arcwise {

#if ARCWISE_GNU

using Four = double __attribute__((vector_size(32)));
using FourWords = std::int64_t __attribute__((vector_size(32)));
using FourInMemory = double __attribute__((vector_size(32), aligned(8), may_alias));

ARCWISE_INLINE void load(Four& to, const double* from) {
    to = *reinterpret_cast<const FourInMemory*>(from);
}
ARCWISE_INLINE void store(double* to, const Four& from) {
    *reinterpret_cast<FourInMemory*>(to) = from;
}

// The larger of both in every lane.
ARCWISE_INLINE void raise_to(Four& value, const Four& other) {
    value = value < other ? other : value;
}

// Lanes 0 to 3 are those of a, 4 to 7 those of b.
template <int First, int Second, int Third, int Fourth>
ARCWISE_INLINE void pick(Four& to, const Four& a, const Four& b) {
    to = __builtin_shufflevector(a, b, First, Second, Third, Fourth);
}

ARCWISE_INLINE void add_absolute(Four& to, const Four& from) {
    to += (Four)((FourWords)from & INT64_MAX);
}

// to[i] = factor * 2^(exponents[i] + row - scales[i]), with biased exponents; zero if the sum is
// below `lowest`.
ARCWISE_INLINE void load_powers(Four& to, double factor, const std::int64_t* exponents,
                                std::int64_t row, const std::int64_t* scales, std::int64_t lowest) {
    FourWords exponent;
    FourWords scale;
    std::memcpy(&exponent, exponents, sizeof exponent);
    std::memcpy(&scale, scales, sizeof scale);
    exponent += row - scale;
    exponent &= exponent >= lowest;
    to = factor * (Four)(exponent << 52);
}

#else

struct Four {
    double lane[4];

    ARCWISE_INLINE double& operator[](std::size_t i) { return lane[i]; }
    ARCWISE_INLINE double operator[](std::size_t i) const { return lane[i]; }
    ARCWISE_INLINE Four& operator+=(const Four& other) {
        for (std::size_t i = 0; i < 4; ++i) lane[i] += other.lane[i];
        return *this;
    }
    ARCWISE_INLINE Four& operator-=(const Four& other) {
        for (std::size_t i = 0; i < 4; ++i) lane[i] -= other.lane[i];
        return *this;
    }
    ARCWISE_INLINE Four& operator*=(const Four& other) {
        for (std::size_t i = 0; i < 4; ++i) lane[i] *= other.lane[i];
        return *this;
    }
    friend Four operator+(Four a, const Four& b) { return a += b; }
    friend Four operator-(Four a, const Four& b) { return a -= b; }
    friend Four operator*(Four a, const Four& b) { return a *= b; }
};

ARCWISE_INLINE void load(Four& to, const double* from) { std::memcpy(to.lane, from, sizeof to); }
ARCWISE_INLINE void store(double* to, const Four& from) { std::memcpy(to, from.lane, sizeof from); }

ARCWISE_INLINE void raise_to(Four& value, const Four& other) {
    for (std::size_t i = 0; i < 4; ++i) value[i] = value[i] < other[i] ? other[i] : value[i];
}

template <int First, int Second, int Third, int Fourth>
ARCWISE_INLINE void pick(Four& to, const Four& a, const Four& b) {
    const auto lane = [&](int from) {
        return from < 4 ? a[static_cast<std::size_t>(from)] : b[static_cast<std::size_t>(from - 4)];
    };
    to = {lane(First), lane(Second), lane(Third), lane(Fourth)};
}

ARCWISE_INLINE void add_absolute(Four& to, const Four& from) {
    constexpr std::int64_t all_but_sign = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < 4; ++i) {
        to[i] += std::bit_cast<double>(std::bit_cast<std::int64_t>(from[i]) & all_but_sign);
    }
}

ARCWISE_INLINE void load_powers(Four& to, double factor, const std::int64_t* exponents,
                                std::int64_t row, const std::int64_t* scales, std::int64_t lowest) {
    for (std::size_t i = 0; i < 4; ++i) {
        const std::int64_t exponent = exponents[i] + row - scales[i];
        to[i] = factor * std::bit_cast<double>(exponent < lowest ? 0 : exponent << 52);
    }
}

#endif

}  // namespace arcwise
