// An unbiased estimate of the number of topological sorts of a DAG too large to count.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arcwise/support/tasks.hpp"

namespace arcwise {

struct EstimateOptions {
    // Of each size, how many sets are kept.
    std::size_t sets;
    // Independent estimates, two or more: their mean is taken, and their spread tells its error.
    int runs;
    // A component whose count takes no more sets than this is counted exactly.
    std::size_t exact_sets;
    // So is what comes free with up to so many nodes while estimating.
    int exact_nodes;
};

struct LinearExtensionEstimate {
    double log_count;       // ln of the mean, which estimates the number itself without bias
    double standard_error;  // of the mean, relative to it: about that of log_count
};

// Parents come packed: words_for(nodes) words for each node. The same seed gives the same estimate
// on any number of threads.
LinearExtensionEstimate estimate_linear_extensions(const std::uint64_t* parents, int nodes,
                                                   const EstimateOptions& settings,
                                                   std::uint64_t seed, const RunOptions& options);

}  // namespace arcwise
