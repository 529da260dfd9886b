// The exact posterior under the order-modular prior, from the forward and backward recursions.
#pragma once

#include <optional>
#include <vector>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/exact/exact_computation.hpp"
#include "arcwise/exact/order_modular.hpp"

namespace arcwise {

class OrderModularComputation final : public ExactComputation {
  public:
    explicit OrderModularComputation(const FamilyTable& weights) : weights_(weights) {}

    // With and without paths.
    static std::uint64_t bytes(int nodes, std::uint64_t families, int threads);
    static std::uint64_t path_bytes(int nodes, std::uint64_t families, int threads);

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
    const BlockSums& sums(const RunOptions& options);
    void fill_forward(const RunOptions& options);
    void fill_both(const RunOptions& options);

    const FamilyTable& weights_;
    std::optional<BlockSums> sums_;
    std::vector<double> forward_;
    std::vector<double> backward_;
    std::optional<BestDag> best_;
    std::optional<OrderSampler> sampler_;
};

}  // namespace arcwise
