// Exponentials, logarithms and log-space sums, written so that they vectorise.
#include "arcwise/sums/log_space.hpp"

#include <bit>
#include <iterator>
#include <limits>

#include "lanes.hpp"

namespace arcwise {
namespace {

constexpr double ln2_high = 0x1.62e42fefa3800p-1;  // trailing zeros: k * ln2_high is exact
constexpr double ln2_low = 0x1.ef35793c76730p-45;

// Adding it leaves an integer in the low bits of the sum.
constexpr double integer_in_low_bits = 0x1.8p52;

// e^-d is zero beyond this distance: far below half a unit in the last place of anything it could
// be added to, and just inside the range of exponents.
constexpr double farthest = 700.0;

template <std::size_t size>
ARCWISE_INLINE double horner(const double (&coefficients)[size], double x) {
    double result = coefficients[0];
    for (std::size_t i = 1; i < size; ++i) result = result * x + coefficients[i];
    return result;
}

// e^-d for |d| <= 700: 2^k times a polynomial on [-ln 2 / 2, ln 2 / 2], whose relative error is
// below 5e-18.
ARCWISE_INLINE double exp_of_minus(double d) {
    constexpr double to_binary = 0x1.71547652b82fep+0;
    constexpr double polynomial[] = {0x1.af632a0f7e2cep-26,
                                     0x1.28b4101c77212p-22,
                                     0x1.71ddf56d8deb5p-19,
                                     0x1.a01991a10d9aep-16,
                                     0x1.a01a01b1461c5p-13,
                                     0x1.6c16c1880029fp-10,
                                     0x1.111111110f21ep-7,
                                     0x1.555555554f0bap-5,
                                     0x1.555555555555ap-3,
                                     0x1.0000000000011p-1,
                                     1.0,
                                     1.0};
    const double x = -d;
    const double shifted = x * to_binary + integer_in_low_bits;
    const double k = shifted - integer_in_low_bits;
    const double r = (x - k * ln2_high) - k * ln2_low;
    const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    return horner(polynomial, r) * std::bit_cast<double>(exponent);
}

// 2 artanh(s) = ln((1 + s) / (1 - s)) for |s| <= 1/3; relative error below 5e-17.
ARCWISE_INLINE double twice_artanh(double s) {
    constexpr double polynomial[] = {0x1.6c26693a7c095p-3, 0x1.94b79523b2fbbp-4,
                                     0x1.1659956da410fp-3, 0x1.3aa5e932d3628p-3,
                                     0x1.74628d4f43596p-3, 0x1.c71c47af989fdp-3,
                                     0x1.2492498161ca5p-2, 0x1.99999998ca58bp-2,
                                     0x1.5555555555aeep-1, 2.0};
    return s * horner(polynomial, s * s);
}

ARCWISE_INLINE double log_add_kernel(double a, double b) {
    const double high = a < b ? b : a;
    const double low = a < b ? a : b;
    const double gap = high - low;  // NaN if both are minus infinity: then `high` is the result
    const double y = exp_of_minus(gap < farthest ? gap : farthest);
    return high + twice_artanh(y / (y + 2.0));
}

ARCWISE_INLINE double scaled_exp_kernel(double x, double scale) {
    constexpr double highest = 600.0;
    const double gap = scale - x;
    const double from_highest = gap > -highest ? gap : -highest;
    const double result = exp_of_minus(gap < farthest ? from_highest : farthest);
    return gap < farthest ? result : 0.0;
}

// ln x for a normal x > 0: x = 2^k m with m in [1/sqrt 2, sqrt 2), ln m = 2 artanh((m-1) / (m+1)).
// `scale` is added before the small parts, so that a large one costs no digits where k ln 2 undoes
// it.
ARCWISE_INLINE double log_kernel(double x, double scale) {
    constexpr std::uint64_t root_half_bits = 0x3FE6A09E667F3BCD;  // 1/sqrt 2
    constexpr std::uint64_t exponent_mask = ~((std::uint64_t{1} << 52) - 1);
    constexpr std::uint64_t bias = 1024;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t exponent = (bits - root_half_bits) & exponent_mask;
    const double m = std::bit_cast<double>(bits - exponent);
    // Older vector units convert no 64-bit integers; adding the (biased, hence positive) exponent
    // to the bits of a large number does it for them.
    const std::uint64_t biased = (exponent + (bias << 52)) >> 52;
    const double k =
        std::bit_cast<double>(biased + std::bit_cast<std::uint64_t>(integer_in_low_bits)) -
        (integer_in_low_bits + static_cast<double>(bias));
    const double fraction = twice_artanh((m - 1.0) / (m + 1.0));
    return (scale + k * ln2_high) + (k * ln2_low + fraction);
}

// One step of a programme over the subsets of three elements: `to` gains e^(a_v[entry]) * `from`.
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
void fill_with_scaled_log(double* to, const double* from, double scale, double smallest,
                          std::size_t count) {
    combine_into(to, from, count, [=](double old, double x) {
        const double filled = x < smallest ? old : log_kernel(x, scale);
        return old < -std::numeric_limits<double>::max() ? filled : old;
    });
}

ARCWISE_VECTOR_VERSIONS
double largest_product(const double* a, const double* b, std::size_t count) {
    double largest = -std::numeric_limits<double>::infinity();
    // The pragma allows the maximum to be taken lane by lane.
#pragma omp simd reduction(max : largest)
    for (std::size_t i = 0; i < count; ++i) {
        const double product = a[i] + b[i];
        largest = largest < product ? product : largest;
    }
    return largest;
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
