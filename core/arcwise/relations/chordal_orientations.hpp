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

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "arcwise/support/random.hpp"

namespace arcwise {

// The neighbours of each node of an undirected graph, ascending.
using NodeNeighbours = std::vector<std::vector<int>>;

// The maximal cliques of a connected chordal graph, as a tree.
//
// The cliques that hold a node are connected in the tree; so what a clique has in common with its
// parent, its separator, is all that it has in common with the cliques not below it.
struct CliqueTree {
    struct Clique {
        std::vector<int> members;
        std::size_t parent;          // comes before its children; the root's is itself
        std::vector<int> separator;  // none of the root
    };
    std::vector<Clique> cliques;

    // The separators on the way from the root to a clique that are subsets of it, without
    // repetition, ascending: each is a subset of the next.
    std::vector<std::vector<int>> separators_within(std::size_t clique) const;
};

// Finds the cliques of a connected set of nodes, within which a graph is chordal, by maximum
// cardinality search (Blair and Peyton 1993, "An introduction to chordal graphs and clique trees").
CliqueTree clique_tree(const NodeNeighbours& neighbours, std::span<const int> nodes);

// Orders of a set that begin with none of certain subsets, each of which is one of the next: how
// many there are, and uniformly random ones of them.
//
// Elements have levels: how many of the subsets they are not in. An order begins with a subset if
// as many elements as it has come before all that are not in it. So while t elements are placed and
// the highest level so far is m, all that counts for the rest is (t, m), and with sizes s_0 < s_1 <
// .. < s_l, the last that of the set itself, the share of the orders of the rest that are allowed
// is
//   share(t, m) = 0 if t = s_m and m < l, 1 if t = s_l, and otherwise
//     ((s_m - t) share(t + 1, m) + sum over k > m of (s_k - s_(k-1)) share(t + 1, k)) / (s_l - t).
// No term is negative, so nothing cancels.
class PrefixFreeOrders {
  public:
    // By the sizes of the subsets, ascending, and that of the set.
    PrefixFreeOrders(std::span<const std::size_t> sizes, std::size_t elements);

    // ln of the number of allowed orders.
    double log_count() const;

    // One of them, of elements with levels from 0 on: those of the smallest subset have level 0,
    // those of no subset the highest.
    std::vector<int> draw(std::span<const int> elements, std::span<const std::size_t> levels,
                          Random& random) const;

  private:
    double share(std::size_t placed, std::size_t level) const {
        return shares_[placed * sizes_.size() + level];
    }
    // How many of a level that is higher than all that are placed there are; at the level itself
    // and below it, all that are left.
    double left(std::size_t placed, std::size_t highest, std::size_t level) const;

    std::vector<std::size_t> sizes_;  // that of the set last
    std::vector<double> shares_;      // by the number placed and the highest level
};

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
