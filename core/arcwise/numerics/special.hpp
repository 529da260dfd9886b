// Special functions the scores and tests of independence need.
#pragma once

namespace arcwise {

// ln Γ(x) for x > 0; unlike std::lgamma it touches no global, so threads may call it freely.
double log_gamma(double x);

// ln of the binomial coefficient of whole numbers 0 <= k <= n.
double log_binomial(double n, double k);

// The log of the probability that a chi-squared number of these degrees of freedom is larger than
// x; it keeps its digits where the probability itself is too small for a double.
double log_chi_squared_tail(double x, double degrees_of_freedom);

}  // namespace arcwise
