// Families that survive edge constraints, out of those a table already has.
#pragma once

#include <cstdint>
#include <span>

#include "arcwise/families/family_table.hpp"

namespace arcwise {

// Keeps the families of `table` whose parents are all allowed, include the required ones and are at
// most max_indegree; matrices are nodes x nodes, [parent][node]. A node may be left with none.
FamilyTable restrict_families(const FamilyTable& table, std::span<const std::uint8_t> allowed,
                              std::span<const std::uint8_t> required,
                              std::span<const std::int64_t> max_indegree);

}  // namespace arcwise
