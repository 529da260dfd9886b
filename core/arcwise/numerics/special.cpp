// Thin layer over the C library's log-gamma, plus what it lacks.
#include "arcwise/numerics/special.hpp"

#include <cmath>

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

double log_binomial(double n, double k) {
    return log_gamma(n + 1.0) - log_gamma(k + 1.0) - log_gamma(n - k + 1.0);
}

// The incomplete gamma function Q(a, t), a = degrees / 2 and t = x / 2: one less a power series
// below its bend at a, a continued fraction (by Lentz's method) above it.
double log_chi_squared_tail(double x, double degrees_of_freedom) {
    constexpr double enough = 1e-16;
    const double a = 0.5 * degrees_of_freedom;
    const double t = 0.5 * x;
    if (!(t > 0.0)) return 0.0;
    if (std::isinf(t)) return -t;
    const double log_front = a * std::log(t) - t - log_gamma(a);
    if (t < a + 1.0) {
        double term = 1.0 / a;
        double sum = term;
        for (double k = a + 1.0; term > enough * sum; k += 1.0) {
            term *= t / k;
            sum += term;
        }
        return std::log1p(-std::exp(log_front + std::log(sum)));
    }
    constexpr double tiny = 1e-300;
    double b = t + 1.0 - a;
    double c = 1.0 / tiny;
    double d = 1.0 / b;
    double fraction = d;
    for (double k = 1.0;; k += 1.0) {
        const double numerator = -k * (k - a);
        b += 2.0;
        d = numerator * d + b;
        if (std::abs(d) < tiny) d = tiny;
        c = b + numerator / c;
        if (std::abs(c) < tiny) c = tiny;
        d = 1.0 / d;
        const double step = d * c;
        fraction *= step;
        // A step may stay off 1 by a rounding or two however long the fraction gets.
        if (std::abs(step - 1.0) <= 10.0 * enough) break;
    }
    return log_front + std::log(fraction);
}

}  // namespace arcwise
