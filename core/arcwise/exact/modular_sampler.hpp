// Independent DAGs from the modular posterior, layer by layer from the sources.
//
// Nodes whose parents all lie in U, but not all in the U before it, form the next layer. Given the
// layer before (U = U_before + last layer), T is exactly the next one with a weight of
//   prod over j in T of (1 - beta_j)  *  sum over Z with T, outside U, of (-1)^|Z - T| x(Z),
//   x(Z) = prod_Z alpha_j(U) B(U + Z),   beta_j = alpha_j(U_before) / alpha_j(U)
// (beta_j = 0 for the first layer): x(Z) weighs what follows if the nodes of Z have all their
// parents in U. Then the members of T draw parents within U that meet the last layer.
//
// T is drawn node by node. Summed over all that is not yet decided, a node counts -beta_j in Z;
// decided to be out of T, -1; decided to be in, 1 - beta_j. So to decide on the highest node v, x
// is halved: with s_0 and s_1 the sums over the sets Z without and with v,
//   in : out  =  (1 - beta_v) s_1 : s_0 - s_1,
// and the array to go on with is x_1, or x_0 - x_1: together about 2^(m+1) products, for m nodes
// outside U. Draws that stand at the same U go through this together.
//
// Nodes that hardly have all their parents in U are out from the start: x(Z) is at most x({j}) for
// all Z with j. A draw comes to a U_before and U whose continuations weigh less than delta B(U)
// with a probability of at most delta times the expected number of closed sets, so that 2^-100 of
// B(U) shows nowhere.
#pragma once

#include <cstdint>
#include <span>

#include "arcwise/exact/exact_computation.hpp"
#include "arcwise/exact/modular_tables.hpp"
#include "arcwise/exact/parent_draws.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// As ExactComputation::draw.
template <class Real>
void draw_modular_dags(const ModularTables<Real>& tables, const ParentTables& parent_tables,
                       const RandomOf& random_of, std::size_t count,
                       std::span<std::uint32_t> parents, const RunOptions& options);

}  // namespace arcwise
