// DAGs over the nodes of a window: the law of their layers against all DAGs, weights near and far.
#include "arcwise/spaces/dags/window_recursion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "all_branches.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr std::size_t nodes = 4;
constexpr std::size_t sets = 1 << nodes;
constexpr double smallest_share = 1e-12;

using Dependences = std::array<std::uint32_t, nodes>;
using Key =
    std::array<std::uint32_t, 2 * nodes>;  // of each node what was placed, and the last layer

// The log weights of what each node depends on; some have none without another node.
struct Weights {
    std::array<std::array<double, sets>, nodes> of{};

    Weights(double spread, bool required, Random& random) {
        for (std::size_t node = 0; node < nodes; ++node) {
            for (std::size_t set = 0; set < sets; ++set) {
                const bool none = (set >> node & 1) != 0 || (required && node > 0 && set % 2 == 0);
                of[node][set] = none ? minus_infinity : spread * (random.uniform() - 0.5);
            }
        }
    }

    std::vector<double> log_sums() const {
        std::vector<double> result(nodes * sets, minus_infinity);
        for (std::size_t node = 0; node < nodes; ++node) {
            for (std::size_t within = 0; within < sets; ++within) {
                if ((within >> node & 1) != 0) continue;
                double& sum = result[node * sets + within];
                for (std::size_t set = 0; set < sets; ++set) {
                    if ((set & ~within) == 0) sum = log_add(sum, of[node][set]);
                }
            }
        }
        return result;
    }
};

// The layers of a DAG; false for a graph with a cycle.
bool find_layers(const Dependences& dependences, Key& key) {
    std::uint32_t placed = 0;
    std::uint32_t layer = 0;
    while (placed != sets - 1) {
        std::uint32_t next = 0;
        for (std::size_t node = 0; node < nodes; ++node) {
            if ((placed >> node & 1) != 0 || (dependences[node] & ~placed) != 0) continue;
            key[2 * node] = placed;
            key[2 * node + 1] = layer;
            next |= std::uint32_t{1} << node;
        }
        if (next == 0) return false;
        placed |= next;
        layer = next;
    }
    return true;
}

template <class Visit>
void for_each_graph(const Weights& weights, Visit visit) {
    Dependences dependences{};
    for (std::size_t code = 0; code < sets * sets * sets * sets; ++code) {
        double weight = 0.0;
        for (std::size_t node = 0; node < nodes; ++node) {
            dependences[node] = static_cast<std::uint32_t>(code >> (nodes * node) & (sets - 1));
            weight += weights.of[node][dependences[node]];
        }
        if (weight != minus_infinity) visit(dependences, weight);
    }
}

}  // namespace

TEST(layers_of_windows_are_drawn_in_proportion) {
    Random random(3, 0);
    for (const double spread : {0.0, 6.0, 60.0, 3000.0}) {
        for (int i = 0; i < 4; ++i) {
            const Weights weights(spread, i % 2 == 1, random);
            std::map<Key, double> expected;  // logarithms
            double total = minus_infinity;
            WindowRecursion recursion;
            recursion.sum(std::vector<double>(nodes, smallest_share), weights.log_sums());
            for_each_graph(weights, [&](const Dependences& dependences, double weight) {
                Key key{};
                if (!find_layers(dependences, key)) return;
                const auto [at, fresh] = expected.try_emplace(key, minus_infinity);
                at->second = log_add(at->second, weight);
                total = log_add(total, weight);
                if (spread <= 6.0) CHECK(recursion.has(dependences));
            });
            std::map<Key, double> law;
            AllBranches branches;
            branches.for_each([&] {
                Random scripted(branches);
                const auto places = recursion.draw(scripted);
                Key key{};
                for (std::size_t node = 0; node < nodes; ++node) {
                    key[2 * node] = places[node].placed;
                    key[2 * node + 1] = places[node].layer;
                }
                law[key] += branches.probability();
            });
            for (const auto& [key, weight] : expected) {
                CHECK(std::abs(law[key] - std::exp(weight - total)) < 1e-10);
            }
            for (const auto& [key, probability] : law) CHECK(expected.contains(key));
        }
    }
}

TEST(largest_windows_are_uniform_where_all_weights_are_equal) {
    // With at most one parent each, the DAGs of n = 8 nodes are the (n + 1)^(n - 1) forests, one of
    // which has no edge.
    constexpr std::size_t most = WindowRecursion::most_nodes;
    std::vector<double> log_sums;
    for (std::size_t node = 0; node < most; ++node) {
        for (std::size_t set = 0; set < std::size_t{1} << most; ++set) {
            log_sums.push_back(std::log(1.0 + static_cast<double>(std::popcount(set))));
        }
    }
    WindowRecursion recursion;
    recursion.sum(std::vector<double>(most, smallest_share), log_sums);
    Random random(5, 0);
    const int draws = sanitized ? 20'000 : 200'000;
    int rooted = 0;  // forests of one tree
    for (int i = 0; i < draws; ++i) {
        const auto places = recursion.draw(random);
        rooted += std::ranges::count(places, 0U, &WindowRecursion::Place::placed) == 1;
    }
    // n^(n - 1) of (n + 1)^(n - 1); off by more than five standard errors once in a million times.
    const double share = std::pow(8.0 / 9.0, 7.0);
    const double error = std::sqrt(share * (1.0 - share) / draws);
    CHECK(std::abs(static_cast<double>(rooted) / draws - share) < 5.0 * error);
}
