// Gamma functions against values known in closed form.
#include "arcwise/support/special.hpp"

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

TEST(multivariate_gamma_by_its_recurrence) {
    // Γ_p(x) = π^((p-1)/2) Γ(x) Γ_{p-1}(x - 1/2)
    CHECK_CLOSE(log_multivariate_gamma(0, 2.5), 0.0, 0.0);
    for (int p = 1; p <= 20; ++p) {
        const double x = 0.5 * p + 1.3;
        CHECK_CLOSE(log_multivariate_gamma(p, x),
                    0.5 * (p - 1) * std::log(std::numbers::pi) + log_gamma(x) +
                        log_multivariate_gamma(p - 1, x - 0.5),
                    1e-12 * (1.0 + p * p));
    }
}
