// The exact posterior under the modular prior: fills one set of tables (modular_tables.hpp) with as
// many digits as their alternating sums need, and reads the answers off.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/exact/exact_computation.hpp"
#include "arcwise/exact/modular_sampler.hpp"
#include "arcwise/exact/modular_tables.hpp"
#include "arcwise/exact/parent_draws.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_nodes = 25;

std::string in_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1e", value);
    return text;
}

// Calls use(tables) with the tables there are.
template <class Tables, class Use>
auto with_filled(Tables& tables, Use use) {
    if (auto* in_doubles = std::get_if<1>(&tables)) return use(*in_doubles);
    return use(std::get<2>(tables));
}

// The probabilities of the families of one node from its shares, and by how much they do not add up
// to 1.
double fill_probabilities(const NodeFamilies& families, int node, int nodes,
                          const std::vector<double>& shares, std::vector<double>& values) {
    const NodeBlockSums sums(families, node, nodes);
    std::vector<double> log_sums(sums.block_size());
    sums.log_sums(0, log_sums.data());
    std::fill(values.begin(), values.end(), 0.0);
    sums.add_family_shares(0, shares.data(), log_sums.data(), values.data());
    // Signed shares leave rounding on both sides of zero.
    for (double& value : values) value = std::clamp(value, 0.0, 1.0);
    return std::abs(std::accumulate(values.begin(), values.end(), -1.0));
}

class ModularComputation final : public ExactComputation {
  public:
    ModularComputation(const FamilyTable& weights, double tolerance)
        : weights_(weights), tolerance_(tolerance) {
        if (weights.size() > most_nodes) {
            throw Error(
                ErrorKind::capacity,
                "The exact modular posterior takes at most 25 variables; use the order-modular "
                "target or a sampler.");
        }
    }

    int nodes() const override { return static_cast<int>(weights_.size()); }

    BestDag best_dag(const RunOptions& options) override {
        if (!best_) {
            BestDags found = best_dags(weights_, options);
            scales_ = scales_of(found.log_weights);
            best_ = std::move(found.on_all);
        }
        return *best_;
    }

    double log_weight(const RunOptions& options) override {
        fill_tables(options);
        return with_filled(
            tables_, [&](auto& tables) { return tables.log_total() + sums_->total_offset(); });
    }

    ExactPosterior posterior(const RunOptions& options) override {
        ExactPosterior result;
        Phases phases(options, 100);
        phases.run(95, [&](const RunOptions& part) {
            fill_tables(part);
            with_filled(tables_, [&](auto& tables) {
                if (!tables.has_shares()) tables.fill_terms(part);
            });
        });
        with_filled(tables_, [&](auto& tables) {
            result.log_weight = tables.log_total() + sums_->total_offset();
            result.error = tables.error();
            result.probabilities = weights_;
            std::vector<double> errors(weights_.size());
            phases.run(5, [&](const RunOptions& part) {
                run_tasks(weights_.size(), weights_.size(), part,
                          [&](std::size_t v, TaskContext& context) {
                              const int node = static_cast<int>(v);
                              const std::vector<double> shares = tables.take_shares(node);
                              errors[v] = fill_probabilities(weights_[v], node, nodes(), shares,
                                                             result.probabilities[v].values());
                              context.advance(1);
                          });
            });
            result.error = std::max(result.error, *std::max_element(errors.begin(), errors.end()));
        });
        result.fill_edges(options.unwatched());
        return result;
    }

    PathProbabilities paths(const RunOptions& options) override {
        fill_tables(options);
        return with_filled(tables_, [&](auto& tables) {
            PathProbabilities result{tables.paths(), tables.error()};
            const std::size_t n = weights_.size();
            for (std::size_t v = 0; v < n; ++v) {
                double& sum_over_ancestor_sets = result.matrix[v * n + v];
                result.error = std::max(result.error, std::abs(sum_over_ancestor_sets - 1.0));
                sum_over_ancestor_sets = 1.0;
            }
            // Signed terms leave rounding on both sides of zero and of one.
            for (double& value : result.matrix) value = std::clamp(value, 0.0, 1.0);
            return result;
        });
    }

    // Under this target it does not matter whether a node without parents has a place in the order.
    PathProbabilities paths_from(const FamilyTable& with_source, int source,
                                 const RunOptions& options) override {
        PathProbabilities all = ModularComputation(with_source, tolerance_).paths(options);
        const auto n = static_cast<std::ptrdiff_t>(with_source.size());
        const auto row = all.matrix.begin() + n * source;
        return {std::vector<double>(row, row + n), all.error};
    }

    void prepare_draws(const RunOptions& options) override {
        Phases phases(options, 100);
        phases.run(97, [&](const RunOptions& part) { fill_tables(part); });
        phases.run(3, [&](const RunOptions& part) {
            if (!parent_tables_) parent_tables_.emplace(weights_, part);
        });
    }

    void draw(const RandomOf& random_of, std::size_t count, std::span<std::uint8_t>,
              std::span<std::uint32_t> parents, const RunOptions& options) override {
        Phases phases(options, 100);
        const std::uint64_t to_prepare = parent_tables_ ? 0 : 90;
        phases.run(to_prepare, [&](const RunOptions& part) { prepare_draws(part); });
        phases.run(100 - to_prepare, [&](const RunOptions& part) {
            with_filled(tables_, [&](auto& tables) {
                draw_modular_dags(tables, *parent_tables_, random_of, count, parents, part);
            });
        });
    }

  private:
    template <class Real>
    double fill_tables_of(const RunOptions& options) {
        auto& tables = tables_.emplace<ModularTables<Real>>(*sums_, scales_);
        try {
            tables.fill(options);
        } catch (...) {
            tables_ = std::monostate{};
            throw;
        }
        return tables.error();
    }

    void fill_tables(const RunOptions& options) {
        if (tables_.index() != 0) return;
        Phases phases(options, 100);
        phases.run(5, [&](const RunOptions& part) { best_dag(part); });
        phases.run(5, [&](const RunOptions& part) {
            if (!sums_) sums_.emplace(weights_, part);
        });
        double error = 1.0;
        phases.run(89, [&](const RunOptions& part) { error = fill_tables_of<double>(part); });
        phases.run(1, [&](const RunOptions& part) {
            if (!(error <= tolerance_)) error = fill_tables_of<long double>(part);
            report_complete(part);
        });
        if (!(error <= tolerance_)) {
            tables_ = std::monostate{};
            throw Error(ErrorKind::numerical,
                        "The alternating sums of the modular recursion have an error of up to " +
                            in_digits(error) + ", more than the tolerance " +
                            in_digits(tolerance_) +
                            "; allow more, or use the order-modular target or a sampler.");
        }
    }

    const FamilyTable& weights_;
    double tolerance_;
    std::optional<BestDag> best_;
    std::vector<std::int32_t> scales_;  // of the best DAGs on all sets
    std::optional<ScaledSums> sums_;
    // Whichever has digits enough.
    std::variant<std::monostate, ModularTables<double>, ModularTables<long double>> tables_;
    std::optional<ParentTables> parent_tables_;
};

}  // namespace

std::unique_ptr<ExactComputation> modular_computation(const FamilyTable& weights,
                                                      double tolerance) {
    return std::make_unique<ModularComputation>(weights, tolerance);
}

std::uint64_t modular_bytes(int nodes, std::uint64_t families, int threads) {
    const std::uint64_t sets = std::uint64_t{1} << nodes;
    // While the best DAGs are found, block sums hold the families; later there are the tables, in
    // the longer numbers, which may turn out to be needed, and the probabilities of the families.
    const std::uint64_t at_first =
        BlockSums::bytes(nodes, families, threads) + sets * sizeof(double);
    return std::max(at_first, ScaledSums::bytes(nodes) +
                                  ModularTables<long double>::bytes(nodes, threads) +
                                  ParentTables::bytes(nodes) + families * sizeof(double));
}

}  // namespace arcwise
