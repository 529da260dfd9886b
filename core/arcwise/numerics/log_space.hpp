// Adding numbers that are kept as logarithms, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace arcwise {

// The logarithm of zero.
inline constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// ln(e^a + e^b).
double log_add(double a, double b);

// to[i] = ln(e^to[i] + e^from[i]). Like all of this file, the same to the last bit on every
// processor, whatever its vector width.
void log_add_into(double* to, const double* from, std::size_t count);

// The transform of log_sum_over_subsets without regard for caches: for small tables.
void log_sum_over_subsets_by_level(double* table, int elements);

// to[i] = ln(e^to[i] + e^(a[i] + b[i])), and the larger of the two.
void log_add_products(double* to, const double* a, const double* b, std::size_t count);
void max_products(double* to, const double* a, const double* b, std::size_t count);

// The largest a[i] + b[i].
double largest_product(const double* a, const double* b, std::size_t count);

// The end of a recursion over subsets, for three elements 0, 1, 2 and their eight subsets L:
//   forward:   values[L] = ln(e^values[L] + sum over v in L     of e^(a_v[L - v] + values[L - v]))
//   backward:  values[L] = ln(e^values[L] + sum over v not in L of e^(a_v[L] + values[L + v]))
// a_v has four entries, for the subsets of the other two elements.
void solve_eight_forward(double* values, const double* a0, const double* a1, const double* a2);
void solve_eight_backward(double* values, const double* a0, const double* a1, const double* a2);

// to[i] = e^(from[i] - scale), where from[i] counts as scale + 600 if it is larger and as zero if
// it is more than 700 below: sums of billions of such numbers stay finite.
void scaled_exp(double* to, const double* from, double scale, std::size_t count);

// to[i] = scale + ln(from[i]) where to[i] is minus infinity and from[i] >= smallest; other entries
// of `to` stay. `from` is finite and not negative, `smallest` a normal number above zero.
void fill_with_scaled_log(double* to, const double* from, double scale, double smallest,
                          std::size_t count);

// to[i] += ln(from[i]), where from[i] is a normal number above zero or zero.
void add_logarithms(double* to, const double* from, std::size_t count);

}  // namespace arcwise
