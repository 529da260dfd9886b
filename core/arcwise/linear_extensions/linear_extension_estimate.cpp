// The mean of independent estimates, each a product over the components that are too large to
// count.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "arcwise/linear_extensions/components.hpp"
#include "arcwise/linear_extensions/linear_extensions.hpp"
#include "arcwise/linear_extensions/volume_estimate.hpp"
#include "arcwise/numerics/special.hpp"

namespace arcwise {
namespace {

// Cuts the hanging trees off a component.
void cut(const Components& components, int component, std::size_t most_cuts, HangingTrees& trees) {
    with_words_for(components.size(component), [&](auto words) {
        Poset<words()> whole;
        whole.build(components.graph(component), Direction::forward);
        trees.cut(whole, most_cuts);
    });
}

// Adds ln of the exact share to `log_share`; false where that takes too many sets.
template <class Arithmetic>
bool counted(const HangingTrees& trees, std::size_t most_sets, double& log_share) {
    bool done = false;
    with_words_for(trees.size(), [&](auto words) {
        Poset<words()> core;
        OrderVolume<words(), Arithmetic> volume;
        const Direction direction = promising(trees);
        core.build(trees, direction);
        core.find_meetings();
        volume.start(core, trees, direction, nullptr);
        try {
            log_share += Arithmetic::log(volume.share(core.all(), most_sets));
            done = true;
        } catch (const BudgetPassed&) {
        }
    });
    return done;
}

double one_estimate(const Components& components, int component, const EstimateOptions& settings,
                    Random& random, TaskContext& context) {
    double log_share = 0.0;
    HangingTrees uncut;
    cut(components, component, 0, uncut);
    with_words_for(uncut.size(), [&](auto words) {
        Poset<words()> poset;
        VolumeEstimate<words()> estimate;
        const Direction direction = promising(uncut);
        poset.build(uncut, direction);
        poset.find_meetings();
        estimate.start(poset, uncut, direction, settings.exact_nodes, &context);
        log_share = estimate.log_share(settings.sets, random);
    });
    return log_share;
}

// A DAG's components that are too large to count, and ln of the number of orders the others leave.
struct OpenComponents {
    Components all;
    std::vector<int> components;
    double log_known;

    OpenComponents(const std::uint64_t* parents, int nodes, const EstimateOptions& settings)
        : log_known(log_gamma(static_cast<double>(nodes) + 1.0)) {
        all.split(parents, nodes);
        HangingTrees trees;
        for (int c = 0; c < all.count(); ++c) {
            if (all.size(c) == 1) continue;
            cut(all, c, HangingTrees::all_cuts, trees);
            const bool done = trees.whole_size() <= PlainShares::most_nodes
                                  ? counted<PlainShares>(trees, settings.exact_sets, log_known)
                                  : counted<WideShares>(trees, settings.exact_sets, log_known);
            if (!done) components.push_back(c);
        }
    }

    double one_estimate(const EstimateOptions& settings, Random& random,
                        TaskContext& context) const {
        double log = log_known;
        for (const int c : components) {
            log += arcwise::one_estimate(all, c, settings, random, context);
        }
        return log;
    }
};

LinearExtensionEstimate mean_of(const std::vector<double>& logs) {
    const double largest = *std::max_element(logs.begin(), logs.end());
    const auto runs = static_cast<double>(logs.size());
    double mean = 0.0;
    for (const double log : logs) mean += std::exp(log - largest) / runs;
    double squares = 0.0;
    for (const double log : logs) {
        const double apart = std::exp(log - largest) - mean;
        squares += apart * apart;
    }
    return {largest + std::log(mean), std::sqrt(squares / (runs - 1.0) / runs) / mean};
}

}  // namespace

LinearExtensionEstimate estimate_linear_extensions(const std::uint64_t* parents, int nodes,
                                                   const EstimateOptions& settings,
                                                   std::uint64_t seed, const RunOptions& options) {
    const OpenComponents open(parents, nodes, settings);
    if (open.components.empty()) return {std::max(open.log_known, 0.0), 0.0};
    std::vector<double> logs(static_cast<std::size_t>(settings.runs));
    run_tasks(logs.size(), logs.size(), options, [&](std::size_t run, TaskContext& context) {
        Random random(seed, run);
        logs[run] = open.one_estimate(settings, random, context);
        context.advance(1);
    });
    return mean_of(logs);
}

void log_estimates_of_linear_extensions(const std::uint64_t* parents, int nodes,
                                        const EstimateOptions& settings, std::uint64_t seed,
                                        std::span<double> logs, const RunOptions& options) {
    const std::size_t each = static_cast<std::size_t>(nodes) * words_for(nodes);
    const auto runs = static_cast<std::size_t>(settings.runs);
    const std::size_t dags = logs.size() / runs;
    run_tasks(dags, dags, options, [&](std::size_t dag, TaskContext& context) {
        const OpenComponents open(parents + dag * each, nodes, settings);
        for (std::size_t run = dag * runs; run < (dag + 1) * runs; ++run) {
            Random random(seed, run);
            logs[run] = open.one_estimate(settings, random, context);
        }
        context.advance(1);
    });
}

}  // namespace arcwise
