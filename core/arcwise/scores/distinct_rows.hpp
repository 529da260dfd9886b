// The distinct rows of some columns, with how often each occurs: all that counting needs.
#pragma once

#include <span>
#include <vector>

#include "arcwise/scores/discrete.hpp"

namespace arcwise {

struct DistinctRows {
    std::size_t rows = 0;
    std::vector<std::uint16_t> codes;         // rows x variables, column after column
    std::vector<std::uint32_t> level_counts;  // of those variables
    std::vector<double> counts;               // summed weights of the rows that are alike
    std::vector<double> prior_shares;  // summed probabilities of the imaginary rows; or empty
    double total = 0.0;                // of counts

    std::span<const std::uint16_t> column(int position) const {
        return std::span(codes).subspan(static_cast<std::size_t>(position) * rows, rows);
    }
};

// Takes the rows that count for `node` (all if node < 0), and the imaginary rows if there are any.
DistinctRows distinct_rows(const DiscreteTable& table, const DiscreteScoreSettings& settings,
                           std::span<const int> variables, int node);

}  // namespace arcwise
