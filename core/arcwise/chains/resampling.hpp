// A population on its way along the path: its weights, and copies of states that are ahead in place
// of those that have fallen behind.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/spaces/space.hpp"

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

}  // namespace arcwise
