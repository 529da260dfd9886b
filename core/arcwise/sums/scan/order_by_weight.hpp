// Sorts families by falling weight, in time proportional to their number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// The indices of all weights but those of minus infinity, heaviest first; of equal weights the
// lower index first. There are fewer than 2^32.
std::vector<std::uint32_t> order_by_weight(std::span<const double> weights);

}  // namespace arcwise
