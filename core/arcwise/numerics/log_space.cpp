// Log-space sums, written so that they vectorise.
#include "arcwise/numerics/log_space.hpp"

#include <iterator>

#include "arcwise/numerics/lanes.hpp"
#include "arcwise/numerics/log_kernels.hpp"

namespace arcwise {
namespace {

// One step of a recursion over the subsets of three elements: `to` gains e^(a_v[entry]) * `from`.
struct Step {
    unsigned to;
    unsigned from;
    unsigned element;
    unsigned entry;
};

// In an order in which every `from` is complete before it is used; backward, `to` and `from` change
// roles and the order is turned round.
constexpr Step steps[] = {{1, 0, 0, 0}, {2, 0, 1, 0}, {3, 2, 0, 1}, {3, 1, 1, 1},
                          {4, 0, 2, 0}, {5, 4, 0, 2}, {5, 1, 2, 1}, {6, 4, 1, 2},
                          {6, 2, 2, 2}, {7, 6, 0, 3}, {7, 5, 1, 3}, {7, 3, 2, 3}};

// Plain numbers scaled by the largest value do for nearly all; where one of them comes out too
// small to be trusted, they are scaled up, at the cost of a few digits, and if that is not enough
// all steps are done on logarithms.
template <bool backward>
ARCWISE_INLINE void solve_eight(double* values, const double* a0, const double* a1,
                                const double* a2) {
    constexpr double smallest_trusted = 1e-250;
    constexpr std::size_t count = std::size(steps);
    const double* const a[3] = {a0, a1, a2};
    double largest = values[0];
    for (int i = 1; i < 8; ++i) largest = largest < values[i] ? values[i] : largest;
    double factors[16];
    for (std::size_t i = 0; i < 4; ++i) {
        factors[i] = a0[i];
        factors[4 + i] = a1[i];
        factors[8 + i] = a2[i];
        factors[12 + i] = 0.0;
    }
    // A factor that vanishes as a plain number is too small to matter beside what is trusted, but
    // not if it is to be multiplied by numbers that were scaled up.
    bool vanishing = false;
    for (int i = 0; i < 16; ++i) {
        vanishing |= factors[i] < -farthest && factors[i] > -std::numeric_limits<double>::max();
        factors[i] = scaled_exp_kernel(factors[i], 0.0);
    }
    for (const double lift : {0.0, 600.0}) {
        if (lift > 0.0 && vanishing) break;
        const double scale = largest - lift;
        double plain[8];
        for (int i = 0; i < 8; ++i) plain[i] = scaled_exp_kernel(values[i], scale);
        for (std::size_t i = 0; i < count; ++i) {
            const Step& step = steps[backward ? count - 1 - i : i];
            const unsigned to = backward ? step.from : step.to;
            const unsigned from = backward ? step.to : step.from;
            plain[to] += factors[4 * step.element + step.entry] * plain[from];
        }
        double smallest = plain[0];
        for (int i = 1; i < 8; ++i) smallest = plain[i] < smallest ? plain[i] : smallest;
        if (smallest > smallest_trusted) {
            for (int i = 0; i < 8; ++i) values[i] = log_kernel(plain[i], scale);
            return;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        const Step& step = steps[backward ? count - 1 - i : i];
        double& to = values[backward ? step.from : step.to];
        const double from = values[backward ? step.to : step.from];
        to = log_add_kernel(to, a[step.element][step.entry] + from);
    }
}

}  // namespace

double log_add(double a, double b) { return log_add_kernel(a, b); }

ARCWISE_VECTOR_VERSIONS
void log_add_into(double* to, const double* from, std::size_t count) {
    combine_into(to, from, count, log_add_kernel);
}

ARCWISE_VECTOR_VERSIONS
void log_sum_over_subsets_by_level(double* table, int elements) {
    over_subsets_by_level(table, elements, log_add_kernel);
}

ARCWISE_VECTOR_VERSIONS
void log_add_products(double* __restrict to, const double* __restrict a, const double* __restrict b,
                      std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] = log_add_kernel(to[i], a[i] + b[i]);
}

ARCWISE_VECTOR_VERSIONS
void max_products(double* __restrict to, const double* __restrict a, const double* __restrict b,
                  std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const double product = a[i] + b[i];
        to[i] = to[i] < product ? product : to[i];
    }
}

ARCWISE_VECTOR_VERSIONS
void scaled_exp(double* to, const double* from, double scale, std::size_t count) {
    combine_into(to, from, count,
                 [scale](double, double x) { return scaled_exp_kernel(x, scale); });
}

ARCWISE_VECTOR_VERSIONS
void add_logarithms(double* to, const double* from, std::size_t count) {
    combine_into(to, from, count, [](double unit, double x) {
        const double sum = log_kernel(x, unit);
        return x > 0.0 ? sum : minus_infinity;
    });
}

ARCWISE_VECTOR_VERSIONS
void fill_with_scaled_log(double* to, const double* from, double scale, double smallest,
                          std::size_t count) {
    combine_into(to, from, count, [=](double old, double x) {
        const double filled = x < smallest ? old : log_kernel(x, scale);
        return old < -std::numeric_limits<double>::max() ? filled : old;
    });
}

ARCWISE_VECTOR_VERSIONS
double largest_product(const double* a, const double* b, std::size_t count) {
    double largest = minus_infinity;
    // The pragma allows the maximum to be taken lane by lane.
#pragma omp simd reduction(max : largest)
    for (std::size_t i = 0; i < count; ++i) {
        const double product = a[i] + b[i];
        largest = largest < product ? product : largest;
    }
    return reduced_extreme(largest);
}

ARCWISE_VECTOR_VERSIONS
void solve_eight_forward(double* values, const double* a0, const double* a1, const double* a2) {
    solve_eight<false>(values, a0, a1, a2);
}

ARCWISE_VECTOR_VERSIONS
void solve_eight_backward(double* values, const double* a0, const double* a1, const double* a2) {
    solve_eight<true>(values, a0, a1, a2);
}

}  // namespace arcwise
