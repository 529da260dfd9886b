// Weighted mean and centred scatter matrix of some columns.
#pragma once

#include <span>
#include <vector>

#include "arcwise/scores/gaussian.hpp"

namespace arcwise {

struct Moments {
    double total = 0.0;  // number of rows, or their summed weights
    std::vector<double> mean;
    std::vector<double> scatter;  // packed lower triangle, row after row
};

// Takes the rows that count for `node` (all if node < 0).
Moments moments(const ContinuousTable& table, std::span<const int> variables, int node);

}  // namespace arcwise
