// How families are scored parent set by parent set: a walk down the lattice of all parent sets,
// which meets each once and with it all its children.
//
// A walk adds ever smaller parents. A child stays on it as long as the set is the beginning of one
// of its own parent sets, so each step costs the children that take it, and nothing is looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "arcwise/scores/family_score.hpp"

namespace arcwise {

class ParentWalk final : public ScoringPlan {
  public:
    ParentWalk(const FamilyScore& score, std::vector<ParentSets> of_nodes);

    std::size_t units() const override { return units_.size(); }
    std::uint64_t values(std::size_t first, std::size_t count) const override;
    std::uint64_t work() const override { return values(0, units()); }
    std::vector<double> score(std::size_t first, std::size_t count,
                              const RunOptions& options) const override;
    void put(std::size_t first, std::span<const double> values, FamilyValues families) override;
    void finish(FamilyValues, const RunOptions&) override {}
    void score_all(FamilyValues families, const RunOptions& options) const override;

  private:
    enum class Kind : std::uint8_t { candidate, required, outside };

    struct Parent {
        int node;
        int place;  // among the parents of its kind
        Kind kind;
    };

    // The parents of a node in ascending order, and of those below each of them, how many are
    // candidates or outside parents, and where the last required one is (-1: there is none).
    struct Node {
        std::vector<Parent> parents;
        std::vector<int> candidates_below;
        std::vector<int> outside_below;
        std::vector<int> last_required_below;
    };

    // A child of the present parents that may take more of its parents below an index.
    struct Child {
        int node;
        int below;
        int candidates;  // among the present parents
        bool outside;    // whether one of them is
    };
    using Children = std::vector<Child>;

    // All parent sets that begin with the same one or two parents, or these parents alone.
    struct Unit {
        int rows_of;              // the node whose rows count; -1: all
        std::vector<int> prefix;  // descending
        bool with_all_below;
        std::uint64_t families;
    };

    Child start(int node) const;
    Children children_of(const Unit& unit) const;
    Children joined(const Children& children, int parent) const;
    bool takes(const Child& child, int index) const;
    Child with(const Child& child, int index) const;
    bool is_family(const Child& child) const;
    std::uint64_t families(const Child& child) const;
    std::uint64_t families(const Children& children) const;
    std::uint64_t rank(int child, std::span<const int> parents) const;
    void add_units(int rows_of);
    const Node& node(int v) const { return nodes_[static_cast<std::size_t>(v)]; }
    const ParentSets& sets(int v) const { return of_nodes_[static_cast<std::size_t>(v)]; }

    // Calls visit(parents, children) for every parent set of a unit that is one of families.
    template <class Visit>
    void walk(const Unit& unit, Visit&& visit) const;
    template <class Visit>
    void descend(const Children& here, std::vector<int>& parents, Visit& visit) const;
    void score_unit(const Unit& unit, FamilyScorer& scorer, double* packed, FamilyValues families,
                    TaskContext& context) const;
    void score_units(std::size_t first, std::size_t count, double* packed, FamilyValues families,
                     const RunOptions& options) const;

    const FamilyScore& score_;
    std::vector<ParentSets> of_nodes_;
    std::vector<Node> nodes_;
    std::vector<int> sharing_;  // the nodes that count all rows
    std::vector<Unit> units_;
};

}  // namespace arcwise
