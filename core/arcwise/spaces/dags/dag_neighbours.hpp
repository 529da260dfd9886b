// The DAGs one edge away: which edges can be added, deleted and reversed, and how many of each.
//
// Kept up to date with the sets of all descendants, as Giudici and Castelo (2003, "Improving Markov
// chain Monte Carlo model search for data mining") do: an edge u -> v closes a cycle if and only if
// u is a descendant of v, and v's edge from u can be reversed unless u leads to v on another way.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/spaces/dags/family_weights.hpp"

namespace arcwise {

// What DAGs count as neighbours: those of families that the model has, or all with few enough
// parents, for chains that pass through DAGs the model excludes.
enum class NeighbourRule { families, any };

class DagNeighbours {
  public:
    enum Kind { add, remove, reverse, kinds };

    explicit DagNeighbours(const FamilyWeights& weights);

    // Looks at a DAG from the beginning, unless that has been done and all changes since then are
    // known.
    void look_at(const MutableDag& dag, NeighbourRule rule);
    void forget() { known_ = false; }

    std::size_t count(Kind kind) const { return static_cast<std::size_t>(totals_[kind]); }

    // The neighbour that comes `index`-th among those of a kind, as the edge parent -> node that is
    // added, deleted or reversed.
    struct Edge {
        int parent;
        int node;
    };
    Edge at(Kind kind, std::size_t index) const;

    // How many edges of a node can be deleted if it has these parents.
    std::size_t removable_count(int node, const std::uint64_t* parents);

    // Gives some nodes other parents, `rows` one after the other, and counts anew what that
    // changes.
    void change(MutableDag& dag, std::span<const int> nodes, const std::uint64_t* rows);

    // Takes the last change back, in the DAG as well.
    void take_back(MutableDag& dag);

  private:
    using Rows = std::vector<std::uint64_t>;
    std::uint64_t* row(Rows& rows, int node) const {
        return rows.data() + static_cast<std::size_t>(node) * words_;
    }
    const std::uint64_t* row(const Rows& rows, int node) const {
        return rows.data() + static_cast<std::size_t>(node) * words_;
    }

    // Sets a number that take_back restores.
    void set(std::uint64_t& number, std::uint64_t value);

    void find_families(int node, const std::uint64_t* parents);
    void renew_families(const MutableDag& dag, int node);
    void renew_descendants(const MutableDag& dag, int node);
    void renew_adds(int node);
    void renew_reversals(const MutableDag& dag, int node);
    void renew_count(Kind kind, int node, std::uint64_t count);

    const FamilyWeights& weights_;
    const int nodes_;
    const std::size_t words_;
    bool known_ = false;
    NeighbourRule rule_ = NeighbourRule::families;

    Rows descendants_;
    Rows addable_;    // by node: parents that make a family with those it has, cycles or not
    Rows removable_;  // parents without which the others are a family
    Rows adds_;       // those addable that close no cycle
    Rows reversals_;  // parents whose edge to the node can be reversed
    std::vector<std::uint64_t> counts_[kinds];  // by node
    std::uint64_t totals_[kinds] = {};

    // To take back the last change.
    struct Before {
        std::uint64_t* number;
        std::uint64_t value;
    };
    std::vector<Before> journal_;
    std::vector<int> changed_nodes_;
    Rows old_rows_;

    // Scratch: sets of nodes.
    Rows stale_;
    Rows around_;
    Rows one_;
    Rows found_addable_;
    Rows found_removable_;
};

}  // namespace arcwise
