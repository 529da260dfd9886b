// The mean of independent estimates, each a product over the components that are too large to
// count.
#include <algorithm>
#include <cmath>
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
    Components components;
    components.split(parents, nodes);
    double known = log_gamma(static_cast<double>(nodes) + 1.0);
    HangingTrees trees;
    std::vector<int> open;
    for (int c = 0; c < components.count(); ++c) {
        if (components.size(c) == 1) continue;
        cut(components, c, HangingTrees::all_cuts, trees);
        const bool done = trees.whole_size() <= PlainShares::most_nodes
                              ? counted<PlainShares>(trees, settings.exact_sets, known)
                              : counted<WideShares>(trees, settings.exact_sets, known);
        if (!done) open.push_back(c);
    }
    if (open.empty()) return {std::max(known, 0.0), 0.0};
    std::vector<double> logs(static_cast<std::size_t>(settings.runs), known);
    run_tasks(logs.size(), logs.size(), options, [&](std::size_t run, TaskContext& context) {
        Random random(seed, run);
        for (const int c : open) {
            logs[run] += one_estimate(components, c, settings, random, context);
        }
        context.advance(1);
    });
    return mean_of(logs);
}

}  // namespace arcwise
