// Leaves few of many weighted things, such that the expected weight of each stays what it was.
#pragma once

#include <cstddef>
#include <vector>

#include "arcwise/support/random.hpp"

namespace arcwise {

// The t with sum over i of min(1, importance[i] / t) = most. Starts as if none were above t; t
// falls with those that turn out to be, until no more are.
template <class Item>
double thinning_threshold(const std::vector<Item>& items, std::size_t most) {
    double threshold = 0.0;
    std::size_t above = 0;
    while (true) {
        double below = 0.0;
        for (const Item& item : items) {
            if (above == 0 || item.importance < threshold) below += item.importance;
        }
        threshold = below / static_cast<double>(most - above);
        std::size_t count = 0;
        for (const Item& item : items) count += item.importance >= threshold ? 1 : 0;
        if (count <= above || count >= most) return threshold;
        above = count;
    }
}

// Keeps items more important than a threshold as they are, and each other one with probability
// importance / threshold, its weight divided by that: about `most` in all (Fearnhead and Clifford,
// "On-line inference for hidden Markov models via particle filters", 2003). One draw decides all,
// by equal steps through the summed probabilities.
template <class Item>
void thin(std::vector<Item>& items, std::size_t most, Random& random) {
    if (items.size() <= most) return;
    const double threshold = thinning_threshold(items, most);
    double left = random.uniform();
    std::size_t kept = 0;
    for (Item& item : items) {
        if (item.importance < threshold) {
            const double probability = item.importance / threshold;
            left -= probability;
            if (left >= 0.0) continue;
            left += 1.0;
            item.weight /= probability;
        }
        items[kept++] = item;
    }
    items.resize(kept);
}

}  // namespace arcwise
