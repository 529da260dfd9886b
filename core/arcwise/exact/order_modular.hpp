// Exact posterior under the order-modular prior, by the forward and backward programmes.
//
// The probability that v has the predecessors U in a random order is F(U) alpha_v(U) B(U + v) /
// F(V); given U, a parent set S within U has probability phi_v(S) / alpha_v(U).
#pragma once

#include <cstdint>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/families/family_table.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

struct ExactPosterior {
    double log_weight = 0.0;    // ln of the summed weights of all DAGs, prior not normalised
    FamilyTable probabilities;  // of every family
    double error = 0.0;         // bound or estimate of the absolute error of a probability
};

// Bytes the run holds besides the families, and the sums and products it makes, roughly.
std::uint64_t order_modular_bytes(int nodes, int threads);
std::uint64_t order_modular_operations(int nodes);

ExactPosterior order_modular_posterior(const FamilyTable& weights, const RunOptions& options);

// ln of the summed weights alone, by the forward programme.
double order_modular_log_weight(const FamilyTable& weights, const RunOptions& options);

}  // namespace arcwise
