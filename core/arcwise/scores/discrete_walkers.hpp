// The two ways to walk over contingency tables: integer counts (fast) and real ones (general).
#pragma once

#include <memory>

#include "arcwise/scores/discrete.hpp"
#include "arcwise/scores/distinct_rows.hpp"

namespace arcwise {

// Whether every count is a whole number and every cell of a set has the same pseudo-count.
bool integer_cells_suffice(const DistinctRows& rows, const DiscreteScoreSettings& settings);

std::unique_ptr<PreparedSets> prepare_integer_cells(DistinctRows rows,
                                                    const DiscreteScoreSettings& settings);

// `marginals` has one distribution for each of the prepared variables, or is empty.
std::unique_ptr<PreparedSets> prepare_real_cells(DistinctRows rows,
                                                 std::vector<std::vector<double>> marginals,
                                                 const DiscreteScoreSettings& settings);

}  // namespace arcwise
