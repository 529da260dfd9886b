// Draws by running sums of weights: one number drawn and one look-up, however many weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "arcwise/support/random.hpp"

namespace arcwise {

// A place in proportion to its weight; the last running sum is not zero.
inline std::size_t draw_by_running(std::span<const double> running, Random& random) {
    if (random.scripted()) {
        std::vector<double> weights(running.begin(), running.end());
        for (std::size_t i = weights.size(); i-- > 1;) weights[i] -= weights[i - 1];
        return random.choose(weights);
    }
    const double share = random.uniform() * running.back();
    auto place = static_cast<std::size_t>(
        std::upper_bound(running.begin(), running.end() - 1, share) - running.begin());
    // Rounding may make the share all there is, and the last places may have no weight.
    while (place > 0 && running[place] == running[place - 1]) --place;
    return place;
}

}  // namespace arcwise
