// Orientations of chordal graphs: numbers and laws against all orders of the nodes, numbers of
// middling graphs against a plain recursion over sources, draws from large ones.
#include "arcwise/relations/chordal_orientations.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "all_branches.hpp"
#include "arcwise/numerics/special.hpp"
#include "check.hpp"

using namespace arcwise;

namespace {

using Edges = std::vector<std::pair<int, int>>;  // from, to

bool joined(const NodeNeighbours& graph, int one, int other) {
    return std::ranges::binary_search(graph[static_cast<std::size_t>(one)], other);
}

NodeNeighbours without_edges(int nodes) { return NodeNeighbours(static_cast<std::size_t>(nodes)); }

void join(NodeNeighbours& graph, int one, int other) {
    for (const auto& [at, added] : {std::pair{one, other}, std::pair{other, one}}) {
        auto& row = graph[static_cast<std::size_t>(at)];
        row.insert(std::ranges::lower_bound(row, added), added);
    }
}

// Connected: each node is joined to some of a clique among those before it.
NodeNeighbours random_chordal(int nodes, std::size_t most_joined, Random& random) {
    NodeNeighbours graph = without_edges(nodes);
    for (int node = 1; node < nodes; ++node) {
        std::vector<int> clique{static_cast<int>(random.below(static_cast<std::uint64_t>(node)))};
        const std::size_t wanted = 1 + random.below(most_joined);
        std::vector<int> others = graph[static_cast<std::size_t>(clique.front())];
        random.shuffle(std::span(others));
        for (const int other : others) {
            if (clique.size() < wanted &&
                std::ranges::all_of(clique, [&](int each) { return joined(graph, each, other); })) {
                clique.push_back(other);
            }
        }
        for (const int other : clique) join(graph, node, other);
    }
    return graph;
}

Edges directed_along(const NodeNeighbours& graph, const std::vector<int>& order) {
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = i;
    Edges edges;
    for (std::size_t node = 0; node < graph.size(); ++node) {
        for (const int parent : graph[node]) {
            if (place[static_cast<std::size_t>(parent)] < place[node]) {
                edges.emplace_back(parent, static_cast<int>(node));
            }
        }
    }
    return edges;
}

bool has_collider(const NodeNeighbours& graph, const Edges& edges) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
        for (std::size_t j = i + 1; j < edges.size() && edges[j].second == edges[i].second; ++j) {
            if (!joined(graph, edges[i].first, edges[j].first)) return true;
        }
    }
    return false;
}

std::set<Edges> enumerated(const NodeNeighbours& graph) {
    std::vector<int> order(graph.size());
    std::iota(order.begin(), order.end(), 0);
    std::set<Edges> found;
    do {
        Edges edges = directed_along(graph, order);
        if (!has_collider(graph, edges)) found.insert(std::move(edges));
    } while (std::ranges::next_permutation(order).found);
    return found;
}

// All sources in turn: away from each, edges are directed until what is left are components again
// (He, Jia and Yu 2015).
double count_by_sources(const NodeNeighbours& graph, const std::vector<int>& nodes,
                        std::map<std::vector<int>, double>& known) {
    if (nodes.size() == 1) return 1.0;
    if (const auto found = known.find(nodes); found != known.end()) return found->second;
    double sum = 0.0;
    for (const int source : nodes) {
        std::set<std::pair<int, int>> directed;
        const auto loose = [&](int one, int other) {
            return joined(graph, one, other) && !directed.contains({one, other}) &&
                   !directed.contains({other, one});
        };
        for (const int node : nodes) {
            if (joined(graph, source, node)) directed.insert({source, node});
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto& [above, from] : std::set(directed)) {
                for (const int to : nodes) {
                    if (to == above || !loose(from, to) || joined(graph, above, to)) continue;
                    directed.insert({from, to});
                    changed = true;
                }
            }
        }
        double product = 1.0;
        std::set<int> seen;
        for (const int first : nodes) {
            if (seen.contains(first)) continue;
            std::vector<int> part{first};
            seen.insert(first);
            for (std::size_t i = 0; i < part.size(); ++i) {
                for (const int node : nodes) {
                    if (loose(part[i], node) && seen.insert(node).second) part.push_back(node);
                }
            }
            std::ranges::sort(part);
            product *= count_by_sources(graph, part, known);
        }
        sum += product;
    }
    return known[nodes] = sum;
}

}  // namespace

TEST(orders_without_prefixes_are_counted_and_drawn_uniformly) {
    const std::vector<int> elements{0, 1, 2, 3, 4};
    for (unsigned chosen = 0; chosen < 16; ++chosen) {
        std::vector<std::size_t> sizes;
        for (std::size_t size = 1; size < 5; ++size) {
            if ((chosen >> (size - 1) & 1) != 0) sizes.push_back(size);
        }
        // A subset has the first elements, as many as its size.
        std::set<std::vector<int>> allowed;
        std::vector<int> order = elements;
        do {
            if (std::ranges::none_of(sizes, [&](std::size_t size) {
                    const auto end = order.begin() + static_cast<std::ptrdiff_t>(size);
                    return *std::max_element(order.begin(), end) < static_cast<int>(size);
                })) {
                allowed.insert(order);
            }
        } while (std::ranges::next_permutation(order).found);
        std::vector<std::size_t> levels;
        for (const int element : elements) {
            levels.push_back(static_cast<std::size_t>(std::ranges::count_if(
                sizes, [&](std::size_t size) { return element >= static_cast<int>(size); })));
        }
        const PrefixFreeOrders orders(sizes, elements.size());
        const auto count = static_cast<double>(allowed.size());
        CHECK(std::abs(std::exp(orders.log_count()) / count - 1.0) < 1e-12);
        std::map<std::vector<int>, double> law;
        AllBranches branches;
        branches.for_each([&] {
            Random random(branches);
            const std::vector<int> drawn = orders.draw(elements, levels, random);
            law[drawn] += branches.probability();
        });
        CHECK(law.size() == allowed.size());
        for (const auto& [drawn, probability] : law) {
            CHECK(allowed.contains(drawn));
            CHECK(std::abs(probability * count - 1.0) < 1e-12);
        }
    }
}

TEST(cliques_of_random_chordal_graphs_make_a_tree) {
    Random random(3, 0);
    for (int trial = 0; trial < 200; ++trial) {
        const NodeNeighbours graph = random_chordal(12, 4, random);
        std::vector<int> nodes(graph.size());
        std::iota(nodes.begin(), nodes.end(), 0);
        const CliqueTree tree = clique_tree(graph, nodes);
        std::size_t joined_before = 0;  // edges of the graph, each by the first clique that has it
        for (std::size_t i = 0; i < tree.cliques.size(); ++i) {
            const auto& clique = tree.cliques[i];
            const auto all_joined_to = [&](int node) {
                return std::ranges::all_of(clique.members, [&](int each) {
                    return each == node || joined(graph, each, node);
                });
            };
            CHECK(std::ranges::all_of(clique.members, all_joined_to));
            for (const int node : nodes) {
                CHECK(std::ranges::count(clique.members, node) == 1 || !all_joined_to(node));
            }
            CHECK(i == 0 ? clique.parent == 0 : clique.parent < i);
            for (const int node : clique.separator) {
                CHECK(std::ranges::count(tree.cliques[clique.parent].members, node) == 1);
            }
            joined_before += clique.members.size() * (clique.members.size() - 1) / 2 -
                             clique.separator.size() *
                                 (clique.separator.empty() ? 0 : clique.separator.size() - 1) / 2;
        }
        std::size_t ends = 0;
        for (const auto& row : graph) ends += row.size();
        CHECK(2 * joined_before == ends);
    }
}

TEST(orientations_of_seven_nodes_are_counted_and_drawn_uniformly) {
    Random random(1, 0);
    for (int trial = 0; trial < 40; ++trial) {
        const NodeNeighbours graph =
            random_chordal(7, 1 + static_cast<std::size_t>(trial) % 4, random);
        const std::set<Edges> all = enumerated(graph);
        const auto count = static_cast<double>(all.size());
        ChordalOrientations orientations(graph);
        CHECK(std::abs(std::exp(orientations.log_count()) / count - 1.0) < 1e-12);
        std::map<Edges, double> law;
        AllBranches branches;
        branches.for_each([&] {
            Random script(branches);
            const Edges drawn = directed_along(graph, orientations.draw(script));
            law[drawn] += branches.probability();
        });
        CHECK(law.size() == all.size());
        for (const auto& [drawn, probability] : law) {
            CHECK(all.contains(drawn));
            CHECK(std::abs(probability * count - 1.0) < 1e-11);
        }
    }
}

TEST(orientations_of_middling_graphs_are_as_many_as_by_sources) {
    Random random(2, 0);
    for (int trial = 0; trial < 12; ++trial) {
        const NodeNeighbours graph =
            random_chordal(18, 2 + static_cast<std::size_t>(trial) % 3, random);
        std::vector<int> nodes(graph.size());
        std::iota(nodes.begin(), nodes.end(), 0);
        std::map<std::vector<int>, double> known;
        const double expected = count_by_sources(graph, nodes, known);
        CHECK(std::abs(std::exp(ChordalOrientations(graph).log_count()) / expected - 1.0) < 1e-11);
    }
}

TEST(large_chordal_graphs_are_counted_and_directed) {
    NodeNeighbours complete = without_edges(100), tree = without_edges(400);
    for (int node = 1; node < 100; ++node) {
        for (int other = 0; other < node; ++other) join(complete, node, other);
    }
    Random random(4, 0);
    for (int node = 1; node < 400; ++node) {
        join(tree, node, static_cast<int>(random.below(static_cast<std::uint64_t>(node))));
    }
    CHECK(std::abs(ChordalOrientations(complete).log_count() - log_gamma(101.0)) < 1e-9);
    CHECK(std::abs(ChordalOrientations(tree).log_count() - std::log(400.0)) < 1e-12);
    std::vector<NodeNeighbours> graphs{complete, tree};
    for (std::size_t most = 2; most <= 12; most += 5) {
        graphs.push_back(random_chordal(200, most, random));
    }
    for (const NodeNeighbours& graph : graphs) {
        ChordalOrientations orientations(graph);
        std::set<Edges> seen;
        for (int i = 0; i < 5; ++i) {
            const std::vector<int> order = orientations.draw(random);
            CHECK(std::set<int>(order.begin(), order.end()).size() == graph.size());
            const Edges edges = directed_along(graph, order);
            CHECK(!has_collider(graph, edges));
            seen.insert(edges);
        }
        CHECK(seen.size() > 1);
    }
}

// Where a graph has an automorphism, nodes that it exchanges are sources equally often: of a band
// of 150 nodes, each joined to the next three, the first node and the last.
TEST(sources_of_a_long_band_are_even_at_both_ends) {
    NodeNeighbours band = without_edges(150);
    for (int node = 0; node < 150; ++node) {
        for (int other = std::max(0, node - 3); other < node; ++other) join(band, node, other);
    }
    ChordalOrientations orientations(band);
    Random random(5, 0);
    double lower = 0.0;
    constexpr double draws = 2000.0;
    for (int i = 0; i < 2000; ++i) lower += orientations.draw(random).front() < 75 ? 1.0 : 0.0;
    // Four and a half standard deviations: by chance about once in 150,000 times.
    CHECK(std::abs(lower - draws / 2.0) < 4.5 * std::sqrt(draws / 4.0));
}
