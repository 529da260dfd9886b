// Sums and maxima over all subsets at once: the fast zeta transform, on logarithms.
#pragma once

namespace arcwise {

// Replaces values over the subsets of `elements` things, indexed by bit mask, by sums over subsets:
// table[U] = ln sum over S within U of e^table[S]. Entries may differ by any number of nats.
void log_sum_over_subsets(double* table, int elements);

// The same with the maximum in place of the sum.
void max_over_subsets(double* table, int elements);

}  // namespace arcwise
