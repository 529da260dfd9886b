// The Markov equivalence class of a DAG: how many DAGs it has, and uniformly random ones of them.
//
// All DAGs of a class have the compelled edges in common; the others make up chordal components,
// each of which can be directed for itself, in any way without cycles and without two parents of a
// node that are not joined (Andersson, Madigan and Perlman 1997).
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/relations/chordal_orientations.hpp"
#include "arcwise/relations/relations.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

// A workspace of one thread.
class EquivalenceClass {
  public:
    explicit EquivalenceClass(int nodes);

    // Looks at the class of a DAG.
    void look_at(const std::uint64_t* parents);

    // ln of the number of its DAGs; 0 if there is one.
    double log_size();

    // Whether there is no other.
    bool single() const { return components_.empty(); }

    // One of them, in place of the DAG looked at.
    void draw(Random& random, std::uint64_t* parents);

  private:
    struct Component {
        std::vector<int> members;  // ascending
        NodeNeighbours joined;     // by member, of members
        ChordalOrientations orientations;
    };

    void add_component(const std::uint64_t* neighbours, std::vector<int> members);

    std::size_t nodes_;
    std::size_t words_;
    DagRelation reversible_;
    std::vector<Component> components_;
};

}  // namespace arcwise
