// Counter-based random numbers of 32 bits: a draw is a function of (seed, stream, position).
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
// (2011).
#pragma once

#include "arcwise/kernels/platform.hpp"

namespace arcwise::kernels {

struct FourWords {
    u32 a, b, c, d;
};

ARCWISE_DEVICE FourWords philox(u64 seed, u64 stream, u64 position) {
    u32 a = static_cast<u32>(position);
    u32 b = static_cast<u32>(position >> 32);
    u32 c = static_cast<u32>(stream);
    u32 d = static_cast<u32>(stream >> 32);
    u32 key = static_cast<u32>(seed);
    u32 other_key = static_cast<u32>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const u32 high_a = high_product(0xD2511F53U, a);
        const u32 high_c = high_product(0xCD9E8D57U, c);
        const u32 low_a = 0xD2511F53U * a;
        const u32 low_c = 0xCD9E8D57U * c;
        a = high_c ^ b ^ key;
        b = low_c;
        c = high_a ^ d ^ other_key;
        d = low_a;
        key += 0x9E3779B9U;
        other_key += 0xBB67AE85U;
    }
    return {a, b, c, d};
}

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

}  // namespace arcwise::kernels
