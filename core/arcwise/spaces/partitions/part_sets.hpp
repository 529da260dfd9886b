// What a partition allows a node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

// As bits of its possible parents: first those in earlier parts, then as many words with those in
// the part right before, of which it needs one. A node of the first part has neither.
using PartSets = const std::uint64_t*;

// Loops over words do not pay where there is one, as there nearly always is.
inline bool needs_parent(PartSets sets, std::size_t words) {
    if (words == 1) return sets[1] != 0;
    std::uint64_t any = 0;
    for (std::size_t word = words; word < 2 * words; ++word) any |= sets[word];
    return any != 0;
}

// Sets the sets of a node when the part of every node is given.
inline void set_by_parts(const ScoreSums& sums, const std::vector<int>& part_of, int node,
                         std::uint64_t* sets) {
    const std::size_t words = sums.words();
    const int part = part_of[static_cast<std::size_t>(node)];
    const std::vector<int>& possible = sums.possible_parents(node);
    std::fill_n(sets, 2 * words, 0);
    for (std::size_t place = 0; place < possible.size(); ++place) {
        const int of_parent = part_of[static_cast<std::size_t>(possible[place])];
        sets[place / 64] |= std::uint64_t{of_parent < part} << (place % 64);
        sets[words + place / 64] |= std::uint64_t{of_parent == part - 1} << (place % 64);
    }
}

}  // namespace arcwise
