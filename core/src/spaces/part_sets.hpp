// What a partition allows a node.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace arcwise
