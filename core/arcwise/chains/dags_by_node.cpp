// A population of DAGs that gets one more node with parents at a time.
#include "arcwise/chains/dags_by_node.hpp"

#include <algorithm>

#include "arcwise/chains/population.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/spaces/dags/family_weights.hpp"

namespace arcwise {
namespace {

class GrowingDag {
  public:
    explicit GrowingDag(const FamilyWeights& weights)
        : weights_(&weights),
          dag_(weights.nodes()),
          set_(weights.words()),
          places_(weights.sums().words()) {}

    // Draws parents of a node that keep the graph acyclic; returns the log of the sum of all their
    // weights, and leaves the node as it is where no parents are possible.
    double draw_parents(int node, bool sum_wanted, Random& random) {
        std::ranges::fill(set_, 0);
        dag_.add_descendants(node, set_.data());
        for (std::uint64_t& word : set_) word = ~word;
        weights_->to_places(node, set_.data(), places_.data());
        const NodeSums& sums = weights_->sums()[node];
        const double sum = sum_wanted ? sums.log_sum(places_.data()) : 0.0;
        if (sum == minus_infinity) return sum;
        const std::int64_t family = sums.draw(places_.data(), random);
        if (family < 0) return minus_infinity;
        weights_->parents_of(node, family, set_.data());
        dag_.set_parents(node, set_.data());
        return sum;
    }

  private:
    const FamilyWeights* weights_;
    MutableDag dag_;
    std::vector<std::uint64_t> set_;     // scratch
    std::vector<std::uint64_t> places_;  // scratch
};

double log_total(const FamilyWeights& weights, const DagsByNodeOptions& options, Random& random,
                 TaskContext* context) {
    std::vector<GrowingDag> dags(options.particles, GrowingDag(weights));
    std::vector<double> log_weights(dags.size(), 0.0);
    const auto copy = [&](std::size_t to, std::size_t from) { dags[to] = dags[from]; };
    double total = 0.0;
    for (int node = 0; node < weights.nodes(); ++node) {
        const int with_parents = node + 1;
        for (std::size_t i = 0; i < dags.size(); ++i) {
            log_weights[i] += dags[i].draw_parents(node, true, random);
        }
        if (std::ranges::max(log_weights) == minus_infinity) return minus_infinity;
        if (needs_resampling(log_weights)) total += resample(log_weights, copy, random);
        for (GrowingDag& dag : dags) {
            for (int i = 0; i < options.redraws; ++i) {
                const std::uint64_t other = random.below(static_cast<std::uint64_t>(with_parents));
                dag.draw_parents(static_cast<int>(other), false, random);
            }
        }
        if (context != nullptr) context->advance(1);
    }
    return total + log_mean(log_weights);
}

}  // namespace

double log_total_by_node(const ScoreSums& sums, const DagsByNodeOptions& options, Random& random,
                         TaskContext* context) {
    return log_total(FamilyWeights(sums), options, random, context);
}

std::vector<double> log_totals_by_node(const ScoreSums& sums, const DagsByNodeOptions& options,
                                       std::size_t populations, std::uint64_t seed,
                                       const RunOptions& run) {
    const FamilyWeights weights(sums);
    const std::uint64_t work = populations * static_cast<std::uint64_t>(weights.nodes());
    std::vector<double> totals(populations);
    run_tasks(populations, work, run, [&](std::size_t population, TaskContext& context) {
        Random random(seed, population);
        totals[population] = log_total(weights, options, random, &context);
    });
    return totals;
}

}  // namespace arcwise
