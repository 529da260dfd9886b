// Finds families that no sum needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/families/subset_layout.hpp"

namespace arcwise {

// By rank: whether a family must be kept so that no sum over the families within any set loses more
// than `tolerance` of itself.
std::vector<std::uint8_t> families_that_matter(const SubsetLayout& layout,
                                               std::span<const double> log_weights,
                                               double tolerance);

}  // namespace arcwise
