// Products of two words and their remainders, against sums bit by bit.
#include "arcwise/support/wide_product.hpp"

#include <vector>

#include "arcwise/support/random.hpp"
#include "check.hpp"

using namespace arcwise;

namespace {

constexpr std::uint64_t ones = ~std::uint64_t{0};

// Words at the edges of what halves, carries and guessed digits have to do, and any others.
std::vector<std::uint64_t> words() {
    std::vector<std::uint64_t> result{0,          1,           2,           3,
                                      0xFFFFFFFF, 0x100000000, 0x100000001, ones,
                                      ones - 1,   ones << 32,  ones << 63,  0x7FFFFFFFFFFFFFFF};
    Random random(5, 1);
    for (int i = 0; i < 40; ++i) result.push_back(random.bits() >> random.below(64));
    return result;
}

// By shifts and sums alone.
WideProduct plain_product(std::uint64_t a, std::uint64_t b) {
    WideProduct sum{0, 0};
    for (int bit = 63; bit >= 0; --bit) {
        sum.high = sum.high << 1 | sum.low >> 63;
        sum.low <<= 1;
        if ((b >> bit & 1) == 0) continue;
        sum.low += a;
        if (sum.low < a) ++sum.high;
    }
    return sum;
}

std::uint64_t plain_sum_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t divisor) {
    return a >= divisor - b ? a - (divisor - b) : a + b;
}

std::uint64_t plain_product_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t divisor) {
    std::uint64_t result = 0;
    for (int bit = 63; bit >= 0; --bit) {
        result = plain_sum_modulo(result, result, divisor);
        if ((b >> bit & 1) != 0) result = plain_sum_modulo(result, a, divisor);
    }
    return result;
}

}  // namespace

TEST(products_of_two_words_are_complete) {
    for (const std::uint64_t a : words()) {
        for (const std::uint64_t b : words()) {
            const WideProduct product = wide_product(a, b);
            const WideProduct expected = plain_product(a, b);
            CHECK(product.high == expected.high && product.low == expected.low);
        }
    }
}

TEST(remainders_of_products_are_those_of_long_division) {
    for (const std::uint64_t divisor : words()) {
        if (divisor < 2) continue;
        for (const std::uint64_t a : words()) {
            for (const std::uint64_t b : words()) {
                const std::uint64_t remainder = a % divisor;
                CHECK(product_modulo(remainder, b, divisor) ==
                      plain_product_modulo(remainder, b, divisor));
            }
        }
    }
}
