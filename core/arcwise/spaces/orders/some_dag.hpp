// A DAG of positive weight to start from, where constraints leave few states any weight.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

struct SomeDag {
    std::vector<std::uint64_t> parents;  // bits by node, words_for(n) words each
    std::vector<int> levels;             // of each node: after the last of its parents
};

// Drawn given a random order that has such DAGs: those are far easier to find than partitions or
// layerings, as only required edges rule orders out. Throws `argument` if there is none.
SomeDag some_dag(const ScoreSums& sums, Random& random);

}  // namespace arcwise
