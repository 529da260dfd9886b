// A DAG to start from, found by way of linear orders, whose chains settle where others do not.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

struct SomeDag {
    std::vector<std::uint64_t> parents;  // bits by node, words_for(n) words each
    std::vector<int> levels;             // of each node: after the last of its parents
};

// Drawn given an order that a chain of so many steps ends at. With none, the order is any that has
// a DAG of positive weight: those are far easier to find than partitions or layerings, as only
// required edges rule orders out. Throws `argument` if there is none. A long chain asks the
// context, if there is one, whether to go on.
SomeDag some_dag(const ScoreSums& sums, std::uint64_t steps, Random& random, TaskContext* context);

// The DAG of these parents. Throws `argument` if they are not those of a DAG of so many nodes.
SomeDag known_dag(std::vector<std::uint64_t> parents, int nodes);

}  // namespace arcwise
