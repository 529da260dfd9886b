// Sums over subsets of products of numbers, one for each member: the inner loop of all layers.
#pragma once

#include <cstddef>
#include <vector>

#include "extended.hpp"

namespace arcwise {

// out[t] = sum over the subsets S of the elements of values[S] * product over i in S of
// factors[i][t], for all t < count. Scratch grows as needed.
void fold(const double* values, const double* const* factors, std::size_t elements,
          std::size_t count, double* out, std::vector<double>& scratch);
void fold(const float* values, const float* const* factors, std::size_t elements, std::size_t count,
          float* out, std::vector<float>& scratch);
void fold(const Extended* values, const Extended* const* factors, std::size_t elements,
          std::size_t count, Extended* out, std::vector<Extended>& scratch);

}  // namespace arcwise
