// Exact posterior under the modular prior, by inclusion and exclusion over sinks and sources.
//
//   H(empty) = 1,  H(S) = sum over nonempty T within S of (-1)^(|T|+1) H(S - T) prod_T alpha_j(S -
//   T) B(V)     = 1,  B(U) = sum over nonempty T outside U of (-1)^(|T|+1) prod_T alpha_j(U) B(U +
//   T)
//
// H(S) sums the weights of all DAGs on S; B(U) those of all ways to give the nodes outside U
// parents so that U is closed under parents. H(V) = B(empty) is the weight of all DAGs.
//
// Signs alternate, so digits are lost. A rounding error made at U reaches H(V) multiplied by H(U),
// so H(U) times the absolute terms of B(U), relative to H(V), bounds what is lost at U. Errors at
// different sets have different signs: the root of the sum of squares is the `error` of the result.
// (Their plain sum is 10^4 times too large for independent variables, where 3^n terms of size 1 add
// up to 1.) Above the tolerance everything is done again in long double.
#pragma once

#include "arcwise/exact/order_modular.hpp"
#include "arcwise/families/family_table.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// Throws `numerical` if the error stays above the tolerance with all the digits there are.
ExactPosterior modular_posterior(const FamilyTable& weights, double tolerance,
                                 const RunOptions& options);

// ln of the summed weights alone.
double modular_log_weight(const FamilyTable& weights, double tolerance, const RunOptions& options);

}  // namespace arcwise
