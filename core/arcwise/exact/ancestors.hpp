// Exact probabilities of directed paths: that u is an ancestor of v, for all pairs.
//
// Modular target. The ancestors of v, v included, are a set A closed under parents in which v is
// the only sink. By inclusion and exclusion over the sinks T of A the DAGs on A of that kind weigh
//   S_v(A) = sum over T within A, v in T, of (-1)^(|T|+1) H(A - T) prod_T alpha_j(A - T),
// and those on all nodes H(V) P(ancestors of v = A) = S_v(A) B(A), with H and B of modular.hpp.
// P(u is an ancestor of v) sums it over A with u and v. Put U = A - T: the sum is over the terms of
// B(U) with v in T and u in U + T: all pairs at once in O(3^n), as for edges.
//
// Order-modular target. Per u, nodes are placed one by one, into O as long as u is not among their
// ancestors, else into A. With S = O + A the weight g of a state starts with
//   g(O, {u}) = F(O) alpha_u(O);   adding j multiplies it by
//   alpha_j(O), into O,   or by   alpha_j(S) - alpha_j(O), into A: at least one parent is in A.
// No term is negative. O(n 3^n) per u.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

struct AncestorProbabilities {
    std::vector<double> matrix;  // [u * n + v], that a path leads from u to v; 1 where u = v
    // Bound or estimate of the absolute error; the probabilities of all sets of ancestors of a node
    // (of descendants, if order-modular) are known to add up to 1.
    double error = 0.0;
};

// Throws `numerical` as modular_posterior does, and takes as many variables.
AncestorProbabilities modular_ancestors(const FamilyTable& weights, double tolerance,
                                        const RunOptions& options);

// At most this many variables: the memory triples with each.
inline constexpr int most_nodes_of_order_modular_ancestors = 20;
AncestorProbabilities order_modular_ancestors(const FamilyTable& weights,
                                              const RunOptions& options);

// Bytes they take at most.
std::uint64_t modular_ancestors_bytes(int nodes, int threads);
std::uint64_t order_modular_ancestors_bytes(int nodes, int threads);

}  // namespace arcwise
