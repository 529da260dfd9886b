// What keeping sums as logarithms costs the exact computations.
#pragma once

#include <cmath>
#include <limits>

namespace arcwise {

// Estimate of the absolute error in a probability. Each node brings exponentials of numbers up to
// 600, which are off by as much as these are rounded; the log sums that count add up to the log of
// the whole, relative to the heaviest families, and are rounded in proportion.
inline double rounding_of_logs(int nodes, double log_total) {
    return std::numeric_limits<double>::epsilon() * (512.0 * nodes + std::abs(log_total));
}

}  // namespace arcwise
