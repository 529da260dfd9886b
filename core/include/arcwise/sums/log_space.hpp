// Adding numbers that are kept as logarithms, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arcwise {

// ln(e^a + e^b); minus infinity stands for zero.
double log_add(double a, double b);

// to[i] = ln(e^to[i] + e^from[i]). Like all of this file, the same to the last bit on every
// processor, whatever its vector width.
void log_add_into(double* to, const double* from, std::size_t count);

// The transform of log_sum_over_subsets without regard for caches: for small tables.
void log_sum_over_subsets_by_level(double* table, int elements);

// to[i] = e^(from[i] - scale), where from[i] <= scale counts as `scale` if it is larger and as zero
// if it is more than 700 below.
void scaled_exp(double* to, const double* from, double scale, std::size_t count);

// to[i] = scale + ln(from[i]) where to[i] is minus infinity and from[i] >= smallest; other entries
// of `to` stay. `from` is finite and not negative, `smallest` a normal number above zero.
void fill_with_scaled_log(double* to, const double* from, double scale, double smallest,
                          std::size_t count);

}  // namespace arcwise
