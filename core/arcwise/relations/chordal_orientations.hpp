// The ways to direct a connected chordal graph without cycles and without two parents of a node
// that are not joined: how many there are, and uniformly random ones, in polynomial time.
//
// By picking cliques (Wienöbst, Bannach and Liśkiewicz 2021, "Polynomial-time algorithms for
// counting and sampling Markov equivalent DAGs"). Topological orders may begin with any maximal
// clique K; edges that are then directed the same way whatever the order of K leave connected
// chordal graphs H that can be directed for themselves. As an orientation has several such cliques,
// it counts for the one nearest to the root of a clique tree, which is to say that the order of K
// begins with none of the separators on the way there:
//   count(G) = sum over K of orders(K without these separators first) prod over H of count(H).
// Fewer than twice as many graphs come of it as there are separators and cliques; what is counted
// is kept.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "arcwise/relations/clique_tree.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

class ChordalOrientations {
  public:
    explicit ChordalOrientations(NodeNeighbours neighbours);

    // ln of how many there are.
    double log_count();

    // An order of the nodes, in which the edges lead, of a uniformly random one.
    std::vector<int> draw(Random& random);

  private:
    using Nodes = std::vector<int>;  // ascending

    enum class Shape { tree, clique, other };

    // A connected set of nodes with the edges between them.
    struct Part {
        Shape shape;
        double log_count;
        CliqueTree tree;  // of other shapes only, as are the terms of its cliques
        std::vector<double> log_terms;
    };

    const Part& part(const Nodes& nodes);
    Shape shape_of(const Nodes& nodes);
    std::vector<Nodes> parts_after(const Nodes& nodes, const Nodes& first);
    void add_components(const Nodes& nodes, std::vector<Nodes>& components);
    void draw_order(const Nodes& nodes, Random& random, Nodes& order);
    void draw_tree_order(const Nodes& nodes, Random& random, Nodes& order);

    // Marks nodes with a number that no others have until the next are marked.
    int mark(const Nodes& nodes);
    bool marked(int node, int with) const { return marks_[static_cast<std::size_t>(node)] == with; }

    NodeNeighbours neighbours_;
    std::map<Nodes, Part> parts_;
    std::vector<int> marks_;
    int last_mark_ = 0;
};

}  // namespace arcwise
