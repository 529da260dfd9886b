// Adds a modular structure prior to family weights.
//
//   ln kappa_v(P) = constant[v] + size[v][|P|] + sum over u in P of edge[u][v]
#pragma once

#include <span>

#include "arcwise/families/family_table.hpp"

namespace arcwise {

struct PriorTerms {
    std::span<const double> constant;  // nodes
    std::span<const double> size;      // nodes x nodes, [node][number of parents]
    std::span<const double> edge;      // nodes x nodes, [parent][node]
};

void add_prior(const PriorTerms& terms, FamilyTable& table);

}  // namespace arcwise
