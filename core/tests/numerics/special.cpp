// Gamma functions and tails against values known in closed form.
#include "arcwise/numerics/special.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "check.hpp"

using namespace arcwise;

TEST(log_gamma_of_whole_and_half_numbers) {
    double factorial = 0.0;
    double half = 0.5 * std::log(std::numbers::pi);
    for (int n = 1; n <= 100; ++n) {
        CHECK_CLOSE(log_gamma(n), factorial, 1e-13 * (1.0 + factorial));
        CHECK_CLOSE(log_gamma(n - 0.5), half, 1e-13 * (1.0 + factorial));
        factorial += std::log(n);
        half += std::log(n - 0.5);
    }
}

TEST(chi_squared_tail_of_even_degrees_is_a_sum_of_poisson_probabilities) {
    for (const int half : {1, 2, 5, 40, 300}) {
        for (const double x : {1e-6, 0.3, 2.0, 11.0, 80.0, 500.0, 3000.0}) {
            // exp(-x/2) times the sum of (x/2)^k / k! over k < half, from the largest term on
            const double t = 0.5 * x;
            long double sum = 0.0L;
            long double largest = -1e300L;
            for (int k = 0; k < half; ++k) {
                largest = std::max(largest, k * std::log(static_cast<long double>(t)) -
                                                std::lgamma(static_cast<long double>(k) + 1.0L));
            }
            for (int k = 0; k < half; ++k) {
                sum += std::exp(k * std::log(static_cast<long double>(t)) -
                                std::lgamma(static_cast<long double>(k) + 1.0L) - largest);
            }
            const double expected = static_cast<double>(largest + std::log(sum) - t);
            CHECK_CLOSE(log_chi_squared_tail(x, 2.0 * half), expected,
                        1e-12 * (1.0 + std::abs(expected)));
        }
    }
}

TEST(chi_squared_tail_of_one_degree_is_that_of_a_normal_number) {
    for (const double z : {1e-4, 0.1, 0.7, 1.0, 1.96, 5.0, 20.0}) {
        CHECK_CLOSE(log_chi_squared_tail(z * z, 1.0), std::log(std::erfc(z / std::sqrt(2.0))),
                    1e-11 * (1.0 + z * z));
    }
    CHECK(log_chi_squared_tail(0.0, 3.0) == 0.0);
    CHECK(log_chi_squared_tail(-1e-12, 3.0) == 0.0);
    // ln of 2 phi(z) / z (1 - 1/z^2 + ...) where the tail itself is below the smallest double
    const double z = 100.0;
    CHECK_CLOSE(log_chi_squared_tail(z * z, 1.0),
                std::log(2.0) - 0.5 * z * z - 0.5 * std::log(2.0 * std::numbers::pi) - std::log(z) +
                    std::log1p(-1.0 / (z * z) + 3.0 / (z * z * z * z)),
                1e-9);
}
