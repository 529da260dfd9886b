// The maximal cliques of a connected chordal graph, as a tree.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace arcwise {

// The neighbours of each node of an undirected graph, ascending.
using NodeNeighbours = std::vector<std::vector<int>>;

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

// Of a connected set of nodes of a graph that is chordal within it, by maximum cardinality search
// (Blair and Peyton 1993, "An introduction to chordal graphs and clique trees").
CliqueTree clique_tree(const NodeNeighbours& neighbours, std::span<const int> nodes);

}  // namespace arcwise
