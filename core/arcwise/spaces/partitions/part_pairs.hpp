// Two nodes of different parts, or of neighbouring ones, every such pair with the same probability.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "arcwise/support/random.hpp"

namespace arcwise {

// Two parts, and which of its nodes in each.
struct PairOfParts {
    int early_part;
    int late_part;
    std::size_t early;
    std::size_t late;
};

inline std::optional<PairOfParts> choose_pair(const std::vector<std::size_t>& sizes, bool adjacent,
                                              Random& random) {
    std::size_t pairs = 0;
    std::size_t before = 0;
    for (const std::size_t size : sizes) {
        pairs += size * before;
        before = adjacent ? size : before + size;
    }
    if (pairs == 0) return std::nullopt;
    std::size_t index = random.below(pairs);
    std::size_t late_part = 0;
    before = 0;
    for (; index >= sizes[late_part] * before; ++late_part) {
        index -= sizes[late_part] * before;
        before = adjacent ? sizes[late_part] : before + sizes[late_part];
    }
    const std::size_t late = index / before;
    index %= before;
    std::size_t early_part = adjacent ? late_part - 1 : 0;
    while (index >= sizes[early_part]) index -= sizes[early_part++];
    return PairOfParts{static_cast<int>(early_part), static_cast<int>(late_part), index, late};
}

}  // namespace arcwise
