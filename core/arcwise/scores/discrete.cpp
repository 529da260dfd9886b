// Finds distinct rows by splitting one big cell by every column in turn, and chooses how to count.
#include "arcwise/scores/discrete.hpp"

namespace arcwise {

DistinctRows distinct_rows(const DiscreteTable& table, const DiscreteScoreSettings& settings,
                           std::span<const int> variables, int node) {
    std::vector<std::size_t> real;
    for (std::size_t row = 0; row < table.rows; ++row) {
        if (node < 0 || !table.interventions.at(row, node)) real.push_back(row);
    }
    const bool with_prior = settings.pseudo_counts == PseudoCounts::joint;
    const std::size_t imaginary = with_prior ? settings.imaginary_probabilities.size() : 0;
    const std::size_t all = real.size() + imaginary;

    const auto gather = [&](int variable, std::vector<std::uint16_t>& column) {
        const std::span<const std::uint16_t> source = table.column(variable);
        for (std::size_t i = 0; i < real.size(); ++i) column[i] = source[real[i]];
        if (imaginary == 0) return;
        const auto start = static_cast<std::size_t>(variable) * imaginary;
        for (std::size_t i = 0; i < imaginary; ++i) {
            column[real.size() + i] = settings.imaginary_codes[start + i];
        }
    };

    std::vector<std::uint32_t> cell(all, 0);
    std::vector<std::uint16_t> column(all);
    CellSplitter splitter;
    std::uint32_t cells = all == 0 ? 0 : 1;
    for (const int variable : variables) {
        gather(variable, column);
        cells = splitter.split(cell, cells, column,
                               table.level_counts[static_cast<std::size_t>(variable)], cell);
    }

    DistinctRows result;
    result.rows = cells;
    result.counts.assign(cells, 0.0);
    if (with_prior) result.prior_shares.assign(cells, 0.0);
    for (std::size_t i = 0; i < real.size(); ++i) {
        const double weight = table.weights.empty() ? 1.0 : table.weights[real[i]];
        result.counts[cell[i]] += weight;
        result.total += weight;
    }
    for (std::size_t i = 0; i < imaginary; ++i) {
        result.prior_shares[cell[real.size() + i]] += settings.imaginary_probabilities[i];
    }
    result.codes.resize(variables.size() * result.rows);
    for (std::size_t position = 0; position < variables.size(); ++position) {
        gather(variables[position], column);
        for (std::size_t i = 0; i < all; ++i) {
            result.codes[position * result.rows + cell[i]] = column[i];
        }
        result.level_counts.push_back(
            table.level_counts[static_cast<std::size_t>(variables[position])]);
    }
    return result;
}

namespace {

class DiscreteScore final : public SetFunction {
  public:
    DiscreteScore(DiscreteTable table, DiscreteScoreSettings settings)
        : table_(std::move(table)), settings_(std::move(settings)) {}

    std::size_t size() const override { return table_.level_counts.size(); }
    bool intervened(int node) const override { return table_.interventions.any(node); }

    std::unique_ptr<PreparedSets> prepare(std::span<const int> variables, int node) const override {
        DistinctRows rows = distinct_rows(table_, settings_, variables, node);
        if (integer_cells_suffice(rows, settings_)) {
            return prepare_integer_cells(std::move(rows), settings_);
        }
        std::vector<std::vector<double>> marginals;
        if (settings_.pseudo_counts == PseudoCounts::marginals) {
            for (const int variable : variables) {
                marginals.push_back(settings_.marginals[static_cast<std::size_t>(variable)]);
            }
        }
        return prepare_real_cells(std::move(rows), std::move(marginals), settings_);
    }

  private:
    DiscreteTable table_;
    DiscreteScoreSettings settings_;
};

}  // namespace

std::unique_ptr<SetFunction> make_discrete_score(DiscreteTable table,
                                                 DiscreteScoreSettings settings) {
    return std::make_unique<DiscreteScore>(std::move(table), std::move(settings));
}

}  // namespace arcwise
