#include "arcwise/relations/clique_tree.hpp"

#include <algorithm>

namespace arcwise {

std::vector<std::vector<int>> CliqueTree::separators_within(std::size_t clique) const {
    std::vector<int> members = cliques[clique].members;
    std::ranges::sort(members);
    std::vector<std::vector<int>> found;
    for (std::size_t at = clique; cliques[at].parent != at; at = cliques[at].parent) {
        std::vector<int> separator = cliques[at].separator;
        std::ranges::sort(separator);
        if (!std::ranges::includes(members, separator)) continue;
        // All cliques in between hold it too, so it is a subset of those found before.
        if (found.empty() || separator.size() < found.back().size()) {
            found.push_back(std::move(separator));
        }
    }
    std::ranges::reverse(found);
    return found;
}

CliqueTree clique_tree(const NodeNeighbours& neighbours, std::span<const int> nodes) {
    constexpr int outside = -1;
    constexpr std::size_t unseen = static_cast<std::size_t>(-1);
    std::vector<int> seen_neighbours(neighbours.size(), outside);
    for (const int node : nodes) seen_neighbours[static_cast<std::size_t>(node)] = 0;
    std::vector<std::size_t> clique_of(neighbours.size(), unseen);  // where it was seen first
    CliqueTree tree;
    int before = -1;  // neighbours seen of the node before
    for (std::size_t count = 0; count < nodes.size(); ++count) {
        int next = -1;
        for (const int node : nodes) {
            if (clique_of[static_cast<std::size_t>(node)] != unseen) continue;
            if (next < 0 || seen_neighbours[static_cast<std::size_t>(node)] >
                                seen_neighbours[static_cast<std::size_t>(next)]) {
                next = node;
            }
        }
        const auto at = static_cast<std::size_t>(next);
        std::vector<int> separator;
        std::size_t parent = 0;
        for (const int neighbour : neighbours[at]) {
            const auto other = static_cast<std::size_t>(neighbour);
            if (seen_neighbours[other] == outside) continue;
            ++seen_neighbours[other];
            if (clique_of[other] == unseen) continue;
            separator.push_back(neighbour);
            // The neighbour that was seen last was seen in a clique with all others.
            parent = std::max(parent, clique_of[other]);
        }
        if (seen_neighbours[at] <= before || tree.cliques.empty()) {
            std::vector<int> members = separator;
            members.push_back(next);
            if (tree.cliques.empty()) parent = 0;
            tree.cliques.push_back({std::move(members), parent, std::move(separator)});
        } else {
            tree.cliques.back().members.push_back(next);
        }
        clique_of[at] = tree.cliques.size() - 1;
        before = seen_neighbours[at];
    }
    return tree;
}

}  // namespace arcwise
