// The Markov equivalence class of a DAG: how many DAGs it has, and uniformly random ones of them.
//
// All DAGs of a class have the compelled edges in common; the others make up chordal components,
// each of which can be directed for itself, in any way without cycles and without two parents of a
// node that are not joined (Andersson, Madigan and Perlman 1997). Such ways have one source. Given
// that, edges are directed away from it until what is left are components again (He, Jia and Yu
// 2015, "Counting and exploring sizes of Markov equivalence classes of directed acyclic graphs"):
//   count(component) = sum over its nodes of prod over the components left of count,
// which is the number of nodes of a tree, and m! of m nodes that are all joined. A draw takes a
// source in proportion to its term, and so on. Counts are kept by component; there are few of them
// where cliques are small, as they are where nodes have few parents.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "arcwise/relations/relations.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

// A workspace of one thread.
class EquivalenceClass {
  public:
    explicit EquivalenceClass(int nodes);

    // Looks at the class of a DAG. False where counting takes too long: where a component has more
    // than 64 nodes, or more than some thousand others come of it. That is the same for all DAGs
    // of the class.
    bool look_at(const std::uint64_t* parents);

    // The number of its DAGs, as far as a double tells.
    double size() const { return size_; }

    // One of them, in place of the DAG looked at.
    void draw(Random& random, std::uint64_t* parents);

  private:
    using Set = std::uint64_t;  // of the members of a component

    struct Component {
        std::vector<int> members;  // ascending
        std::vector<Set> joined;   // by member
        std::unordered_map<Set, double> counts;
    };

    void find_components(const std::uint64_t* neighbours);
    double count(Component& component, Set set);
    double count_from(Component& component, Set set, std::size_t source);
    bool is_tree(const Component& component, Set set) const;
    bool is_clique(const Component& component, Set set) const;
    // Directs all edges of a connected set that its source compels: `parents` and `loose`, by
    // member, are then the parents within the set and the neighbours left.
    void direct(const Component& component, Set set, std::size_t source, std::vector<Set>& parents,
                std::vector<Set>& loose) const;
    static Set connected(const std::vector<Set>& loose, std::size_t first);
    void draw_within(Component& component, Set set, Random& random, std::uint64_t* parents);

    std::size_t nodes_;
    std::size_t words_;
    DagRelation reversible_;
    std::vector<Component> components_;
    std::vector<double> shares_;
    double size_ = 1.0;
    bool too_many_ = false;
};

}  // namespace arcwise
