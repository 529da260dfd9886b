// Weighted mean and centred scatter matrix of some columns.
#pragma once

#include <span>
#include <vector>

#include "arcwise/scores/gaussian.hpp"

namespace arcwise {

struct Moments {
    double total = 0.0;           // number of rows, or their summed weights
    std::vector<double> offset;   // mean less centre
    std::vector<double> scatter;  // packed lower triangle, row after row
};

// Takes the rows that count for `node` (all if node < 0). `centre` has a number for each variable
// of the table, or is empty for zeros.
Moments moments(const ContinuousTable& table, std::span<const int> variables, int node,
                std::span<const double> centre);

}  // namespace arcwise
