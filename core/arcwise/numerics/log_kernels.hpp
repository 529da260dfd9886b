// Exponentials and logarithms of single numbers, for loops that are to become vector code.
//
// The same to the last bit on every processor, unlike those of the standard library.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "arcwise/numerics/lanes.hpp"
#include "arcwise/numerics/log_space.hpp"

namespace arcwise {

constexpr double to_binary = 0x1.71547652b82fep+0;
constexpr double ln2 = 0x1.62e42fefa39efp-1;
constexpr double ln2_high = 0x1.62e42fefa3800p-1;  // trailing zeros: k * ln2_high is exact
constexpr double ln2_low = 0x1.ef35793c76730p-45;

// Adding it leaves an integer in the low bits of the sum.
constexpr double integer_in_low_bits = 0x1.8p52;

// e^-d is zero beyond this distance: far below half a unit in the last place of anything it could
// be added to, and just inside the range of exponents.
constexpr double farthest = 700.0;

template <std::size_t size>
ARCWISE_INLINE double horner(const double (&coefficients)[size], double x) {
    double result = coefficients[0];
    for (std::size_t i = 1; i < size; ++i) result = result * x + coefficients[i];
    return result;
}

// e^r for |r| <= ln 2 / 2, with a relative error below 5e-18, by falling powers.
constexpr double exp_near_zero[] = {0x1.af632a0f7e2cep-26,
                                    0x1.28b4101c77212p-22,
                                    0x1.71ddf56d8deb5p-19,
                                    0x1.a01991a10d9aep-16,
                                    0x1.a01a01b1461c5p-13,
                                    0x1.6c16c1880029fp-10,
                                    0x1.111111110f21ep-7,
                                    0x1.555555554f0bap-5,
                                    0x1.555555555555ap-3,
                                    0x1.0000000000011p-1,
                                    1.0,
                                    1.0};

// The same polynomial with a third of the operations that wait for each other: faster where there
// are few numbers to work at side by side.
ARCWISE_INLINE double estrin(const double (&c)[12], double x) {
    const double x2 = x * x;
    const double x4 = x2 * x2;
    const double high = (c[0] * x + c[1]) * x2 + (c[2] * x + c[3]);
    const double middle = (c[4] * x + c[5]) * x2 + (c[6] * x + c[7]);
    const double low = (c[8] * x + c[9]) * x2 + (c[10] * x + c[11]);
    return (high * x4 + middle) * x4 + low;
}

// e^-d for |d| <= 700: 2^k e^r with r in [-ln 2 / 2, ln 2 / 2].
ARCWISE_INLINE double exp_of_minus(double d) {
    const double x = -d;
    const double shifted = x * to_binary + integer_in_low_bits;
    const double k = shifted - integer_in_low_bits;
    const double r = (x - k * ln2_high) - k * ln2_low;
    const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    return horner(exp_near_zero, r) * std::bit_cast<double>(exponent);
}

// e^x for x <= 0, zero below -700, as a share in a sum that is at least 1: its error is a few units
// in the last place of 1, not of itself, which saves the second part of ln 2.
ARCWISE_INLINE double share_kernel(double x) {
    constexpr double biased = integer_in_low_bits + 1023.0;
    const double shifted = x * to_binary + biased;
    const double k = shifted - biased;
    const double r = x - k * ln2;
    const std::uint64_t exponent = std::bit_cast<std::uint64_t>(shifted) << 52;
    const double result = estrin(exp_near_zero, r) * std::bit_cast<double>(exponent);
    return x > -farthest ? result : 0.0;
}

// 2 artanh(s) = ln((1 + s) / (1 - s)) for |s| <= 1/3; relative error below 5e-17.
ARCWISE_INLINE double twice_artanh(double s) {
    constexpr double polynomial[] = {0x1.6c26693a7c095p-3, 0x1.94b79523b2fbbp-4,
                                     0x1.1659956da410fp-3, 0x1.3aa5e932d3628p-3,
                                     0x1.74628d4f43596p-3, 0x1.c71c47af989fdp-3,
                                     0x1.2492498161ca5p-2, 0x1.99999998ca58bp-2,
                                     0x1.5555555555aeep-1, 2.0};
    return s * horner(polynomial, s * s);
}

ARCWISE_INLINE double log_add_kernel(double a, double b) {
    const double high = a < b ? b : a;
    const double low = a < b ? a : b;
    const double gap = high - low;  // NaN if both are minus infinity: then `high` is the result
    const double y = exp_of_minus(gap < farthest ? gap : farthest);
    return high + twice_artanh(y / (y + 2.0));
}

ARCWISE_INLINE double scaled_exp_kernel(double x, double scale) {
    constexpr double highest = 600.0;
    const double gap = scale - x;
    const double from_highest = gap > -highest ? gap : -highest;
    const double result = exp_of_minus(gap < farthest ? from_highest : farthest);
    return gap < farthest ? result : 0.0;
}

// ln x for a normal x > 0: x = 2^k m with m in [1/sqrt 2, sqrt 2), ln m = 2 artanh((m-1) / (m+1)).
// `scale` is added before the small parts, so that a large one costs no digits where k ln 2 undoes
// it.
ARCWISE_INLINE double log_kernel(double x, double scale) {
    constexpr std::uint64_t root_half_bits = 0x3FE6A09E667F3BCD;  // 1/sqrt 2
    constexpr std::uint64_t exponent_mask = ~((std::uint64_t{1} << 52) - 1);
    constexpr std::uint64_t bias = 1024;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t exponent = (bits - root_half_bits) & exponent_mask;
    const double m = std::bit_cast<double>(bits - exponent);
    // Older vector units convert no 64-bit integers; adding the (biased, hence positive) exponent
    // to the bits of a large number does it for them.
    const std::uint64_t biased = (exponent + (bias << 52)) >> 52;
    const double k =
        std::bit_cast<double>(biased + std::bit_cast<std::uint64_t>(integer_in_low_bits)) -
        (integer_in_low_bits + static_cast<double>(bias));
    const double fraction = twice_artanh((m - 1.0) / (m + 1.0));
    return (scale + k * ln2_high) + (k * ln2_low + fraction);
}

// Sums kept relative to their largest term, as the recursions over down-sets have them.
//
// The weight of the best way to a set that has none: below any other, yet a number, so that
// differences are numbers too. The relative sum of such a set comes out as zero.
inline constexpr double impossible_weight = std::numeric_limits<double>::lowest();

// ln of e^best times the relative sum.
inline double relative_logarithm(double best, double sum) {
    return sum > 0.0 ? log_kernel(sum, best) : minus_infinity;
}

}  // namespace arcwise
