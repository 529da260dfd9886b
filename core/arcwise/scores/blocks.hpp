// A set function of variables each of which is a block of columns of another set function, as the
// degenerate Gaussian score has an indicator column for each level of a discrete variable.
#pragma once

#include <memory>
#include <vector>

#include "arcwise/scores/family_score.hpp"

namespace arcwise {

// `starts` has the first column of each variable, and the number of columns at the end; a variable
// without columns adds nothing to any set. All columns of a variable have the same interventions.
std::unique_ptr<SetFunction> make_block_score(std::unique_ptr<SetFunction> of_columns,
                                              std::vector<int> starts);

}  // namespace arcwise
