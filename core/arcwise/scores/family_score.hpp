// A score of families: of one parent set P, the log marginal likelihoods of all its children v,
//
//   score(v, P) = ln p(column v | columns P),   v not in P.
//
// What all children of a parent set have in common, a decomposition or a contingency table, is thus
// computed once. A new score is a class with a FamilyScorer. One that is a difference of two sets,
// M(P + v) - M(P), is a SetFunction (set_function.hpp), which shares more: each set is evaluated
// once for all families that it is a part of.
#pragma once

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

}  // namespace arcwise
