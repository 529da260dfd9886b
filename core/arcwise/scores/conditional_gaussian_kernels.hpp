// The inner loops of the conditional Gaussian score, over cells (configurations of the discrete
// variables) and continuous variables side by side.
//
// Arrays by cell and variable hold the variables of a cell next to each other: entry
// [cell * width + variable].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace arcwise {

// Rows of rooted values: each row's values times the root of its weight, row after row.
struct RootedRows {
    const double* values = nullptr;  // rows x stride
    const double* roots = nullptr;   // of the weights
    std::size_t rows = 0;
    std::size_t stride = 0;
};

// sums[cell][i] += weighted values of the first `width` variables.
void add_sums(const RootedRows& rows, const std::uint32_t* cell, std::size_t width, double* sums);

// squares[cell][i] += weighted squares about the means of the cell.
void add_squares(const RootedRows& rows, const std::uint32_t* cell, const double* means,
                 std::size_t width, double* squares);

// products[cell][i] += weighted products of `variable`, measured from its mean in the cell, with
// the first `width` variables.
void add_products(const RootedRows& rows, const std::uint32_t* cell, std::size_t variable,
                  const double* means_of_variable, std::size_t width, double* products);

// to[i] -= factor * from[i].
void subtract_multiple(double* to, const double* from, double factor, std::size_t count);

// row[i] *= factor, and then diagonal[i] -= row[i] squared.
void scale_and_eliminate(double* row, double* diagonal, double factor, std::size_t count);

// to[i] += weight * ln(max(from[i], least)), `least` a normal number above zero.
void add_weighted_logarithms(double* to, const double* from, double weight, double least,
                             std::size_t count);

}  // namespace arcwise
