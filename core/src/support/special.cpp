// Thin layer over the C library's log-gamma, plus what it lacks.
#include "arcwise/support/special.hpp"

#include <cmath>
#include <numbers>

#if defined(__GLIBC__) || defined(__APPLE__)
// Hidden by strict ISO mode, present in the library all the same.
extern "C" double lgamma_r(double, int*) noexcept;
#endif

namespace arcwise {

double log_gamma(double x) {
#if defined(__GLIBC__) || defined(__APPLE__)
    int sign = 0;
    return lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

double log_multivariate_gamma(int dimension, double x) {
    double result = 0.25 * dimension * (dimension - 1) * std::log(std::numbers::pi);
    for (int j = 0; j < dimension; ++j) result += log_gamma(x - 0.5 * j);
    return result;
}

double log_binomial(double n, double k) {
    return log_gamma(n + 1.0) - log_gamma(k + 1.0) - log_gamma(n - k + 1.0);
}

}  // namespace arcwise
