// Sums kept relative to their largest term, as the programmes over down-sets have them.
#pragma once

#include <limits>

#include "arcwise/numerics/log_kernels.hpp"

namespace arcwise {

// The weight of the best way to a set that has none: below any other, yet a number, so that
// differences are numbers too. The relative sum of such a set comes out as zero.
inline constexpr double impossible_weight = std::numeric_limits<double>::lowest();

// ln of e^best times the relative sum.
inline double relative_logarithm(double best, double sum) {
    return sum > 0.0 ? log_kernel(sum, best) : -std::numeric_limits<double>::infinity();
}

}  // namespace arcwise
