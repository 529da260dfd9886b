// Sizes of equivalence classes and the law of draws from them, against enumeration.
#include "arcwise/relations/equivalence_class.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "all_branches.hpp"
#include "arcwise/support/bits.hpp"
#include "check.hpp"

using namespace arcwise;

namespace {

using Parents = std::vector<std::uint64_t>;  // by node, of at most 64 nodes
using Edge = std::pair<int, int>;

// The DAG of an undirected graph whose edges lead from smaller to larger nodes.
Parents upwards(int nodes, const std::vector<Edge>& edges) {
    Parents parents(static_cast<std::size_t>(nodes), 0);
    for (const auto& [low, high] : edges) {
        put_member(&parents[static_cast<std::size_t>(high)], low);
    }
    return parents;
}

bool acyclic(const Parents& parents) {
    std::uint64_t placed = 0;
    const std::uint64_t all = (std::uint64_t{1} << parents.size()) - 1;
    while (placed != all) {
        const std::uint64_t before = placed;
        for (std::size_t node = 0; node < parents.size(); ++node) {
            if ((parents[node] & ~before) == 0) placed |= std::uint64_t{1} << node;
        }
        if (placed == before) return false;
    }
    return true;
}

// Nodes with two parents that are not joined, and these.
std::set<std::vector<std::size_t>> colliders(const Parents& parents) {
    std::set<std::vector<std::size_t>> found;
    const auto has = [&](std::size_t node, std::size_t parent) {
        return (parents[node] >> parent & 1) != 0;
    };
    for (std::size_t node = 0; node < parents.size(); ++node) {
        for (std::size_t one = 0; one < parents.size(); ++one) {
            for (std::size_t other = 0; other < one; ++other) {
                if (has(node, one) && has(node, other) && !has(one, other) && !has(other, one)) {
                    found.insert({node, one, other});
                }
            }
        }
    }
    return found;
}

// All DAGs with the same edges, in whatever directions, and the same colliders.
std::set<Parents> enumerated(const Parents& parents) {
    std::vector<Edge> edges;
    for (std::size_t node = 0; node < parents.size(); ++node) {
        for_each_member(&parents[node], 1,
                        [&](int parent) { edges.emplace_back(parent, static_cast<int>(node)); });
    }
    const auto kept = colliders(parents);
    std::set<Parents> members;
    for (std::size_t turned = 0; turned < std::size_t{1} << edges.size(); ++turned) {
        Parents other(parents.size(), 0);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            auto [from, to] = edges[i];
            if ((turned >> i & 1) != 0) std::swap(from, to);
            put_member(&other[static_cast<std::size_t>(to)], from);
        }
        if (acyclic(other) && colliders(other) == kept) members.insert(other);
    }
    return members;
}

double size_of(const Parents& parents) {
    EquivalenceClass equivalent(static_cast<int>(parents.size()));
    equivalent.look_at(parents.data());
    CHECK(equivalent.single() == (equivalent.log_size() == 0.0));
    return std::exp(equivalent.log_size());
}

bool close(double value, double expected) { return std::abs(value / expected - 1.0) < 1e-11; }

std::vector<Edge> clique(int from, int to) {
    std::vector<Edge> edges;
    for (int high = from; high < to; ++high) {
        for (int low = from; low < high; ++low) edges.emplace_back(low, high);
    }
    return edges;
}

}  // namespace

TEST(classes_of_known_sizes) {
    double factorial = 1.0;
    for (int nodes = 2; nodes <= 12; ++nodes) {
        factorial *= nodes;
        CHECK(close(size_of(upwards(nodes, clique(0, nodes))), factorial));
    }
    std::vector<Edge> path, star;
    for (int node = 1; node < 60; ++node) {
        path.emplace_back(node - 1, node);
        star.emplace_back(0, node);
    }
    CHECK(close(size_of(upwards(60, path)), 60.0));
    CHECK(close(size_of(upwards(60, star)), 60.0));
    CHECK(close(size_of(upwards(3, {{0, 2}, {1, 2}})), 1.0));
    // A path and a clique side by side.
    std::vector<Edge> both = clique(4, 8);
    both.insert(both.end(), {{0, 1}, {1, 2}, {2, 3}});
    CHECK(close(size_of(upwards(8, both)), 4.0 * 24.0));
}

TEST(classes_of_all_dags_of_five_nodes_and_draws_from_them) {
    // By the DAGs whose edges lead upwards: one of each up to the names of its nodes.
    const std::vector<Edge> all = clique(0, 5);
    for (std::size_t chosen = 0; chosen < std::size_t{1} << all.size(); ++chosen) {
        std::vector<Edge> edges;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if ((chosen >> i & 1) != 0) edges.push_back(all[i]);
        }
        const Parents dag = upwards(5, edges);
        const std::set<Parents> members = enumerated(dag);
        EquivalenceClass equivalent(5);
        equivalent.look_at(dag.data());
        const auto size = static_cast<double>(members.size());
        CHECK(close(std::exp(equivalent.log_size()), size));
        std::map<Parents, double> law;
        AllBranches branches;
        branches.for_each([&] {
            Random random(branches);
            Parents drawn = dag;
            equivalent.draw(random, drawn.data());
            law[drawn] += branches.probability();
        });
        CHECK(law.size() == members.size());
        for (const auto& [drawn, probability] : law) {
            CHECK(members.contains(drawn));
            CHECK(std::abs(probability * size - 1.0) < 1e-12);
        }
    }
}

TEST(draws_from_a_chain_of_triangles_are_uniform) {
    // Eight nodes, each joined to the next two: counts of counts.
    std::vector<Edge> edges;
    for (int node = 1; node < 8; ++node) {
        edges.emplace_back(node - 1, node);
        if (node > 1) edges.emplace_back(node - 2, node);
    }
    const Parents dag = upwards(8, edges);
    const std::set<Parents> members = enumerated(dag);
    EquivalenceClass equivalent(8);
    equivalent.look_at(dag.data());
    const auto size = static_cast<double>(members.size());
    CHECK(close(std::exp(equivalent.log_size()), size));
    // Five and a half standard deviations above the mean of chi squared with so many degrees of
    // freedom: by chance about once in 100,000 times.
    std::map<Parents, double> counts;
    Random random(7, 0);
    const double draws = 20000.0;
    for (int i = 0; i < 20000; ++i) {
        Parents drawn = dag;
        equivalent.draw(random, drawn.data());
        counts[drawn] += 1.0;
    }
    const double expected = draws / size;
    double statistic = 0.0;
    for (const Parents& member : members) {
        statistic += (counts[member] - expected) * (counts[member] - expected) / expected;
    }
    const double freedom = size - 1.0;
    CHECK(statistic < freedom + 5.5 * std::sqrt(2.0 * freedom));
    CHECK(counts.size() == members.size());
}
