// A population on its way along the path: its weights, and copies of states that are ahead in place
// of those that have fallen behind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/spaces/space.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// Takes all states from one target to the next; to the log weight of each it adds the log ratio of
// the two, and no state of weight zero gets any back.
void reweight(std::span<const std::unique_ptr<State>> states, const Temperature& from,
              const Temperature& to, std::vector<double>& log_weights);

// (sum of weights)^2 / (sum of squared weights).
double effective_size(std::span<const double> log_weights);

// Whether fewer than half of the states count, or one does not count at all.
bool needs_resampling(std::span<const double> log_weights);

// Draws the states anew in proportion to their weights, which become equal; returns the log of
// their mean. Of m states, the one in place i is drawn from the i-th of m equal parts of the sum of
// weights (stratified resampling): any state is drawn as often as m times its share on average, and
// with less chance in it than if all were drawn alike. A single state stays.
double resample(std::span<const std::unique_ptr<State>> states, std::vector<double>& log_weights,
                Random& random);

// The same of anything that `copy(to, from)` copies.
double resample(std::vector<double>& log_weights,
                const std::function<void(std::size_t, std::size_t)>& copy, Random& random);

// The log of the mean weight.
double log_mean(std::span<const double> log_weights);

// Plans sequential Monte Carlo: which temperatures a population needs, and how many steps at each.
//
// A population of its own goes along a fine path. From each temperature it moves on to the farthest
// one at which its weights are still about equal, and states that constraints exclude have not
// become much lighter, is resampled there, and moves until the weights of its
// states hardly depend on what they were when it came. The plan is then kept for all runs, so that
// their weights are unbiased, which they would not quite be if each made its own.
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
