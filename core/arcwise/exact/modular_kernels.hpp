// The inner loops of the modular dynamic program, over arrays of terms side by side.
//
// A term is a product of a mantissa and a power of two whose exponent is a sum of three: that of
// the products of score sums, that of a row, and the scale of the set it leads to. Arrays have a
// multiple of `lanes` entries. Exponents have as many bits as mantissas, so that vectors of both
// have as many lanes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace arcwise {

// Powers of two come by their biased exponent. Below 2^-500 they count as zero: no such term shows
// in a probability (see modular_tables.hpp), and no product of two numbers becomes subnormal.
inline constexpr std::int32_t exponent_bias = 1023;
inline constexpr std::int64_t lowest_exponent = exponent_bias - 500;
inline double power_of_two(std::int64_t biased) {
    return std::bit_cast<double>(biased < lowest_exponent ? 0 : biased << 52);
}

// Products of score sums over the sets T of a block: mantissas and biased exponents.
template <class Real>
struct Products {
    const Real* mantissa;
    const std::int64_t* exponent;
    std::size_t count;
};

// A row of a block: what its terms are multiplied by, and where it lies.
template <class Real>
struct Row {
    Real factor;
    std::int64_t exponent;
    std::size_t place;
};

// The sum over rows r and entries i of
//   products[i] * rows[r] * 2^-scales[r][i] * values[r][i].
double sum_rows(const Products<double>& products, const Row<double>* rows, std::size_t count,
                const double* values, const std::int64_t* scales, std::size_t stride);
long double sum_rows(const Products<long double>& products, const Row<long double>* rows,
                     std::size_t count, const long double* values, const std::int64_t* scales,
                     std::size_t stride);

// to[r][i] += factor * products[i] * rows[r] * 2^-scales[r][i], for all rows.
void push_rows(const Products<double>& products, const Row<double>* rows, std::size_t count,
               double factor, const std::int64_t* scales, std::size_t stride, double* to);
void push_rows(const Products<long double>& products, const Row<long double>* rows,
               std::size_t count, long double factor, const std::int64_t* scales,
               std::size_t stride, long double* to);

// Where the terms t[r][i] = factor * products[i] * rows[r] * 2^-scales[r][i] * values[r][i] are
// added to.
template <class Real>
struct TermSums {
    Real* by_set;     // at [r ^ own][i], where `own` is the place of the first row
    Real* over_rows;  // at [i]
    Real* by_row;     // at [r]: overwritten
    Real* absolute;   // their absolute values, in as many parts as there are lanes
};
void add_terms(const Products<double>& products, const Row<double>* rows, std::size_t count,
               double factor, const double* values, const std::int64_t* scales, std::size_t stride,
               const TermSums<double>& to);
void add_terms(const Products<long double>& products, const Row<long double>* rows,
               std::size_t count, long double factor, const long double* values,
               const std::int64_t* scales, std::size_t stride, const TermSums<long double>& to);

// Products of score sums over the sets Z of some nodes, in the order of their bits: mantissas,
// exponents and the sets themselves.
template <class Real>
struct SetProducts {
    std::vector<Real> mantissas;
    std::vector<std::int32_t> exponents;
    std::vector<std::uint32_t> sets;

    std::size_t size() const { return sets.size(); }
    void start() {
        mantissas.assign(1, Real{1});
        exponents.assign(1, 0);
        sets.assign(1, 0);
    }
    void multiply(int node, double mantissa, std::int32_t exponent);
};

// to[i] = mantissa * products[i] * 2^(exponent - scales[S]) * values[S], S = set + products' set i.
void weigh_sets(const SetProducts<double>& products, double mantissa, std::int32_t exponent,
                std::uint32_t set, const double* values, const std::int32_t* scales, double* to);
void weigh_sets(const SetProducts<long double>& products, long double mantissa,
                std::int32_t exponent, std::uint32_t set, const long double* values,
                const std::int32_t* scales, long double* to);

// The sum over all subsets Z of as many places of prod over Z of -factors[place] * values[Z];
// `size`, a power of two, is the number of subsets, half of which fit into `scratch`.
double signed_sum(const double* values, std::size_t size, const double* factors, double* scratch);
long double signed_sum(const long double* values, std::size_t size, const double* factors,
                       long double* scratch);

// to[i] = a[i] - b[i].
void subtract(double* to, const double* a, const double* b, std::size_t count);
void subtract(long double* to, const long double* a, const long double* b, std::size_t count);

}  // namespace arcwise
