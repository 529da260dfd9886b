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
#include <span>
#include <vector>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/exact/exact_computation.hpp"
#include "arcwise/exact/parent_draws.hpp"
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

// Independent orders and DAGs from the order-modular posterior, by walking back through F.
//
// The last node of a set Y is v with probability alpha_v(Y - v) F(Y - v) / F(Y); then Y - v goes
// on. Given the order, every node draws its parents among its predecessors. (DOS and DDS of He,
// Tian and Wu 2016.)
class OrderSampler {
  public:
    // `forward` is ln F of the forward recursion, less the offsets; it must outlive this.
    OrderSampler(const FamilyTable& weights, const BlockSums& blocks,
                 const std::vector<double>& forward, const RunOptions& options);

    int nodes() const { return sums_.nodes(); }

    // As ExactComputation::draw.
    void sample(const RandomOf& random_of, std::size_t count, std::span<std::uint8_t> orders,
                std::span<std::uint32_t> parents, const RunOptions& options) const;

  private:
    const std::vector<double>& forward_;
    std::vector<double> offset_;
    SetSums sums_;
};

}  // namespace arcwise
