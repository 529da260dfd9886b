// Three passes over the rows, to keep the digits of columns far from zero: the mean as rounded is
// subtracted first, and then the mean of what is left.
#include "arcwise/scores/moments.hpp"

#include <cmath>

namespace arcwise {

Moments moments(const ContinuousTable& table, std::span<const int> variables, int node,
                std::span<const double> centre) {
    std::vector<std::size_t> rows;
    std::vector<double> root_weights;
    Moments result;
    for (std::size_t row = 0; row < table.rows; ++row) {
        if (node >= 0 && table.interventions.at(row, node)) continue;
        const double weight = table.weights.empty() ? 1.0 : table.weights[row];
        rows.push_back(row);
        root_weights.push_back(std::sqrt(weight));
        result.total += weight;
    }
    std::vector<std::vector<double>> centred;
    for (const int variable : variables) {
        const std::span<const double> column = table.column(variable);
        std::vector<double>& values = centred.emplace_back(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) values[i] = column[rows[i]];
        const auto subtract_mean = [&] {
            double sum = 0.0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                sum += root_weights[i] * root_weights[i] * values[i];
            }
            const double mean = result.total > 0.0 ? sum / result.total : 0.0;
            for (double& value : values) value -= mean;
            return mean;
        };
        const double mean = subtract_mean();
        const double lost_to_rounding = subtract_mean();
        // Values that differ at all differ by 1e-16 of themselves: this is rounding of the mean.
        const double rounding = 1e-20 * std::abs(mean);
        result.offset.push_back(
            mean - (centre.empty() ? 0.0 : centre[static_cast<std::size_t>(variable)]) +
            lost_to_rounding);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            values[i] = std::abs(values[i]) > rounding ? root_weights[i] * values[i] : 0.0;
        }
    }
    for (std::size_t i = 0; i < centred.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            // Four partial sums let the compiler use vector registers without reordering a sum on
            // its own account, and lose less to rounding than one.
            double sums[4] = {0.0, 0.0, 0.0, 0.0};
            const double* left = centred[i].data();
            const double* right = centred[j].data();
            std::size_t k = 0;
            for (; k + 4 <= rows.size(); k += 4) {
                for (std::size_t lane = 0; lane < 4; ++lane) {
                    sums[lane] += left[k + lane] * right[k + lane];
                }
            }
            for (; k < rows.size(); ++k) sums[0] += left[k] * right[k];
            result.scatter.push_back((sums[0] + sums[1]) + (sums[2] + sums[3]));
        }
    }
    return result;
}

}  // namespace arcwise
