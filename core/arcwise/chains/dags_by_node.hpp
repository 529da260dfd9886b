// The total weight of all DAGs, by populations of DAGs whose nodes get their parents one by one.
//
// Let the first k nodes have parents, and the others none. With Z(k) the total weight of such DAGs
// and v the next node,
//   Z(k + 1) / Z(k) = mean over these DAGs of sum(v | all but the descendants of v),
// since the parents of v may be any that are not below it. So a DAG is weighted by that sum and
// given parents of v in proportion to their weights, which leaves it a DAG of the next kind; then
// parents of nodes that have some are drawn anew, each from its law given the rest, and DAGs of
// little weight make room for copies of others. The product of the mean weights is an unbiased
// estimate of the total. It serves where weights hardly depend on which nodes had parents before,
// as those of a prior; data tie nodes together.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/random.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

struct DagsByNodeOptions {
    std::size_t particles = 64;  // of a population
    int redraws = 20;            // of parents in a DAG, whenever one more node has some
};

// The log of the estimate of one population; minus infinity if no DAG is left.
double log_total_by_node(const ScoreSums& sums, const DagsByNodeOptions& options, Random& random,
                         TaskContext* context);

// Returns one estimate for each population; their random numbers are streams of the seed.
std::vector<double> log_totals_by_node(const ScoreSums& sums, const DagsByNodeOptions& options,
                                       std::size_t populations, std::uint64_t seed,
                                       const RunOptions& run);

}  // namespace arcwise
