// Small random inputs for the tests, from fixed seeds.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise::tests {

inline int below(Random& random, int limit) {
    return static_cast<int>(random.bits() % static_cast<std::uint64_t>(limit));
}

// Uniform between -spread and 0; minus infinity with the given probability.
inline double log_weight(Random& random, double spread, double probability_of_zero = 0.0) {
    if (random.uniform() < probability_of_zero) return minus_infinity;
    return -spread * random.uniform();
}

inline void set_weights(NodeFamilies& families, Random& random, double spread,
                        double probability_of_zero = 0.0) {
    for (double& value : families.values()) value = log_weight(random, spread, probability_of_zero);
}

// The ascending numbers below `limit` that come up with the given probability.
inline std::vector<int> subset(Random& random, int limit, double probability) {
    std::vector<int> members;
    for (int i = 0; i < limit; ++i) {
        if (random.uniform() < probability) members.push_back(i);
    }
    return members;
}

}  // namespace arcwise::tests
