// Plans sequential Monte Carlo: which temperatures a population needs, and how many steps at each.
//
// A population of its own goes along a fine path. From each temperature it goes on to the farthest
// one at which its weights are still about equal, and states that constraints exclude have not
// become much lighter, is resampled there, and moves until the weights its states have no longer
// tell what they were when it came. The plan is then kept for all runs, so that their weights are
// unbiased, which they would not quite be if each made its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arcwise/spaces/space.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

struct PilotOptions {
    std::vector<Temperature> path;  // fine, from the uniform distribution to the posterior
    std::size_t population = 256;
    double effective_share = 0.9;    // of the population, from one temperature to the next
    double correlation = 0.1;        // of log weights before and after the steps at a temperature
    std::uint64_t steps_a_look = 1;  // between two looks at the correlation
    std::uint64_t most_looks = 64;
};

struct PopulationPlan {
    std::vector<Temperature> temperatures;
    std::vector<std::uint64_t> steps;  // at each temperature but the first
};

// Deterministic, whatever the number of threads: state i takes the random stream 2 i, and what
// concerns all takes stream 1.
PopulationPlan plan_population(const Space& space, const PilotOptions& options, std::uint64_t seed,
                               const RunOptions& run_options);

}  // namespace arcwise
