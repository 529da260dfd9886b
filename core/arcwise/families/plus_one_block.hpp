// Values of families with exactly one outside parent, as a walk over sets meets them: the subsets
// of the candidates by rank, and for each of them the outside parents side by side.
#pragma once

#include <span>

#include "arcwise/families/subset_layout.hpp"

namespace arcwise {

struct PlusOneBlock {
    std::span<const int> candidates;
    std::span<const int> required;
    std::span<const int> outside;
    const SubsetLayout* layout;  // of the subsets of the candidates
    double* values;              // layout->count() * outside.size()

    std::uint64_t count() const { return layout->count() * outside.size(); }
};

}  // namespace arcwise
