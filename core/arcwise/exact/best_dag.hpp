// The DAG of the largest weight, by the forward recursion with maxima.
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

// The best DAG, and the log weights of the best ones on all sets of nodes, relative to the heaviest
// families of their nodes. Throws `argument` if there is none.
struct BestDags {
    BestDag on_all;
    std::vector<double> log_weights;
};
BestDags best_dags(const FamilyTable& weights, const RunOptions& options);

}  // namespace arcwise
