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

}  // namespace arcwise::kernels
