// Rows of a mixed table, split into cells by the configurations of discrete variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/scores/conditional_gaussian.hpp"

namespace arcwise {

// The inner loops of the conditional Gaussian score, over cells (configurations of the discrete
// variables) and continuous variables side by side.
//
// Arrays by cell and variable hold the variables of a cell next to each other: entry
// [cell * width + variable].

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

// Beyond so many configurations the imaginary rows of each would be too few for a double.
inline constexpr double most_configurations = 1e100;

// The rows that count for a node, reduced to some variables, which are known by their positions.
struct MixedRows {
    MixedRows(const MixedTable& table, const ConditionalGaussianSettings& of_prior,
              std::span<const int> variables, int node);

    bool discrete(int position) const {
        return level_counts[static_cast<std::size_t>(position)] > 0;
    }
    std::span<const std::uint16_t> column(int position) const {
        return std::span(codes).subspan(static_cast<std::size_t>(place(position)) * rows, rows);
    }
    // Among the positions of its kind.
    int place(int position) const { return places[static_cast<std::size_t>(position)]; }

    ConditionalGaussianSettings settings;
    std::size_t rows = 0;
    double total = 0.0;                       // of the weights
    std::vector<std::uint32_t> level_counts;  // by position; 0: continuous
    std::vector<int> places;                  // by position
    std::vector<int> continuous_below;        // by position, and of all at the end
    std::vector<double> log_deviations;       // by position
    std::vector<std::uint16_t> codes;         // rows x discrete places, column after column
    std::vector<double> rooted;               // rows x continuous places, row after row
    std::vector<double> weights;              // by row
    std::vector<double> roots;                // of the weights

    RootedRows rooted_rows() const {
        return {rooted.data(), roots.data(), rows,
                static_cast<std::size_t>(continuous_below.back())};
    }

    // ln of the probability of the counts of cells, all of which have the same pseudo-count.
    double dirichlet(std::span<const double> counts, double possible) const;
};

// The rows split into cells by the discrete members, and what that means for all sets of
// continuous variables.
struct Split {
    std::vector<std::uint32_t> cell;  // by row
    std::size_t cells = 0;
    double possible = 1.0;
    std::vector<double> counts;  // by cell
    double discrete_value = 0.0;
    double alpha = 0.0;
    double degrees = 0.0;
    double scale = 0.0;
    std::vector<double> constants;          // sum over cells of what R does not enter, by |C|
    std::size_t width = 0;                  // the continuous places that can still be pushed
    std::vector<double> means;              // [cell][place < width]
    std::vector<double> diagonal;           // of R, [cell][place < width]
    std::vector<std::vector<double>> rows;  // of R, [place] -> [cell][other < place], or empty

    // What follows from the cells alone, once `cell`, `cells` and `possible` are set.
    void finish_counts(const MixedRows& data);

    // Means and the diagonal of R for the continuous places below a width.
    void begin_moments(const MixedRows& data, std::size_t places);

    // The sum over cells of all terms of M_d(C), |C| = size, but the one with R.
    double constant(const MixedRows& data, std::size_t size);

    // The products of a place, which has these means, with those below a width: the row of R off
    // the diagonal.
    void products(const MixedRows& data, std::size_t place, std::span<const double> means_of_place,
                  std::size_t places, std::vector<double>& row) const;

    // What ln |R| is multiplied by in a cell.
    double data_power(std::size_t in_cell, std::size_t size) const {
        return 0.5 * (counts[in_cell] + degrees + static_cast<double>(size) - 1.0);
    }

    // What products of means are multiplied by in R.
    double shrinkage(std::size_t in_cell) const {
        return counts[in_cell] * alpha / (counts[in_cell] + alpha);
    }
};

}  // namespace arcwise
