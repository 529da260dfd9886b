// Log-space arithmetic against the long double functions of the C library.
#include "arcwise/numerics/log_space.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

double exact_log_add(double a, double b) {
    const long double high = std::max(a, b);
    const long double low = std::min(a, b);
    return static_cast<double>(high + std::log1p(std::exp(low - high)));
}

// A few units in the last place of a number of this size.
double rounding(double x) { return 4e-16 * std::abs(x) + 4e-16; }

}  // namespace

TEST(log_add_is_right_at_every_distance) {
    Random random(1, 0);
    for (int i = 0; i < 20'000; ++i) {
        const double a = -20'000.0 * random.uniform() * random.uniform();
        const double gap = std::pow(10.0, 6.0 * random.uniform() - 3.0);
        const double expected = exact_log_add(a, a - gap);
        CHECK_CLOSE(log_add(a, a - gap), expected, rounding(expected));
        CHECK(log_add(a - gap, a) == log_add(a, a - gap));
    }
    for (const double a : {0.0, 1.0, -700.0, 12'345.678, -1e6}) {
        CHECK_CLOSE(log_add(a, a), a + std::log(2.0), rounding(a));
    }
}

TEST(minus_infinity_is_the_zero_of_log_add) {
    CHECK(log_add(minus_infinity, minus_infinity) == minus_infinity);
    for (const double a : {0.0, -3.25, 5000.0, -5000.0}) {
        // Not to the bit at a = 0: what cannot matter is added as e^-700.
        CHECK_CLOSE(log_add(a, minus_infinity), a, 1e-300);
        CHECK_CLOSE(log_add(minus_infinity, a), a, 1e-300);
        CHECK_CLOSE(log_add(a, a - 1000.0), a, 1e-300);
    }
}

TEST(many_sums_at_once_are_the_same_to_the_last_bit) {
    Random random(2, 0);
    for (const std::size_t count : {0, 1, 3, 7, 8, 9, 64, 1001}) {
        std::vector<double> to(count);
        std::vector<double> from(count);
        std::vector<double> expected(count);
        for (std::size_t i = 0; i < count; ++i) {
            to[i] = log_weight(random, 800.0, 0.1);
            from[i] = log_weight(random, 800.0, 0.1);
            expected[i] = log_add(to[i], from[i]);
        }
        log_add_into(to.data(), from.data(), count);
        CHECK(to == expected);
    }
}

// Compilers differ in where they begin the lanes of a maximum.
TEST(the_largest_of_products_that_are_all_zero_is_the_logarithm_of_zero) {
    for (std::size_t count : {0, 1, 8, 37}) {
        const std::vector<double> zeros(count, minus_infinity);
        const std::vector<double> ones(count, 0.0);
        CHECK(largest_product(zeros.data(), ones.data(), count) == minus_infinity);
    }
}

TEST(scaled_exponentials_keep_to_their_window) {
    Random random(3, 0);
    std::vector<double> from{-5000.0, -5699.0, -5701.0, 0.0, minus_infinity};
    for (int i = 0; i < 1000; ++i) from.push_back(-4400.0 - 1300.0 * random.uniform());
    std::vector<double> to(from.size());
    scaled_exp(to.data(), from.data(), -5000.0, from.size());
    CHECK(to[0] == 1.0);
    CHECK(to[1] > 0.0);
    CHECK(to[2] == 0.0);
    CHECK_CLOSE(to[3] / std::exp(600.0), 1.0, 1e-12);
    CHECK(to[4] == 0.0);
    for (std::size_t i = 5; i < from.size(); ++i) {
        const double expected = static_cast<double>(std::exp(5000.0L + from[i]));
        CHECK_CLOSE(to[i], expected, 4e-16 * expected);
    }
}

TEST(scaled_logarithms_fill_only_what_is_empty) {
    const double smallest = 0x1p-500;
    std::vector<double> from{1.0, 0.0, 0x1p-501, 0x1p-500, 3.0};
    std::vector<double> to{minus_infinity, minus_infinity, minus_infinity, minus_infinity, -8.0};
    Random random(4, 0);
    for (int i = 0; i < 1000; ++i) {
        from.push_back(std::exp2(1000.0 * random.uniform() - 490.0));
        to.push_back(minus_infinity);
    }
    fill_with_scaled_log(to.data(), from.data(), 100.0, smallest, from.size());
    CHECK(to[0] == 100.0);
    CHECK(to[1] == minus_infinity);
    CHECK(to[2] == minus_infinity);
    CHECK_CLOSE(to[3], 100.0 - 500.0 * std::log(2.0), 1e-13);
    CHECK(to[4] == -8.0);
    for (std::size_t i = 5; i < from.size(); ++i) {
        const double expected =
            static_cast<double>(100.0L + std::log(static_cast<long double>(from[i])));
        CHECK_CLOSE(to[i], expected, rounding(500.0));
    }
}
