// Exponentials, logarithms and log-gamma that have the same bits on all platforms.
#pragma once

#include "arcwise/kernels/platform.hpp"

namespace arcwise::kernels {

// e^x for x from -700 to 0, to one part in 10^13: the same bits on all platforms.
ARCWISE_DEVICE double exponential(double x) {
    const double bits = x * 1.4426950408889634;
    const i64 whole = static_cast<i64>(bits) - (bits < 0.0 ? 1 : 0);
    // From 0 to 1 of ln 2, less a half.
    const double rest = (x - static_cast<double>(whole) * 0.6931471803691238) -
                        static_cast<double>(whole) * 1.9082149292705877e-10 - 0.34657359027997264;
    double sum = 1.0 / 39916800.0;
    sum = sum * rest + 1.0 / 3628800.0;
    sum = sum * rest + 1.0 / 362880.0;
    sum = sum * rest + 1.0 / 40320.0;
    sum = sum * rest + 1.0 / 5040.0;
    sum = sum * rest + 1.0 / 720.0;
    sum = sum * rest + 1.0 / 120.0;
    sum = sum * rest + 1.0 / 24.0;
    sum = sum * rest + 1.0 / 6.0;
    sum = sum * rest + 0.5;
    sum = sum * rest + 1.0;
    sum = sum * rest + 1.0;
    return sum * 1.4142135623730951 * as_double(static_cast<u64>(whole + 1023) << 52);
}

// ln x for a positive normal number, to a few parts in 10^16 of 1 or of itself.
ARCWISE_DEVICE double logarithm(double x) {
    const u64 bits = as_bits(x);
    // The mantissa is from 1/sqrt 2 to sqrt 2.
    const u64 shifted = bits - 0x3FE6A09E667F3BCDULL;
    const double power = static_cast<double>(static_cast<i64>(shifted) >> 52);
    const double mantissa = as_double((shifted & ((u64{1} << 52) - 1)) + 0x3FE6A09E667F3BCDULL);
    // 2 artanh((m - 1) / (m + 1)); squares are below 0.0295.
    const double ratio = (mantissa - 1.0) / (mantissa + 1.0);
    const double square = ratio * ratio;
    double sum = 1.0 / 21.0;
    sum = sum * square + 1.0 / 19.0;
    sum = sum * square + 1.0 / 17.0;
    sum = sum * square + 1.0 / 15.0;
    sum = sum * square + 1.0 / 13.0;
    sum = sum * square + 1.0 / 11.0;
    sum = sum * square + 1.0 / 9.0;
    sum = sum * square + 1.0 / 7.0;
    sum = sum * square + 0.2;
    sum = sum * square + 1.0 / 3.0;
    const double rest = 2.0 * ratio + 2.0 * ratio * square * sum;
    return power * 0.6931471803691238 + (power * 1.9082149292705877e-10 + rest);
}

// ln Γ(x) for a positive normal number, to one part in 10^14 of 1 or of itself.
ARCWISE_DEVICE double log_gamma(double x) {
    // Stirling's series is good from 8 on; below, Γ(x) = Γ(x + k) / (x (x + 1) ... (x + k - 1)).
    double from = x;
    double product = 1.0;
    while (from < 8.0) {
        product *= from == x ? 1.0 : from;  // x itself may be so small that products lose digits
        from += 1.0;
    }
    const double inverse = 1.0 / from;
    const double square = inverse * inverse;
    double sum = -3617.0 / 122400.0;
    sum = sum * square + 1.0 / 156.0;
    sum = sum * square - 691.0 / 360360.0;
    sum = sum * square + 1.0 / 1188.0;
    sum = sum * square - 1.0 / 1680.0;
    sum = sum * square + 1.0 / 1260.0;
    sum = sum * square - 1.0 / 360.0;
    sum = sum * square + 1.0 / 12.0;
    const double whole =
        (from - 0.5) * logarithm(from) - from + (0.9189385332046728 + sum * inverse);
    return x < 8.0 ? whole - logarithm(product) - logarithm(x) : whole;
}

ARCWISE_DEVICE double minus_infinity() { return as_double(u64{0xFFF} << 52); }

// e^x for x up to 0, zero where it is too small.
ARCWISE_DEVICE double exponential_or_zero(double x) { return x < -700.0 ? 0.0 : exponential(x); }

// ln(e^a + e^b), of which one may be minus infinity.
ARCWISE_DEVICE double log_add(double a, double b) {
    const double more = a < b ? b : a;
    const double less = a < b ? a : b;
    if (less == minus_infinity()) return more;
    return more + logarithm(1.0 + exponential_or_zero(less - more));
}

}  // namespace arcwise::kernels
