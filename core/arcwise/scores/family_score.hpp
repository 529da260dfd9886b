// A score of families: of one parent set P, the log marginal likelihoods of all its children v,
//
//   score(v, P) = ln p(column v | columns P),   v not in P.
//
// What all children of a parent set have in common, a decomposition or a contingency table, is thus
// computed once. A new score is a class with a FamilyScorer. One that is a difference of two sets,
// M(P + v) - M(P), is a SetFunction (below), which shares more: each set is evaluated
// once for all families that it is a part of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/support/error.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// Scores families on one thread, in memory of its own.
class FamilyScorer {
  public:
    virtual ~FamilyScorer() = default;

    // Writes score(v, P) for each of the children, which ascend; the parents descend. Consecutive
    // calls mostly begin with the same parents, so that what depends on these can be kept; a score
    // must be the same whatever was computed before it.
    virtual void children(std::span<const int> parents, std::span<const int> children,
                          double* scores) = 0;
};

// Where values are written: for each node, the first of its families in storage order.
using FamilyValues = std::span<double* const>;

// The scoring of families in units, which can be scored apart from each other, on different
// machines, and give the same bits together as all at once.
class ScoringPlan {
  public:
    virtual ~ScoringPlan() = default;

    virtual std::size_t units() const = 0;

    // The number of values of some units, which differs from that of families where sets are
    // evaluated.
    virtual std::uint64_t values(std::size_t first, std::size_t count) const = 0;

    // What is evaluated in all units: families or sets. The time is in proportion to it.
    virtual std::uint64_t work() const = 0;

    // The values of some units.
    virtual std::vector<double> score(std::size_t first, std::size_t count,
                                      const RunOptions& options) const = 0;

    // Takes the values of some units; once those of all are there, `finish` completes the families.
    virtual void put(std::size_t first, std::span<const double> values, FamilyValues families) = 0;
    virtual void finish(FamilyValues families, const RunOptions& options) = 0;

    // Scores all families at once.
    virtual void score_all(FamilyValues families, const RunOptions& options) const = 0;
};

class FamilyScore {
  public:
    virtual ~FamilyScore() = default;

    // The number of variables.
    virtual std::size_t size() const = 0;

    // Whether some rows must not count in this node's own score, as it was set from outside there.
    virtual bool intervened(int node) const = 0;

    // Whether scorers may be used on several threads at once.
    virtual bool concurrent() const { return true; }

    // A scorer for children on the rows that count for `node`, or on all rows if node < 0.
    virtual std::unique_ptr<FamilyScorer> scorer(int node) const = 0;

    // How families are scored, by default parent set by parent set. Of each node there are the sets
    // of parents, which must outlive the plan, as must the score.
    virtual std::unique_ptr<ScoringPlan> plan(std::vector<ParentSets> of_nodes) const;
};

// Which parent sets a table has, and where its values are.
template <class Table>
std::vector<ParentSets> parent_sets_of(const Table& table) {
    std::vector<ParentSets> result;
    for (const auto& families : table) result.push_back(families.parent_sets());
    return result;
}

template <class Table>
std::vector<double*> values_of(Table& table) {
    std::vector<double*> result;
    for (auto& families : table) {
        if (families.values().size() != families.count()) {
            throw Error(ErrorKind::argument, "The families have no room for values.");
        }
        result.push_back(families.values().data());
    }
    return result;
}

// Sets every value of a table, a FamilyTable (whose families must be implied, not listed) or a
// PlusOneTable, to the score of its family.
template <class Table>
void score_families(const FamilyScore& score, Table& table, const RunOptions& options) {
    score.plan(parent_sets_of(table))->score_all(values_of(table), options);
}

// A score as a function M of variable *sets*: the local score of (v, P) is M(P + v) - M(P).
//
// Every score-equivalent score (BDeu, BDe, BGe, BIC) has this form, and it is what makes scoring
// fast: the five families within a set of five variables need that set only once. A new one is a
// class that can walk up and down the lattice of sets and gives M at each.

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
