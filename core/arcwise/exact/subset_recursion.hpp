// The recursions over all subsets of the variables that add one node at a time.
//
//   forward:   F(empty) = 1,  F(Y) = sum over v in Y      of alpha_v(Y - v) F(Y - v)
//   backward:  B(V)     = 1,  B(Y) = sum over v not in Y  of alpha_v(Y) B(Y + v)
//
// F(V) = B(empty) sums the weights of all (order, DAG) pairs. With maxima in place of sums the same
// recursions give the best DAG on Y, and the best completion from Y on. Values are logarithms,
// relative to the offsets of the nodes they cover (those in Y forward, those outside backward).
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/families/family_table.hpp"
#include "arcwise/sums/node_sums.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

std::vector<double> forward_recursion(const BlockSums& sums, Semiring semiring,
                                      const RunOptions& options);
std::vector<double> backward_recursion(const BlockSums& sums, Semiring semiring,
                                       const RunOptions& options);

// The DAG of the largest weight, found by the forward recursion with maxima.
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
