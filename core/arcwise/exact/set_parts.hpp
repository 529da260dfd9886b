// Sets of nodes taken apart into low, middle and top ones, for loops over pairs of sets.
//
// The pairs (U, T) of disjoint sets are gone through block by block: a block has one U among the
// middle and top nodes and one T among the top nodes, every T among the middle nodes side by side
// in memory, and one row for each set of low nodes. So the inner loops run over arrays, rows are
// used many times once they are there, and blocks are what tasks are made of.
#pragma once

#include <algorithm>
#include <cstdint>

namespace arcwise {

struct SetParts {
    explicit SetParts(int nodes)
        : low(std::min(6, (nodes + 2) / 3)),
          middle(std::min(9, nodes - low - (nodes - low) / 3)),
          top(nodes - low - middle) {}

    std::uint32_t low_sets() const { return std::uint32_t{1} << low; }
    std::uint32_t middle_sets() const { return std::uint32_t{1} << middle; }
    std::uint32_t top_sets() const { return std::uint32_t{1} << top; }

    // Number of nodes in each part.
    int low;
    int middle;
    int top;
};

}  // namespace arcwise
