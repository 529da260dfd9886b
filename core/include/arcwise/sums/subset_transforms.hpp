// Sums and maxima over all subsets at once: the fast zeta transform, on logarithms.
#pragma once

namespace arcwise {

// Replaces values over the subsets of `elements` things, indexed by bit mask, by sums over subsets:
// table[U] = ln sum over S within U of e^table[S]. Entries may differ by any number of nats.
void log_sum_over_subsets(double* table, int elements);

// Sums over subsets of plain numbers, of either sign.
void sum_over_subsets(double* table, int elements);

// A sum of plain numbers that were scaled to at most about 1 is right to the last digits if it is
// above this: whatever fell below e^-700 is less than a 10^-140th of it.
inline constexpr double smallest_final_sum = 0x1p-500;

// The same with the maximum in place of the sum.
void max_over_subsets(double* table, int elements);

}  // namespace arcwise
