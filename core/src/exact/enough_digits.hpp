// Runs the modular programme with as many digits as its alternating sums need.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "arcwise/exact/modular_programme.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

// Of H(V); both directions must give it.
template <class Real>
double relative_error(const ModularProgramme<Real>& programme) {
    const Real on = programme.weight_on()[programme.everything()];
    const Real beyond = times_power_of_two(
        programme.weight_beyond()[0],
        programme.exponent_beyond(0) - programme.exponent_on(programme.everything()));
    if (!(on > Real{0}) || !(beyond > Real{0})) return 1.0;
    return std::max(programme.error(), static_cast<double>(std::abs(beyond / on - Real{1})));
}

// Runs the programme in double, and in long double if the digits do not suffice; then calls
// use(programme).
template <class Use>
void with_enough_digits(const FamilyTable& weights, double tolerance, bool with_shares,
                        const RunOptions& options, Use use) {
    {
        ModularProgramme<double> programme(weights);
        programme.run(with_shares, options);
        if (relative_error(programme) <= tolerance) {
            use(programme);
            return;
        }
    }
    ModularProgramme<long double> programme(weights);
    programme.run(with_shares, options);
    if (const double error = relative_error(programme); !(error <= tolerance)) {
        throw Error(ErrorKind::numerical,
                    "The alternating sums of the modular programme have an error of up to " +
                        std::to_string(error) + ", more than the tolerance " +
                        std::to_string(tolerance) +
                        "; allow more, or use the order-modular target or a sampler.");
    }
    use(programme);
}

}  // namespace arcwise
