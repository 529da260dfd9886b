// How well the edges of sampled DAGs have mixed: R-hat, effective sample sizes and changes.
//
// Follows Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021). An edge is there or not, and of
// two values the ranks are a linear function, so that rank normalisation changes nothing; products
// of draws are intersections of bits, which makes autocovariances cheap at the few lags that count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "arcwise/support/tasks.hpp"

namespace arcwise {

// The DAGs of one chain in the order they were drawn in: for each DAG and node its parents as
// words_for(nodes) words.
struct DagChain {
    const std::uint64_t* parents;
    std::size_t draws;
};

struct MixingOptions {
    // With fewer changes of an edge, its effective sample size is left unknown.
    std::int64_t fewest_changes;
    // Autocovariances are summed up to this lag at most.
    std::size_t most_lags;
};

// Matrices [source, target] of nodes x nodes numbers.
struct EdgeMixing {
    // NaN for an edge that never changed, infinite for one that did not within any half of a chain.
    std::span<double> rhat;
    // NaN where unknown; minus 1 where autocorrelation reaches beyond `most_lags`.
    std::span<double> effective;
    std::span<std::int64_t> changes;  // from one draw to the next, over all chains
    std::span<double> shares;         // of draws with the edge, [chain, source, target]
};

// R-hat and effective sample sizes are of as many draws of each chain as the shortest has; with
// fewer than 4 they are NaN. Each number is the same on any number of threads.
void edge_mixing(std::span<const DagChain> chains, int nodes, const MixingOptions& settings,
                 const EdgeMixing& result, const RunOptions& options);

}  // namespace arcwise
