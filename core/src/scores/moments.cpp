// Two passes over the rows: subtracting the mean first keeps the digits of columns far from zero.
#include "moments.hpp"

#include <cmath>

namespace arcwise {

Moments moments(const ContinuousTable& table, std::span<const int> variables, int node) {
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
        double sum = 0.0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            sum += root_weights[i] * root_weights[i] * column[rows[i]];
        }
        const double mean = result.total > 0.0 ? sum / result.total : 0.0;
        result.mean.push_back(mean);
        std::vector<double>& values = centred.emplace_back(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            values[i] = root_weights[i] * (column[rows[i]] - mean);
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
