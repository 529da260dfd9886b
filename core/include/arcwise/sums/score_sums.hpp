// The score sums of all nodes, built in parallel.
#pragma once

#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/sums/node_sums.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// One NodeSums per node of the table, with the method given for each.
std::vector<NodeSums> make_score_sums(const FamilyTable& table,
                                      const std::vector<SumMethod>& methods, double tolerance,
                                      bool with_max, const RunOptions& options);

}  // namespace arcwise
