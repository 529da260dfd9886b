// Non-negative numbers of nearly any size in 64 bits, and maxima of logarithms: the two semirings
// of the recursions over subsets.
//
// A `Wide` has 18 bits of exponent and 45 of mantissa: it is off by one part in 2^46, and goes from
// -90,000 to 90,000 nats. Numbers compare as their bits do; zero is no bits at all.
#pragma once

#include "arcwise/kernels/platform.hpp"

namespace arcwise::kernels {

struct Wide {
    static constexpr int mantissa_bits = 45;
    static constexpr int bias = 1 << 17;

    u64 bits;

    static ARCWISE_DEVICE Wide zero() { return {0}; }
    static ARCWISE_DEVICE Wide one() { return {u64{bias} << mantissa_bits}; }

    ARCWISE_DEVICE int exponent() const { return static_cast<int>(bits >> mantissa_bits) - bias; }
    // From 1 to 2, also of zero.
    ARCWISE_DEVICE double mantissa() const {
        return as_double((u64{1023} << 52) | ((bits << 19) >> 12));
    }

    // number 2^exponent, for a normal number; zero where that is too small.
    static ARCWISE_DEVICE Wide pack(double number, int exponent) {
        const u64 rounded = (as_bits(number) + 64) >> 7;
        const i64 shift = static_cast<i64>(exponent) - 1023 + bias;
        const i64 packed = static_cast<i64>(rounded) + shift * (i64{1} << mantissa_bits);
        return {packed < (i64{1} << mantissa_bits) ? u64{0} : static_cast<u64>(packed)};
    }
};

ARCWISE_DEVICE Wide plus(Wide a, Wide b) {
    const Wide more = a.bits < b.bits ? b : a;
    const Wide less = a.bits < b.bits ? a : b;
    const int apart = more.exponent() - less.exponent();
    if (less.bits == 0 || apart > 60) return more;
    const double scale = as_double(static_cast<u64>(1023 - apart) << 52);
    return Wide::pack(more.mantissa() + less.mantissa() * scale, more.exponent());
}

ARCWISE_DEVICE Wide times(Wide a, Wide b) {
    if (a.bits == 0 || b.bits == 0) return Wide::zero();
    return Wide::pack(a.mantissa() * b.mantissa(), a.exponent() + b.exponent());
}

// The number, at most about 1, in units of 2^-63.
ARCWISE_DEVICE u64 in_units(Wide a) {
    const int shift = a.exponent() + 63 - Wide::mantissa_bits;
    if (a.bits == 0 || shift < -Wide::mantissa_bits - 1) return 0;
    const u64 whole =
        (a.bits & ((u64{1} << Wide::mantissa_bits) - 1)) | (u64{1} << Wide::mantissa_bits);
    if (shift >= 0) return whole << shift;
    return (whole + (u64{1} << (-shift - 1))) >> -shift;
}

// A logarithm; sums are maxima, products are sums.
struct LogMaximum {
    double value;

    static ARCWISE_DEVICE LogMaximum zero() { return {as_double(u64{0xFFF} << 52)}; }
    static ARCWISE_DEVICE LogMaximum one() { return {0.0}; }
};

ARCWISE_DEVICE LogMaximum plus(LogMaximum a, LogMaximum b) { return a.value < b.value ? b : a; }
ARCWISE_DEVICE LogMaximum times(LogMaximum a, LogMaximum b) { return {a.value + b.value}; }

}  // namespace arcwise::kernels
