// How the families of a set function are scored: each set once for all families it is a part of.
//
// Nodes that share their rows can also share their sets: M is then tabulated once for all sets up
// to the largest family, and families are differences of that table. Nodes with interventions, or
// with so few candidates that the common table would be the longer way, get a walk over P and one
// over P + v of their own. The last digits of M depend on the walk that meets a set, so units are
// cut from the walks of the whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/families/subset_layout.hpp"
#include "arcwise/scores/family_score.hpp"

namespace arcwise {

// Its units are first nodes with walks of their own, then pieces of the table of all sets.
class SetPlan final : public ScoringPlan {
  public:
    SetPlan(const SetFunction& score, std::vector<ParentSets> of_nodes);

    // Which nodes share a table of all sets up to a size (0: none do), and which do not.
    const std::vector<int>& alone() const { return alone_; }
    int largest_set() const { return largest_set_; }

    std::size_t units() const override { return walking_.size() + first_ranks_.size() - 1; }
    std::uint64_t values(std::size_t first, std::size_t count) const override;
    std::uint64_t work() const override;
    std::vector<double> score(std::size_t first, std::size_t count,
                              const RunOptions& options) const override;
    void put(std::size_t first, std::span<const double> values, FamilyValues families) override;
    void finish(FamilyValues families, const RunOptions& options) override;
    void score_all(FamilyValues families, const RunOptions& options) const override;

    // Sets the families of the sharing nodes to differences of the values of all sets, but for
    // those with an outside parent.
    void take_differences(std::span<const double> set_values, FamilyValues families,
                          const RunOptions& options) const;

  private:
    // Values of a node with walks of its own; `inside` is null where these are differences of the
    // common table.
    struct OwnValues {
        int node;
        double* inside;
        double* plus_one;
    };

    const ParentSets& sets_of(int node) const { return of_nodes_[static_cast<std::size_t>(node)]; }
    // The piece of the sets that a unit is; the first one for a node.
    std::size_t piece(std::size_t unit) const { return unit - std::min(unit, walking_.size()); }
    bool shares(int node) const { return shares_[static_cast<std::size_t>(node)]; }
    std::uint64_t own_values(std::size_t unit) const;
    OwnValues own_values_at(int node, double* first) const;
    std::uint64_t work_alone(std::span<const OwnValues> nodes) const;
    void score_alone(std::span<const OwnValues> nodes, Phases& phases) const;
    void score_sets(std::size_t first_piece, std::size_t last_piece, double* values,
                    const RunOptions& options) const;
    std::uint64_t families_sharing() const;

    const SetFunction& score_;
    std::vector<ParentSets> of_nodes_;
    std::vector<int> sharing_;
    std::vector<int> alone_;
    std::vector<bool> shares_;  // by node
    std::vector<int> places_;   // of the nodes in walks over the table of all sets
    int largest_set_ = 0;
    std::vector<int> walking_;                // those alone, then those with an outside parent
    std::vector<std::uint64_t> first_ranks_;  // of the pieces, and the number of all sets
    std::vector<double> set_values_;          // those taken so far
};

// Values of the sets of a node with exactly one outside parent, dense over the nodes.
struct PlusOneValues {
    ParentSets sets;  // none with an outside parent: the node has no such families to score
    double* values;
};
void score_plus_one(const SetFunction& score, std::span<const PlusOneValues> of_nodes,
                    const RunOptions& options);

}  // namespace arcwise
