// One version of each loop per instruction set, all with the same bits; long doubles have none.
#include "arcwise/exact/modular_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/numerics/four.hpp"
#include "arcwise/numerics/lanes.hpp"

namespace arcwise {
namespace {

// Eight numbers at a time, as two vectors of four. They are written out because the compiler, left
// to itself, unrolls the loops over rows first and then finds nothing to put side by side.
struct Doubles {
    Four low{};
    Four high{};

    ARCWISE_INLINE double operator[](std::size_t i) const { return i < 4 ? low[i] : high[i - 4]; }
    ARCWISE_INLINE void operator+=(const Doubles& other) {
        low += other.low;
        high += other.high;
    }
    ARCWISE_INLINE void operator*=(const Doubles& other) {
        low *= other.low;
        high *= other.high;
    }
};

// The same of long doubles, of which processors have no vectors.
struct LongDoubles {
    long double lane[lanes] = {};

    ARCWISE_INLINE long double operator[](std::size_t i) const { return lane[i]; }
    ARCWISE_INLINE void operator+=(const LongDoubles& other) {
        for (std::size_t i = 0; i < lanes; ++i) lane[i] += other.lane[i];
    }
    ARCWISE_INLINE void operator*=(const LongDoubles& other) {
        for (std::size_t i = 0; i < lanes; ++i) lane[i] *= other.lane[i];
    }
};

template <class Real>
struct LanesOf;
template <>
struct LanesOf<double> {
    using Type = Doubles;
};
template <>
struct LanesOf<long double> {
    using Type = LongDoubles;
};
template <class Real>
using Lanes = typename LanesOf<Real>::Type;

using arcwise::add_absolute;
using arcwise::load;
using arcwise::store;

ARCWISE_INLINE void load(Doubles& to, const double* from) {
    load(to.low, from);
    load(to.high, from + 4);
}
ARCWISE_INLINE void store(double* to, const Doubles& from) {
    store(to, from.low);
    store(to + 4, from.high);
}
ARCWISE_INLINE void load(LongDoubles& to, const long double* from) {
    std::copy_n(from, lanes, to.lane);
}
ARCWISE_INLINE void store(long double* to, const LongDoubles& from) {
    std::copy_n(from.lane, lanes, to);
}

// to[i] = factor * 2^(products[i] + row - scales[i]).
ARCWISE_INLINE void load_factors(Doubles& to, double factor, const std::int64_t* products,
                                 std::int64_t row, const std::int64_t* scales) {
    load_powers(to.low, factor, products, row, scales, lowest_exponent);
    load_powers(to.high, factor, products + 4, row, scales + 4, lowest_exponent);
}
ARCWISE_INLINE void load_factors(LongDoubles& to, long double factor, const std::int64_t* products,
                                 std::int64_t row, const std::int64_t* scales) {
    for (std::size_t i = 0; i < lanes; ++i) {
        to.lane[i] = factor * power_of_two(products[i] + row - scales[i]);
    }
}

ARCWISE_INLINE void add_absolute(Doubles& to, const Doubles& from) {
    add_absolute(to.low, from.low);
    add_absolute(to.high, from.high);
}
ARCWISE_INLINE void add_absolute(LongDoubles& to, const LongDoubles& from) {
    for (std::size_t i = 0; i < lanes; ++i) to.lane[i] += std::abs(from.lane[i]);
}

template <class Real>
ARCWISE_INLINE Real total(const Lanes<Real>& sums) {
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

template <class Real>
ARCWISE_INLINE Real sum_of_rows(const Products<Real>& products, const Row<Real>* rows,
                                std::size_t count, const Real* values, const std::int64_t* scales,
                                std::size_t stride) {
    Lanes<Real> sums{};
    Lanes<Real> term;
    Lanes<Real> factors;
    for (std::size_t i = 0; i < products.count; i += lanes) {
        Lanes<Real> over_rows{};
        for (std::size_t r = 0; r < count; ++r) {
            const std::size_t first = rows[r].place * stride + i;
            load_factors(factors, rows[r].factor, products.exponent + i, rows[r].exponent,
                         scales + first);
            load(term, values + first);
            term *= factors;
            over_rows += term;
        }
        load(term, products.mantissa + i);
        term *= over_rows;
        sums += term;
    }
    return total<Real>(sums);
}

template <class Real>
ARCWISE_INLINE void push_to_rows(const Products<Real>& products, const Row<Real>* rows,
                                 std::size_t count, Real factor, const std::int64_t* scales,
                                 std::size_t stride, Real* to) {
    Lanes<Real> sum;
    Lanes<Real> term;
    Lanes<Real> factors;
    for (std::size_t r = 0; r < count; ++r) {
        const std::size_t first = rows[r].place * stride;
        const Real row_factor = rows[r].factor * factor;
        const std::int64_t row_exponent = rows[r].exponent;
        for (std::size_t i = 0; i < products.count; i += lanes) {
            load_factors(factors, row_factor, products.exponent + i, row_exponent,
                         scales + first + i);
            load(term, products.mantissa + i);
            term *= factors;
            load(sum, to + first + i);
            sum += term;
            store(to + first + i, sum);
        }
    }
}

template <class Real>
ARCWISE_INLINE void add_all_terms(const Products<Real>& products, const Row<Real>* rows,
                                  std::size_t count, Real factor, const Real* values,
                                  const std::int64_t* scales, std::size_t stride,
                                  const TermSums<Real>& to) {
    Lanes<Real> absolute;
    Lanes<Real> sum;
    Lanes<Real> term;
    Lanes<Real> factors;
    load(absolute, to.absolute);
    for (std::size_t r = 0; r < count; ++r) {
        Lanes<Real> over_sets{};
        const std::size_t first = rows[r].place * stride;
        const std::size_t added = rows[r].place ^ rows[0].place;
        const Real row_factor = rows[r].factor * factor;
        const std::int64_t row_exponent = rows[r].exponent;
        Real* const by_set = to.by_set + added * stride;
        for (std::size_t i = 0; i < products.count; i += lanes) {
            load_factors(factors, row_factor, products.exponent + i, row_exponent,
                         scales + first + i);
            load(term, products.mantissa + i);
            factors *= term;
            load(term, values + first + i);
            term *= factors;
            load(sum, by_set + i);
            sum += term;
            store(by_set + i, sum);
            load(sum, to.over_rows + i);
            sum += term;
            store(to.over_rows + i, sum);
            over_sets += term;
            add_absolute(absolute, term);
        }
        to.by_row[r] = total<Real>(over_sets);
    }
    store(to.absolute, absolute);
}

template <class Real>
ARCWISE_INLINE void weigh_all_sets(const SetProducts<Real>& products, Real mantissa,
                                   std::int32_t exponent, std::uint32_t set, const Real* values,
                                   const std::int32_t* scales, Real* to) {
    const Real* const mantissas = products.mantissas.data();
    const std::int32_t* const exponents = products.exponents.data();
    const std::uint32_t* const sets = products.sets.data();
    const std::size_t count = products.size();
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t target = set | sets[i];
        const double power = power_of_two(exponent + exponents[i] - scales[target]);
        to[i] = mantissa * mantissas[i] * power * values[target];
    }
}

// to[i] = without[i] - factor * with[i].
template <class Real>
ARCWISE_INLINE void fold_half(Real* to, const Real* without, const Real* with, double factor,
                              std::size_t half) {
#pragma omp simd
    for (std::size_t i = 0; i < half; ++i) to[i] = without[i] - factor * with[i];
}

template <class Real>
ARCWISE_INLINE Real fold_all(const Real* values, std::size_t size, const double* factors,
                             Real* scratch) {
    if (size == 1) return values[0];
    const Real* from = values;
    for (std::size_t half = size / 2; half > 0; half /= 2) {
        fold_half(scratch, from, from + half, factors[std::countr_zero(half)], half);
        from = scratch;
    }
    return scratch[0];
}

}  // namespace

ARCWISE_VECTOR_VERSIONS
double sum_rows(const Products<double>& products, const Row<double>* rows, std::size_t count,
                const double* values, const std::int64_t* scales, std::size_t stride) {
    return sum_of_rows(products, rows, count, values, scales, stride);
}

long double sum_rows(const Products<long double>& products, const Row<long double>* rows,
                     std::size_t count, const long double* values, const std::int64_t* scales,
                     std::size_t stride) {
    return sum_of_rows(products, rows, count, values, scales, stride);
}

ARCWISE_VECTOR_VERSIONS
void push_rows(const Products<double>& products, const Row<double>* rows, std::size_t count,
               double factor, const std::int64_t* scales, std::size_t stride, double* to) {
    push_to_rows(products, rows, count, factor, scales, stride, to);
}

void push_rows(const Products<long double>& products, const Row<long double>* rows,
               std::size_t count, long double factor, const std::int64_t* scales,
               std::size_t stride, long double* to) {
    push_to_rows(products, rows, count, factor, scales, stride, to);
}

ARCWISE_VECTOR_VERSIONS
void add_terms(const Products<double>& products, const Row<double>* rows, std::size_t count,
               double factor, const double* values, const std::int64_t* scales, std::size_t stride,
               const TermSums<double>& to) {
    add_all_terms(products, rows, count, factor, values, scales, stride, to);
}

void add_terms(const Products<long double>& products, const Row<long double>* rows,
               std::size_t count, long double factor, const long double* values,
               const std::int64_t* scales, std::size_t stride, const TermSums<long double>& to) {
    add_all_terms(products, rows, count, factor, values, scales, stride, to);
}

template <class Real>
void SetProducts<Real>::multiply(int node, double mantissa, std::int32_t exponent) {
    const std::size_t filled = size();
    mantissas.resize(2 * filled);
    exponents.resize(2 * filled);
    sets.resize(2 * filled);
    for (std::size_t i = 0; i < filled; ++i) {
        mantissas[filled + i] = mantissas[i] * mantissa;
        exponents[filled + i] = exponents[i] + exponent;
        sets[filled + i] = sets[i] | std::uint32_t{1} << node;
    }
}

template struct SetProducts<double>;
template struct SetProducts<long double>;

ARCWISE_VECTOR_VERSIONS
void weigh_sets(const SetProducts<double>& products, double mantissa, std::int32_t exponent,
                std::uint32_t set, const double* values, const std::int32_t* scales, double* to) {
    weigh_all_sets(products, mantissa, exponent, set, values, scales, to);
}

void weigh_sets(const SetProducts<long double>& products, long double mantissa,
                std::int32_t exponent, std::uint32_t set, const long double* values,
                const std::int32_t* scales, long double* to) {
    weigh_all_sets(products, mantissa, exponent, set, values, scales, to);
}

ARCWISE_VECTOR_VERSIONS
double signed_sum(const double* values, std::size_t size, const double* factors, double* scratch) {
    return fold_all(values, size, factors, scratch);
}

long double signed_sum(const long double* values, std::size_t size, const double* factors,
                       long double* scratch) {
    return fold_all(values, size, factors, scratch);
}

ARCWISE_VECTOR_VERSIONS
void subtract(double* to, const double* a, const double* b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] = a[i] - b[i];
}

void subtract(long double* to, const long double* a, const long double* b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] = a[i] - b[i];
}

}  // namespace arcwise
