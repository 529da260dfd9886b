// Subsets of nodes as bits: how to go through them, and their places in tables that leave one node
// out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arcwise {

// The subset of `free` after `subset`; the empty one after the last.
inline std::uint32_t next_subset(std::uint32_t subset, std::uint32_t free) {
    return (subset - free) & free;
}

// The place of a set without the node: its bits, those above the node moved down by one.
inline std::size_t place_without(int node, std::uint32_t set) {
    const std::uint32_t below = (std::uint32_t{1} << node) - 1;
    return (set & below) | ((set >> 1) & ~below);
}

// The set at that place.
inline std::uint32_t set_without(int node, std::size_t place) {
    const std::uint32_t below = (std::uint32_t{1} << node) - 1;
    const auto bits = static_cast<std::uint32_t>(place);
    return (bits & below) | ((bits & ~below) << 1);
}

}  // namespace arcwise
