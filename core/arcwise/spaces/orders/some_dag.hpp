// A DAG for chains to start from, found by a chain over linear orders, which settles where other
// chains do not.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

struct SomeDag {
    std::vector<std::uint64_t> parents;  // bits by node, words_for(n) words each
    std::vector<int> levels;             // by node: one more than the highest of its parents
};

// Draws a DAG given the order at which a chain of this number of steps ends. Without steps, that is
// any order that allows a DAG of positive weight: these are far easier to find than partitions or
// layerings, as only required edges rule orders out. Throws `argument` if there is none. A long
// chain asks the context, if there is one, whether to continue.
SomeDag some_dag(const ScoreSums& sums, std::uint64_t steps, Random& random, TaskContext* context);

// The DAG with these parents. Throws `argument` unless they are those of a DAG of this number of
// nodes.
SomeDag known_dag(std::vector<std::uint64_t> parents, int nodes);

}  // namespace arcwise
