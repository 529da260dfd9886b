// Sums over subsets of products of numbers, one for each member: the inner loop of all layers.
#pragma once

#include <cstddef>
#include <vector>

#include "arcwise/numerics/extended.hpp"

namespace arcwise {

// out[t] = sum over the subsets S of the elements of values[S] * product over i in S of
// factors[i][t], for all t < count. Scratch grows as needed.
void fold(const double* values, const double* const* factors, std::size_t elements,
          std::size_t count, double* out, std::vector<double>& scratch);
void fold(const float* values, const float* const* factors, std::size_t elements, std::size_t count,
          float* out, std::vector<float>& scratch);
void fold(const Extended* values, const Extended* const* factors, std::size_t elements,
          std::size_t count, Extended* out, std::vector<Extended>& scratch);

// What each factor and each value adds to the sum over t of weights[t] * out[t]:
//   by_factor[i][t] = weights[t] * sum over S without i of values[S + i] * product over S,
//   by_value[S]    += sum over t of weights[t] * product over S.
void unfold(const double* values, const double* const* factors, std::size_t elements,
            std::size_t count, const double* weights, double* const* by_factor, double* by_value,
            std::vector<double>& scratch);
void unfold(const Extended* values, const Extended* const* factors, std::size_t elements,
            std::size_t count, const Extended* weights, Extended* const* by_factor,
            Extended* by_value, std::vector<Extended>& scratch);

}  // namespace arcwise
