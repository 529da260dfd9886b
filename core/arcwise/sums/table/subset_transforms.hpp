// Sums and maxima over all subsets at once: the fast zeta transform, on logarithms.
#pragma once

namespace arcwise {

// Replaces values over the subsets of `elements` things, indexed by bit mask, by sums over subsets:
// table[U] = ln sum over S within U of e^table[S]. Entries may differ by any number of nats.
void log_sum_over_subsets(double* table, int elements);

// Sums over subsets of plain numbers, of either sign.
void sum_over_subsets(double* table, int elements);

// Logarithms that are summed as plain numbers are scaled so that the largest becomes at most e^600.
// A sum that comes out above `smallest_final_sum` is then right to the last digits, although
// whatever lay below e^-700 was lost: so one scale serves numbers over `nats_per_window`.
inline constexpr double smallest_final_sum = 0x1p-920;  // e^-638
inline constexpr double nats_per_window = 1200.0;

// The scale to subtract for numbers between `smallest` and `largest`. Numbers close to each other
// are kept close to 1, where their logarithms have the most digits.
inline double window_scale(double largest, double smallest) {
    return largest - smallest < 600.0 ? largest : largest - 600.0;
}

// The same with the maximum in place of the sum.
void max_over_subsets(double* table, int elements);

}  // namespace arcwise
