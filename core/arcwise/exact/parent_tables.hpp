// Draws parent sets within U that meet a set T, in two steps of about the root of 2^|U| each.
//
// The possible parents of a node are split into low and high ones. A table has, for every set Y of
// high and X of low ones,
//   ln f(Y, X) = ln sum over Z within X of phi(Y + Z):
// the high parents Y within U are drawn by f(Y, U's low ones), less those that do not meet T; then
// the low parents Z by phi(Y + Z). Nothing is kept from draw to draw.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/support/random.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

class ParentTables {
  public:
    // The weights must outlive them.
    ParentTables(const FamilyTable& weights, const RunOptions& options);

    // Bytes they take at most for `nodes` variables.
    static std::uint64_t bytes(int nodes);

    // Parents of `node` within `allowed`, of which one at least is in `wanted`, a subset of it; an
    // empty one asks for nothing. Throws `numerical` if rounding has led to where there are none.
    std::uint32_t draw(int node, std::uint32_t allowed, std::uint32_t wanted, Random& random) const;

  private:
    struct Node {
        const double* log_weights;   // by the set of parents, without the node's own bit
        std::vector<double> filled;  // the same where the families of the model have gaps
        std::vector<double> log_sums;  // ln f(Y, X), at (Y << low bits) | X
    };

    int low_bits_;
    std::vector<Node> nodes_;
};

}  // namespace arcwise
