// Zeta transforms of plain numbers, and how to apply them to logarithms.
//
// Plain numbers are added ten times faster than logarithms, but a double spans only 1,400 nats. So
// the table is transformed in windows: scaled by its largest entry, summed as plain numbers, and
// every sum that came out large enough is final. The sets left over contain no entry above the
// threshold, so they can be scaled up and summed again. When the entries spread over too many
// windows the sums are taken on the logarithms themselves.
#include "arcwise/sums/table/subset_transforms.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "arcwise/numerics/lanes.hpp"
#include "arcwise/numerics/log_space.hpp"

namespace arcwise {
namespace {

constexpr double most_windows = 12.0;

ARCWISE_INLINE double add_kernel(double a, double b) { return a + b; }
ARCWISE_INLINE double max_kernel(double a, double b) { return a < b ? b : a; }

ARCWISE_VECTOR_VERSIONS
void add_into(double* to, const double* from, std::size_t count) {
    combine_into(to, from, count, add_kernel);
}

ARCWISE_VECTOR_VERSIONS
void add_by_level(double* table, int elements) {
    over_subsets_by_level(table, elements, add_kernel);
}

ARCWISE_VECTOR_VERSIONS
void max_into(double* to, const double* from, std::size_t count) {
    combine_into(to, from, count, max_kernel);
}

ARCWISE_VECTOR_VERSIONS
void max_by_level(double* table, int elements) {
    over_subsets_by_level(table, elements, max_kernel);
}

// Tables of up to this many elements are transformed level by level; larger ones in halves, which
// stay in each level of cache as long as possible, whatever its size.
constexpr int level_by_level_elements = 10;

template <class Into, class ByLevel>
void over_subsets(double* table, int elements, Into into, ByLevel by_level) {
    if (elements <= level_by_level_elements) {
        by_level(table, elements);
        return;
    }
    const std::size_t half = std::size_t{1} << (elements - 1);
    over_subsets(table, elements - 1, into, by_level);
    over_subsets(table + half, elements - 1, into, by_level);
    into(table + half, table, half);
}

struct Extremes {
    double largest;
    double smallest;  // minus infinity does not count
};

// Extremes of the entries whose `sums` are below `limit`.
ARCWISE_VECTOR_VERSIONS
Extremes extremes_where_below(const double* table, const double* sums, double limit,
                              std::size_t count) {
    double largest = minus_infinity;
    double smallest = -minus_infinity;
    // The pragma allows the reductions to be done lane by lane, which changes no extreme.
#pragma omp simd reduction(max : largest) reduction(min : smallest)
    for (std::size_t i = 0; i < count; ++i) {
        const double high = sums[i] < limit ? table[i] : minus_infinity;
        const double low = high == minus_infinity ? -minus_infinity : high;
        largest = largest < high ? high : largest;
        smallest = low < smallest ? low : smallest;
    }
    return {reduced_extreme(largest), reduced_extreme(smallest)};
}

}  // namespace

void log_sum_over_subsets(double* table, int elements) {
    const std::size_t count = std::size_t{1} << elements;
    const Extremes all = extremes_where_below(table, table, -minus_infinity, count);
    double largest = all.largest;
    if (largest - all.smallest > most_windows * nats_per_window) {
        over_subsets(table, elements, log_add_into, log_sum_over_subsets_by_level);
        return;
    }
    // One table after the other is transformed on a thread, and fresh memory would cost as much as
    // the transform; only small buffers are kept.
    thread_local std::vector<double> kept;
    std::vector<double> window(std::move(kept));
    window.resize(count);
    std::vector<double> entries;  // a copy, once sums start to replace them
    while (largest != minus_infinity) {
        const double* source = entries.empty() ? table : entries.data();
        const double scale = window_scale(largest, all.smallest);
        // Entries far above the scale count as less than they are; they are in final sets only.
        scaled_exp(window.data(), source, scale, count);
        sum_over_subsets(window.data(), elements);
        const double next_largest =
            extremes_where_below(source, window.data(), smallest_final_sum, count).largest;
        if (entries.empty()) {
            if (next_largest != minus_infinity) entries.assign(table, table + count);
            std::fill_n(table, count, minus_infinity);
        }
        fill_with_scaled_log(table, window.data(), scale, smallest_final_sum, count);
        largest = next_largest;
    }
    constexpr std::size_t most_kept = std::size_t{1} << 20;
    if (count <= most_kept) kept = std::move(window);
}

void sum_over_subsets(double* table, int elements) {
    over_subsets(table, elements, add_into, add_by_level);
}

void max_over_subsets(double* table, int elements) {
    over_subsets(table, elements, max_into, max_by_level);
}

}  // namespace arcwise
