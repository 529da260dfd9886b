// Fills a family table with the local scores of a set function.
#pragma once

#include <span>

#include "arcwise/families/family_table.hpp"
#include "arcwise/families/plus_one_table.hpp"
#include "arcwise/scores/set_function.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// Sets every value of `table` (whose families must be implied, not listed) to the local score
// M(P + v) - M(P).
void score_families(const SetFunction& score, FamilyTable& table, const RunOptions& options);

// The same for families with one outside parent, each node on a walk of its own.
void score_families(const SetFunction& score, PlusOneTable& table, const RunOptions& options);
void score_plus_one(const SetFunction& score, std::span<const PlusOneBlock> blocks,
                    const RunOptions& options);

}  // namespace arcwise
