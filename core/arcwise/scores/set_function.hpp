// A score as a function M of variable *sets*: the local score of (v, P) is M(P + v) - M(P).
//
// Every score-equivalent score (BDeu, BDe, BGe, BIC) has this form, and it is what makes scoring
// fast: the five families within a set of five variables need that set only once. A new one is a
// class that can walk up and down the lattice of sets and gives M at each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/scores/family_score.hpp"

namespace arcwise {

// A position in the lattice of subsets of the prepared variables, known by their positions. Members
// are pushed in descending order only, which is what lets a step share the work of those before it.
class SubsetWalker {
  public:
    virtual ~SubsetWalker() = default;

    // M of the current set.
    virtual double value() const = 0;

    // Adds a variable smaller than all present ones. `only_leaves_follow` promises that the next
    // calls are `value`, `leaves` and `pop`, never another push on top.
    virtual void push(int position, bool only_leaves_follow) = 0;

    // Takes the last variable away again.
    virtual void pop() = 0;

    // Writes M(current set + position) for position = 0 .. limit-1.
    virtual void leaves(int limit, double* out) = 0;
};

// The data a walk needs, reduced to a list of variables; shared by the walkers of many threads.
class PreparedSets {
  public:
    virtual ~PreparedSets() = default;
    virtual std::unique_ptr<SubsetWalker> walker() const = 0;
};

class SetFunction : public FamilyScore {
  public:
    // Whether walks should push this variable before those for which it is false: what it costs is
    // then shared by all sets that follow.
    virtual bool pushed_first(int) const { return false; }

    // Prepares walks over `variables`, on the rows that count for `node` (all rows if node < 0).
    virtual std::unique_ptr<PreparedSets> prepare(std::span<const int> variables,
                                                  int node) const = 0;

    std::unique_ptr<FamilyScorer> scorer(int node) const final;
    std::unique_ptr<ScoringPlan> plan(std::vector<ParentSets> of_nodes) const final;
};

// Which variable was set from outside in which row; such a row does not count in its own score.
struct Interventions {
    std::span<const std::uint8_t> mask;  // empty, or rows x variables, column after column
    std::size_t rows = 0;

    bool at(std::size_t row, int variable) const {
        return !mask.empty() && mask[static_cast<std::size_t>(variable) * rows + row] != 0;
    }

    bool any(int variable) const {
        if (mask.empty()) return false;
        const auto column = mask.subspan(static_cast<std::size_t>(variable) * rows, rows);
        return std::any_of(column.begin(), column.end(), [](std::uint8_t set) { return set != 0; });
    }
};

}  // namespace arcwise
