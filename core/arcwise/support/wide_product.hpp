// Products of two words in full, and their remainders.
#pragma once

#include <bit>
#include <cstdint>

#include "arcwise/support/compiler.hpp"

namespace arcwise {

// high * 2^64 + low.
struct WideProduct {
    std::uint64_t high;
    std::uint64_t low;
};

#if ARCWISE_GNU && defined(__SIZEOF_INT128__)

ARCWISE_INLINE WideProduct wide_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

// a * b modulo `divisor`, of which a is a remainder.
ARCWISE_INLINE std::uint64_t product_modulo(std::uint64_t a, std::uint64_t b,
                                            std::uint64_t divisor) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % divisor);
}

#else

// By halves, as on paper: none of the sums of three can overflow.
inline WideProduct wide_product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t half = 0xFFFFFFFF;
    const std::uint64_t lowest = (a & half) * (b & half);
    const std::uint64_t middle = (a >> 32) * (b & half) + (lowest >> 32);
    const std::uint64_t other = (a & half) * (b >> 32) + (middle & half);
    return {(a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32), other << 32 | (lowest & half)};
}

// `high` * 2^32 + `low` modulo a divisor with its highest bit set, where high < divisor and
// low < 2^32: one digit of a long division. The digit guessed from the upper half of the divisor is
// never too small, and at most two too large.
inline std::uint64_t digit_modulo(std::uint64_t high, std::uint64_t low, std::uint64_t divisor) {
    const std::uint64_t upper = divisor >> 32;
    const std::uint64_t lower = divisor & 0xFFFFFFFF;
    std::uint64_t digit = high / upper;
    std::uint64_t rest = high % upper;
    while (digit >> 32 != 0 || digit * lower > (rest << 32 | low)) {
        --digit;
        rest += upper;
        if (rest >> 32 != 0) break;
    }
    return (high << 32 | low) - digit * divisor;  // what overflows is the same in both
}

// a * b modulo `divisor`, of which a is a remainder.
inline std::uint64_t product_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t divisor) {
    // Shifted until the divisor has its highest bit; so is the remainder, then. As a < divisor, the
    // high word is less than the divisor, too.
    const int shift = std::countl_zero(divisor);
    const WideProduct product = wide_product(a << shift, b);
    const std::uint64_t scaled = divisor << shift;
    const std::uint64_t rest = digit_modulo(product.high, product.low >> 32, scaled);
    return digit_modulo(rest, product.low & 0xFFFFFFFF, scaled) >> shift;
}

#endif

}  // namespace arcwise
