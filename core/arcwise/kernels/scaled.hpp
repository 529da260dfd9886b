// Numbers of any size with all digits of a double: a mantissa and a power of two.
//
// Alternating sums lose digits, so that the 45 bits of a `Wide` are too few for them.
#pragma once

#include "arcwise/kernels/platform.hpp"

namespace arcwise::kernels {

constexpr i32 exponent_bias = 1023;

// 2^(biased - 1023); zero below 2^-500, where nothing shows and products would become subnormal.
ARCWISE_DEVICE double power_of_two(i32 biased) {
    return biased < exponent_bias - 500 ? 0.0 : as_double(static_cast<u64>(biased) << 52);
}

// mantissa 2^exponent, with 1 <= |mantissa| < 2, or zero.
struct Scaled {
    double mantissa;
    i32 exponent;
};

ARCWISE_DEVICE Scaled scaled(double number, i32 exponent) {
    if (number == 0.0) return {0.0, 0};
    const u64 bits = as_bits(number);
    const i32 own = static_cast<i32>((bits >> 52) & 0x7FF) - exponent_bias;
    const u64 rest = bits & ~(u64{0x7FF} << 52);
    return {as_double(rest | (u64{exponent_bias} << 52)), exponent + own};
}

ARCWISE_DEVICE Scaled plus(Scaled a, Scaled b) {
    if (a.mantissa == 0.0) return b;
    if (b.mantissa == 0.0) return a;
    const bool first = a.exponent >= b.exponent;
    const Scaled more = first ? a : b;
    const Scaled less = first ? b : a;
    const i32 apart = more.exponent - less.exponent;
    if (apart > 200) return more;
    return scaled(more.mantissa + less.mantissa * power_of_two(exponent_bias - apart),
                  more.exponent);
}

}  // namespace arcwise::kernels
