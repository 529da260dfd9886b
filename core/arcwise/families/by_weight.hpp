// Families by their weight: sorted, and those that no sum needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/families/subset_layout.hpp"

namespace arcwise {

// The indices of all weights but those of minus infinity, heaviest first; of equal weights the
// lower index first. There are fewer than 2^32.
std::vector<std::uint32_t> order_by_weight(std::span<const double> weights);

// By rank: whether a family must be kept so that no sum over the families within any set loses more
// than `tolerance` of itself.
std::vector<std::uint8_t> families_that_matter(const SubsetLayout& layout,
                                               std::span<const double> log_weights,
                                               double tolerance);

// A family by its members, descending, and its log weight.
struct WeighedFamily {
    std::vector<int> members;
    double weight;
};

// Leaves out, of families of elements below a number, smaller ones first, those that for each of
// their members are light beside a subset of themselves that has this member too: no sum over the
// families within a set that meet another loses more than 1e-14 of itself.
void leave_out_light(std::vector<WeighedFamily>& families, std::size_t elements);

}  // namespace arcwise
