// Gathers the rows of a mixed table, and adds up what scores need of their cells.
#include "arcwise/scores/mixed_rows.hpp"

#include <cmath>
#include <numbers>

#include "arcwise/numerics/lanes.hpp"
#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/numerics/special.hpp"

namespace arcwise {

MixedRows::MixedRows(const MixedTable& table, const ConditionalGaussianSettings& of_prior,
                     std::span<const int> variables, int node)
    : settings(of_prior) {
    std::vector<std::size_t> counting;
    for (std::size_t row = 0; row < table.rows; ++row) {
        const double weight = table.weights.empty() ? 1.0 : table.weights[row];
        if ((node >= 0 && table.interventions.at(row, node)) || weight == 0.0) continue;
        counting.push_back(row);
        weights.push_back(weight);
        roots.push_back(std::sqrt(weight));
        total += weight;
    }
    rows = counting.size();
    std::vector<int> continuous;
    int discrete = 0;
    for (const int variable : variables) {
        const auto index = static_cast<std::size_t>(variable);
        const std::uint32_t levels = table.level_counts[index];
        level_counts.push_back(levels);
        log_deviations.push_back(table.log_deviations[index]);
        continuous_below.push_back(static_cast<int>(continuous.size()));
        if (levels == 0) {
            places.push_back(static_cast<int>(continuous.size()));
            continuous.push_back(variable);
            continue;
        }
        places.push_back(discrete++);
        const auto column = table.codes.subspan(index * table.rows, table.rows);
        for (const std::size_t row : counting) codes.push_back(column[row]);
    }
    continuous_below.push_back(static_cast<int>(continuous.size()));
    rooted.resize(rows * continuous.size());
    for (std::size_t place = 0; place < continuous.size(); ++place) {
        const double* column =
            table.values.data() + static_cast<std::size_t>(continuous[place]) * table.rows;
        for (std::size_t i = 0; i < counting.size(); ++i) {
            rooted[i * continuous.size() + place] = roots[i] * column[counting[i]];
        }
    }
}

double MixedRows::dirichlet(std::span<const double> counts, double possible) const {
    const double pseudo_count = settings.equivalent_sample_size / possible;
    const double of_none = log_gamma(pseudo_count);
    double sum = 0.0;
    for (const double count : counts) {
        if (count > 0.0) sum += log_gamma(pseudo_count + count) - of_none;
    }
    return sum;
}

void Split::finish_counts(const MixedRows& data) {
    const ConditionalGaussianSettings& settings = data.settings;
    counts.assign(cells, 0.0);
    for (std::size_t row = 0; row < data.rows; ++row) {
        counts[cell[row]] += data.weights[row];
    }
    alpha = settings.alpha_mu / possible;
    degrees = settings.degrees / possible;
    scale = settings.scale / possible;
    constants.assign(1, 0.0);
    discrete_value = data.dirichlet(counts, possible);
}

void Split::begin_moments(const MixedRows& data, std::size_t places) {
    width = places;
    means.assign(cells * width, 0.0);
    diagonal.assign(cells * width, 0.0);
    rows.resize(static_cast<std::size_t>(data.continuous_below.back()));
    for (std::vector<double>& row : rows) row.clear();
    if (width == 0) return;
    const RootedRows rooted = data.rooted_rows();
    add_sums(rooted, cell.data(), width, means.data());
    for (std::size_t here = 0; here < cells; ++here) {
        for (std::size_t i = 0; i < width; ++i) {
            means[here * width + i] /= counts[here];
        }
    }
    add_squares(rooted, cell.data(), means.data(), width, diagonal.data());
    for (std::size_t here = 0; here < cells; ++here) {
        const double shrink = shrinkage(here);
        for (std::size_t i = 0; i < width; ++i) {
            const double mean = means[here * width + i];
            diagonal[here * width + i] += shrink * mean * mean + scale;
        }
    }
}

double Split::constant(const MixedRows& data, std::size_t size) {
    while (constants.size() <= size) {
        const auto l = static_cast<double>(constants.size());
        // What a set of l has more than one of l - 1.
        double sum = -0.5 * data.total * std::log(std::numbers::pi);
        const double prior_power = 0.5 * (degrees + l - 1.0);
        const double of_none = log_gamma(prior_power);
        const double log_scale = std::log(scale);
        const double of_scale =
            (prior_power * l - 0.5 * (degrees + l - 2.0) * (l - 1.0)) * log_scale;
        for (const double count : counts) {
            sum += 0.5 * std::log(alpha / (count + alpha)) + log_gamma(prior_power + 0.5 * count) -
                   of_none + of_scale;
        }
        constants.push_back(constants.back() + sum);
    }
    return constants[size];
}

void Split::products(const MixedRows& data, std::size_t place,
                     std::span<const double> means_of_place, std::size_t places,
                     std::vector<double>& row) const {
    row.assign(cells * places, 0.0);
    if (places == 0) return;
    add_products(data.rooted_rows(), cell.data(), place, means_of_place.data(), places, row.data());
    for (std::size_t here = 0; here < cells; ++here) {
        const double factor = -shrinkage(here) * means_of_place[here];
        subtract_multiple(row.data() + here * places, means.data() + here * width, factor, places);
    }
}

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
