// Chooses how to count for a discrete score.
#include "arcwise/scores/discrete.hpp"

#include "arcwise/scores/cells.hpp"

namespace arcwise {
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
