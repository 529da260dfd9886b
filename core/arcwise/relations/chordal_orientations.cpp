// Cliques to begin with, what they leave, and orders drawn from both.
#include "arcwise/relations/chordal_orientations.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/numerics/special.hpp"

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

PrefixFreeOrders::PrefixFreeOrders(std::span<const std::size_t> sizes, std::size_t elements)
    : sizes_(sizes.begin(), sizes.end()) {
    sizes_.push_back(elements);
    const std::size_t levels = sizes_.size();
    shares_.assign((elements + 1) * levels, 0.0);
    shares_.back() = 1.0;
    for (std::size_t placed = elements; placed-- > 0;) {
        double higher = 0.0;  // summed over the levels above
        for (std::size_t level = levels; level-- > 0;) {
            const double at_level = share(placed + 1, level);
            if (placed < sizes_[level]) {
                const double same = left(placed, level, level) * at_level;
                shares_[placed * levels + level] =
                    (same + higher) / static_cast<double>(elements - placed);
            }
            if (level > 0) higher += left(placed, level - 1, level) * at_level;
        }
    }
}

double PrefixFreeOrders::left(std::size_t placed, std::size_t highest, std::size_t level) const {
    const std::size_t below = level > highest ? sizes_[level - 1] : placed;
    return static_cast<double>(sizes_[level] - below);
}

double PrefixFreeOrders::log_count() const {
    return log_gamma(static_cast<double>(sizes_.back()) + 1.0) + std::log(share(0, 0));
}

std::vector<int> PrefixFreeOrders::draw(std::span<const int> elements,
                                        std::span<const std::size_t> levels, Random& random) const {
    std::vector<std::vector<int>> unplaced(sizes_.size());  // those up to the highest in the first
    for (std::size_t i = 0; i < elements.size(); ++i) unplaced[levels[i]].push_back(elements[i]);
    std::vector<int>& lower = unplaced[0];
    std::vector<int> order;
    std::vector<double> weights;
    std::size_t highest = 0;
    while (order.size() < elements.size()) {
        const std::size_t placed = order.size();
        weights.clear();
        for (std::size_t level = highest; level < sizes_.size(); ++level) {
            weights.push_back(left(placed, highest, level) * share(placed + 1, level));
        }
        const std::size_t level = highest + (weights.size() == 1 ? 0 : random.choose(weights));
        std::vector<int>& from = level == highest ? lower : unplaced[level];
        const std::size_t at = from.size() == 1 ? 0 : random.below(from.size());
        order.push_back(from[at]);
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(at));
        for (; highest < level; ++highest) {
            std::vector<int>& passed = unplaced[highest + 1];
            lower.insert(lower.end(), passed.begin(), passed.end());
        }
    }
    return order;
}

namespace {

std::size_t index(int node) { return static_cast<std::size_t>(node); }

// The orders of a clique that are counted for it.
PrefixFreeOrders orders_of(const CliqueTree& tree, std::size_t clique) {
    std::vector<std::size_t> sizes;
    for (const auto& separator : tree.separators_within(clique)) sizes.push_back(separator.size());
    return {sizes, tree.cliques[clique].members.size()};
}

// By member of a clique, how many of these separators it is not in.
std::vector<std::size_t> levels_of(const CliqueTree& tree, std::size_t clique) {
    std::vector<std::size_t> levels(tree.cliques[clique].members.size(), 0);
    for (const auto& separator : tree.separators_within(clique)) {
        for (std::size_t i = 0; i < levels.size(); ++i) {
            levels[i] += !std::ranges::binary_search(separator, tree.cliques[clique].members[i]);
        }
    }
    return levels;
}

// Sets of nodes that are split again and again, those with a neighbour before those without
// (lexicographic breadth-first search).
class Refinement {
  public:
    // Nodes are numbered below `nodes`; the first set comes before the second.
    Refinement(std::size_t nodes, const std::vector<int>& first, const std::vector<int>& second)
        : place_(nodes), set_(nodes, none) {
        sets_ = {{first, none, 1, true, none}, {second, 0, none, false, none}};
        for (std::size_t set = 0; set < sets_.size(); ++set) {
            for (std::size_t i = 0; i < sets_[set].nodes.size(); ++i) {
                set_[index(sets_[set].nodes[i])] = set;
                place_[index(sets_[set].nodes[i])] = i;
            }
        }
    }

    bool has(int node) const { return set_[index(node)] != none; }

    // The nodes of the first set that is not empty; none if all are.
    const std::vector<int>& first() {
        while (sets_[head_].nodes.empty() && sets_[head_].next != none) head_ = sets_[head_].next;
        return sets_[head_].nodes;
    }
    // Whether one of it was taken before, or of one that it was split from.
    bool begun() const { return sets_[head_].begun; }

    int take() {
        sets_[head_].begun = true;
        const int node = sets_[head_].nodes.back();
        remove(node);
        return node;
    }

    // Moves a node to a new set before its own, with others moved for the sake of the same.
    void split_off(int node, int for_the_sake_of) {
        const std::size_t from = set_[index(node)];
        const auto sake = index(for_the_sake_of);
        std::size_t to = sets_[from].before;
        if (to == none || sets_[to].made_for != sake) {
            to = sets_.size();
            sets_.push_back({{}, sets_[from].before, from, sets_[from].begun, sake});
            if (sets_[from].before != none) sets_[sets_[from].before].next = to;
            sets_[from].before = to;
            if (head_ == from) head_ = to;
        }
        remove(node);
        set_[index(node)] = to;
        place_[index(node)] = sets_[to].nodes.size();
        sets_[to].nodes.push_back(node);
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    struct Set {
        std::vector<int> nodes;
        std::size_t before;
        std::size_t next;
        bool begun;
        std::size_t made_for;  // a node
    };

    void remove(int node) {
        std::vector<int>& nodes = sets_[set_[index(node)]].nodes;
        nodes[place_[index(node)]] = nodes.back();
        place_[index(nodes.back())] = place_[index(node)];
        nodes.pop_back();
        set_[index(node)] = none;
    }

    std::vector<Set> sets_;
    std::size_t head_ = 0;
    std::vector<std::size_t> place_, set_;  // by node
};

}  // namespace

ChordalOrientations::ChordalOrientations(NodeNeighbours neighbours)
    : neighbours_(std::move(neighbours)), marks_(neighbours_.size(), 0) {}

int ChordalOrientations::mark(const Nodes& nodes) {
    ++last_mark_;
    for (const int node : nodes) marks_[index(node)] = last_mark_;
    return last_mark_;
}

auto ChordalOrientations::shape_of(const Nodes& nodes) -> Shape {
    const int own = mark(nodes);
    std::size_t ends = 0;
    for (const int node : nodes) {
        for (const int other : neighbours_[index(node)]) ends += marked(other, own);
    }
    if (ends == 2 * (nodes.size() - 1)) return Shape::tree;
    return ends == nodes.size() * (nodes.size() - 1) ? Shape::clique : Shape::other;
}

double ChordalOrientations::log_count() {
    Nodes all(neighbours_.size());
    std::iota(all.begin(), all.end(), 0);
    return part(all).log_count;
}

auto ChordalOrientations::part(const Nodes& nodes) -> const Part& {
    if (const auto known = parts_.find(nodes); known != parts_.end()) return known->second;
    const auto count = static_cast<double>(nodes.size());
    Part result{shape_of(nodes), 0.0, {}, {}};
    if (result.shape == Shape::tree) {
        result.log_count = std::log(count);
    } else if (result.shape == Shape::clique) {
        result.log_count = log_gamma(count + 1.0);
    } else {
        result.tree = clique_tree(neighbours_, nodes);
        result.log_count = minus_infinity;
        for (std::size_t clique = 0; clique < result.tree.cliques.size(); ++clique) {
            double log_term = orders_of(result.tree, clique).log_count();
            for (const Nodes& left : parts_after(nodes, result.tree.cliques[clique].members)) {
                if (left.size() > 1) log_term += part(left).log_count;
            }
            result.log_terms.push_back(log_term);
            result.log_count = log_add(result.log_count, log_term);
        }
    }
    return parts_.emplace(nodes, std::move(result)).first->second;
}

// The parts that are left where orders begin with a clique, in an order in which they can come
// after it. Nodes of one part have the same neighbours before it (algorithm 1 there).
auto ChordalOrientations::parts_after(const Nodes& nodes, const Nodes& first)
    -> std::vector<Nodes> {
    Nodes rest;
    const int own = mark(first);
    std::ranges::copy_if(nodes, std::back_inserter(rest),
                         [&](int node) { return !marked(node, own); });
    std::vector<Nodes> parts;
    Refinement refinement(neighbours_.size(), first, rest);
    while (!refinement.first().empty()) {
        if (!refinement.begun()) add_components(refinement.first(), parts);
        const int node = refinement.take();
        for (const int other : neighbours_[index(node)]) {
            if (refinement.has(other)) refinement.split_off(other, node);
        }
    }
    return parts;
}

void ChordalOrientations::add_components(const Nodes& nodes, std::vector<Nodes>& components) {
    const int own = mark(nodes);
    for (const int first : nodes) {
        if (!marked(first, own)) continue;
        Nodes found{first};
        marks_[index(first)] = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            for (const int other : neighbours_[index(found[i])]) {
                if (!marked(other, own)) continue;
                marks_[index(other)] = 0;
                found.push_back(other);
            }
        }
        std::ranges::sort(found);
        components.push_back(std::move(found));
    }
}

std::vector<int> ChordalOrientations::draw(Random& random) {
    Nodes all(neighbours_.size());
    std::iota(all.begin(), all.end(), 0);
    Nodes order;
    draw_order(all, random, order);
    return order;
}

void ChordalOrientations::draw_order(const Nodes& nodes, Random& random, Nodes& order) {
    if (nodes.size() == 1) {
        order.push_back(nodes.front());
        return;
    }
    const Part& own = part(nodes);
    if (own.shape == Shape::tree) {
        draw_tree_order(nodes, random, order);
        return;
    }
    if (own.shape == Shape::clique) {
        Nodes shuffled = nodes;
        random.shuffle(std::span(shuffled));
        order.insert(order.end(), shuffled.begin(), shuffled.end());
        return;
    }
    std::vector<double> shares;
    for (const double term : own.log_terms) shares.push_back(std::exp(term - own.log_count));
    const std::size_t clique = random.choose(shares);
    const Nodes& members = own.tree.cliques[clique].members;
    const Nodes first =
        orders_of(own.tree, clique).draw(members, levels_of(own.tree, clique), random);
    order.insert(order.end(), first.begin(), first.end());
    for (const Nodes& left : parts_after(nodes, members)) draw_order(left, random, order);
}

// Away from any node.
void ChordalOrientations::draw_tree_order(const Nodes& nodes, Random& random, Nodes& order) {
    const int own = mark(nodes);
    const std::size_t begin = order.size();
    order.push_back(nodes[random.below(nodes.size())]);
    marks_[index(order.back())] = 0;
    for (std::size_t i = begin; i < order.size(); ++i) {
        for (const int other : neighbours_[index(order[i])]) {
            if (!marked(other, own)) continue;
            marks_[index(other)] = 0;
            order.push_back(other);
        }
    }
}

}  // namespace arcwise
