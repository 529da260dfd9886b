// Exact posterior and paths under the order-modular prior, from the forward and backward recursions
// (subset_recursion.hpp).
//
// The probability that v has the predecessors U in a random order is F(U) alpha_v(U) B(U + v) /
// F(V); given U, a parent set S within U has probability phi_v(S) / alpha_v(U).
//
// Paths from u. Nodes are placed one by one, into O as long as u is not among their ancestors, else
// into A. With S = O + A the weight g of a state starts with
//   g(O, {u}) = F(O) alpha_u(O);   adding j multiplies it by
//   alpha_j(O), into O,   or by   alpha_j(S) - alpha_j(O), into A: at least one parent is in A.
// No term is negative. O(n 3^n) per u.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/exact/exact_computation.hpp"
#include "arcwise/families/family_table.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

ExactPosterior order_modular_posterior(const FamilyTable& weights, const BlockSums& sums,
                                       const std::vector<double>& forward,
                                       const std::vector<double>& backward,
                                       const RunOptions& options);

// At most this many variables: the memory triples with each. Throws `capacity` for more.
inline constexpr int most_nodes_of_order_modular_paths = 20;
PathProbabilities order_modular_paths(const FamilyTable& weights,
                                      const std::vector<double>& forward,
                                      const std::vector<double>& backward,
                                      const RunOptions& options);

// The row of one source alone.
PathProbabilities order_modular_paths_from(const FamilyTable& weights,
                                           const std::vector<double>& forward,
                                           const std::vector<double>& backward, int source,
                                           const RunOptions& options);

// Bytes they hold at most, besides what is given to them.
std::uint64_t order_modular_path_bytes(int nodes, int threads);

}  // namespace arcwise
