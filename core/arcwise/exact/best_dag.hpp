// The DAG of the largest weight, by the forward programme with maxima.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

struct BestDag {
    double log_weight = 0.0;
    std::vector<std::uint32_t> parents;  // of each node, as a set of nodes
};

BestDag best_dag(const FamilyTable& weights, const RunOptions& options);

}  // namespace arcwise
