// The exact posterior under the modular prior, from one set of tables (modular_tables.hpp).
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/exact/exact_computation.hpp"
#include "arcwise/exact/modular_tables.hpp"
#include "arcwise/exact/parent_draws.hpp"

namespace arcwise {

class ModularComputation final : public ExactComputation {
  public:
    static constexpr int most_nodes = 25;

    ModularComputation(const FamilyTable& weights, double tolerance);

    static std::uint64_t bytes(int nodes, std::uint64_t families, int threads);

    int nodes() const override { return static_cast<int>(weights_.size()); }
    double log_weight(const RunOptions& options) override;
    ExactPosterior posterior(const RunOptions& options) override;
    PathProbabilities paths(const RunOptions& options) override;
    PathProbabilities paths_from(const FamilyTable& with_source, int source,
                                 const RunOptions& options) override;
    BestDag best_dag(const RunOptions& options) override;
    void prepare_draws(const RunOptions& options) override;
    void draw(const RandomOf& random_of, std::size_t count, std::span<std::uint8_t> orders,
              std::span<std::uint32_t> parents, const RunOptions& options) override;

  private:
    void fill_tables(const RunOptions& options);
    template <class Real>
    double fill_tables_of(const RunOptions& options);

    const FamilyTable& weights_;
    double tolerance_;
    std::optional<BestDag> best_;
    std::vector<std::int32_t> scales_;  // of the best DAGs on all sets
    std::optional<ScaledSums> sums_;
    // Whichever has digits enough.
    std::variant<std::monostate, ModularTables<double>, ModularTables<long double>> tables_;
    std::optional<ParentTables> parent_tables_;
};

}  // namespace arcwise
