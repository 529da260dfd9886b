// The score sum of a node in a partition.
#pragma once

#include <algorithm>
#include <limits>

#include "partition.hpp"

namespace arcwise {

template <class PartOf>
LogWeight Partition::weigh_with(int node, int part, int before, bool first, PartOf part_of) {
    const ScoreSums& sums = weights_.sums();
    std::fill(allowed_.begin(), allowed_.end(), 0);
    std::fill(required_.begin(), required_.end(), 0);
    if (!first) {
        const std::vector<int>& possible = sums.possible_parents(node);
        for (std::size_t place = 0; place < possible.size(); ++place) {
            const int of_parent = part_of(possible[place]);
            const std::uint64_t bit = std::uint64_t{1} << (place % 64);
            allowed_[place / 64] |= of_parent < part ? bit : 0;
            required_[place / 64] |= of_parent == before ? bit : 0;
        }
    }
    const double sum = first ? sums[node].log_sum(allowed_.data())
                             : sums[node].log_sum(allowed_.data(), required_.data(), memo_);
    if (sum > -std::numeric_limits<double>::infinity()) return {sum, 0};
    return {weights_.stand_in(node), 1};
}

}  // namespace arcwise
