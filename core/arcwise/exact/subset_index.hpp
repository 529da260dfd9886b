// Subsets of nodes as bits: how to go through them, and their places in tables that leave one node
// out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arcwise/support/bits.hpp"

namespace arcwise {

// The subset of `free` after `subset`; the empty one after the last.
inline std::uint32_t next_subset(std::uint32_t subset, std::uint32_t free) {
    return (subset - free) & free;
}

// The place of a set in a table over the sets without the node, and back.
inline std::size_t place_without(int node, std::uint32_t set) { return squeeze_bit(set, node); }
inline std::uint32_t set_without(int node, std::size_t place) {
    return insert_bit(static_cast<std::uint32_t>(place), node);
}

}  // namespace arcwise
