// Loops that the compiler turns into vector code.
#include "arcwise/scores/conditional_gaussian_kernels.hpp"

#include "arcwise/numerics/lanes.hpp"
#include "arcwise/numerics/log_kernels.hpp"

namespace arcwise {

ARCWISE_VECTOR_VERSIONS
void add_sums(const RootedRows& rows, const std::uint32_t* cell, std::size_t width, double* sums) {
    for (std::size_t row = 0; row < rows.rows; ++row) {
        const double* __restrict values = rows.values + row * rows.stride;
        double* __restrict to = sums + cell[row] * width;
        const double root = rows.roots[row];
        for (std::size_t i = 0; i < width; ++i) to[i] += root * values[i];
    }
}

ARCWISE_VECTOR_VERSIONS
void add_squares(const RootedRows& rows, const std::uint32_t* cell, const double* means,
                 std::size_t width, double* squares) {
    for (std::size_t row = 0; row < rows.rows; ++row) {
        const double* __restrict values = rows.values + row * rows.stride;
        const double* __restrict mean = means + cell[row] * width;
        double* __restrict to = squares + cell[row] * width;
        const double root = rows.roots[row];
        for (std::size_t i = 0; i < width; ++i) {
            const double from_mean = values[i] - root * mean[i];
            to[i] += from_mean * from_mean;
        }
    }
}

ARCWISE_VECTOR_VERSIONS
void add_products(const RootedRows& rows, const std::uint32_t* cell, std::size_t variable,
                  const double* means_of_variable, std::size_t width, double* products) {
    for (std::size_t row = 0; row < rows.rows; ++row) {
        const double* __restrict values = rows.values + row * rows.stride;
        double* __restrict to = products + cell[row] * width;
        const double own = values[variable] - rows.roots[row] * means_of_variable[cell[row]];
        for (std::size_t i = 0; i < width; ++i) to[i] += own * values[i];
    }
}

ARCWISE_VECTOR_VERSIONS
void subtract_multiple(double* __restrict to, const double* __restrict from, double factor,
                       std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] -= factor * from[i];
}

ARCWISE_VECTOR_VERSIONS
void scale_and_eliminate(double* __restrict row, double* __restrict diagonal, double factor,
                         std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        row[i] *= factor;
        diagonal[i] -= row[i] * row[i];
    }
}

ARCWISE_VECTOR_VERSIONS
void add_weighted_logarithms(double* __restrict to, const double* __restrict from, double weight,
                             double least, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const double bounded = from[i] > least ? from[i] : least;
        to[i] += weight * log_kernel(bounded, 0.0);
    }
}

}  // namespace arcwise
