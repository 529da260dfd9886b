// Fills a family table with the local scores of a set function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

// Parts of the scoring of a table that can be done apart from each other, on different machines,
// and give the same bits together as the whole does.
//
// A family is a difference of two sets, and the last digits of a set depend on the walk that meets
// it; so parts are cut from the walks that the whole table would be scored by.
//
// Which nodes share a table of all sets up to a size, and which have walks of their own.
struct ScoringPlan {
    std::vector<int> sharing;
    std::vector<int> alone;
    int largest_set = 0;      // 0: no table, all are alone
    std::vector<int> places;  // of the nodes in walks over the table of all sets
};

// `intervened` and `pushed_first` have an entry for each node that is not zero if it has rows set
// from outside, or if walks are to push it before the others.
ScoringPlan plan_scoring(const FamilyTable& table, std::span<const std::uint8_t> intervened,
                         std::span<const std::uint8_t> pushed_first);

// The table of all sets of so many nodes up to a size falls into pieces that follow each other; the
// rank of the first set of each, and the number of all sets at the end.
std::vector<std::uint64_t> set_pieces(int nodes, int largest_set);

// M of the sets of some of these pieces.
struct SetBlock {
    SetBlock(int of_nodes, int largest, std::size_t first, std::size_t last);
    std::size_t size() const { return static_cast<std::size_t>(nodes); }

    int nodes;
    int largest_set;
    std::size_t first_piece;
    std::size_t last_piece;  // not among them
    std::vector<double> values;
};
void score_families(const SetFunction& score, SetBlock& block, const RunOptions& options);

// A table whose nodes are all scored by walks of their own, whatever the whole it is a part of.
struct LoneTable {
    std::size_t size() const { return families.size(); }
    NodeFamilies& operator[](std::size_t node) { return families[node]; }
    FamilyTable families;
};
void score_families(const SetFunction& score, LoneTable& table, const RunOptions& options);

// Sets the families of the sharing nodes to differences of the values of all sets, but for those
// with an outside parent.
void take_differences(const ScoringPlan& plan, std::span<const double> set_values,
                      FamilyTable& table, const RunOptions& options);

}  // namespace arcwise
