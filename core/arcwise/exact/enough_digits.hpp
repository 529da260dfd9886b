// Runs the modular programme with as many digits as its alternating sums need.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "arcwise/exact/modular_programme.hpp"
#include "arcwise/exact/rounding.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

// Of H(V); both directions must give it. The score sums are doubles, whatever the other digits.
template <class Real>
double relative_error(const ModularProgramme<Real>& programme) {
    const Real on = programme.weight_on()[programme.everything()];
    const Real beyond = times_power_of_two(
        programme.weight_beyond()[0],
        programme.exponent_beyond(0) - programme.exponent_on(programme.everything()));
    if (!(on > Real{0}) || !(beyond > Real{0})) return 1.0;
    return std::max(programme.error(), static_cast<double>(std::abs(beyond / on - Real{1}))) +
           rounding_of_logs(programme.nodes(), programme.log_total());
}

inline std::string in_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1e", value);
    return text;
}

// Runs the programme in double, and in long double if the digits do not suffice; then calls
// use(programme), which may keep it.
template <class Use>
void with_enough_digits(const FamilyTable& weights, double tolerance, bool with_shares,
                        const RunOptions& options, Use use) {
    {
        ModularProgramme<double> programme(weights);
        programme.run(with_shares, options);
        if (relative_error(programme) <= tolerance) {
            use(std::move(programme));
            return;
        }
    }
    ModularProgramme<long double> programme(weights);
    programme.run(with_shares, options);
    if (const double error = relative_error(programme); !(error <= tolerance)) {
        throw Error(ErrorKind::numerical,
                    "The alternating sums of the modular programme have an error of up to " +
                        in_digits(error) + ", more than the tolerance " + in_digits(tolerance) +
                        "; allow more, or use the order-modular target or a sampler.");
    }
    use(std::move(programme));
}

}  // namespace arcwise
