// Folded families against sums and shares written from the definition.
#include "arcwise/families/fold_families.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/bits.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr int nodes = 7;
const std::vector<int> parent_only{1, 4, 5};
const std::vector<int> ordinary{0, 2, 3, 6};

bool is_ordinary(int node) {
    return std::find(ordinary.begin(), ordinary.end(), node) != ordinary.end();
}

enum class Kind { subsets, plus_one, listed };

// Random weights; every fifth family is impossible. The first of the others is required by some.
FamilyTable random_table(Kind kind, Random& random) {
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        if (!is_ordinary(node)) {
            table.emplace_back(std::vector<int>{}, std::vector<int>{}, 0);
            continue;
        }
        std::vector<int> candidates;
        std::vector<int> outside;
        std::vector<int> required;
        for (int u = 0; u < nodes; ++u) {
            if (u == node) continue;
            if (required.empty() && random.uniform() < 0.2) {
                required.push_back(u);
            } else if (kind == Kind::plus_one && random.uniform() < 0.5) {
                outside.push_back(u);
            } else {
                candidates.push_back(u);
            }
        }
        const int most = static_cast<int>(random.below(5));
        NodeFamilies families(candidates, required, most, outside);
        if (kind == Kind::listed) {
            std::vector<std::uint16_t> members{};
            std::vector<std::uint64_t> offsets{0};
            families.for_each([&](std::uint64_t index, std::span<const int> set) {
                if (index > 0 && random.uniform() < 0.4) return;
                members.insert(members.end(), set.begin(), set.end());
                offsets.push_back(members.size());
            });
            families = NodeFamilies(candidates, required, members, offsets);
        }
        for (double& value : families.values()) {
            value = random.uniform() < 0.2 ? minus_infinity : -40.0 * random.uniform();
        }
        families.values()[0] = -1.0;
        table.push_back(std::move(families));
    }
    return table;
}

// By ordinary parents, as numbers among the ordinary nodes: what each set of parents weighs.
using Groups = std::map<std::vector<int>, std::map<std::vector<int>, double>>;

Groups groups_of(const NodeFamilies& families) {
    Groups result;
    families.for_each([&](std::uint64_t index, std::span<const int> members) {
        const std::vector<int> parents = families.parents(members);
        std::vector<int> kept;
        for (const int parent : parents) {
            const auto place = std::find(ordinary.begin(), ordinary.end(), parent);
            if (place != ordinary.end()) kept.push_back(static_cast<int>(place - ordinary.begin()));
        }
        result[kept][parents] = std::exp(families.values()[index]);
    });
    return result;
}

double total_of(const std::map<std::vector<int>, double>& group) {
    double total = 0.0;
    for (const auto& [parents, weight] : group) total += weight;
    return total;
}

}  // namespace

TEST(folded_weights_are_sums_and_maxima) {
    for (const Kind kind : {Kind::subsets, Kind::plus_one, Kind::listed}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            Random random(seed, 1);
            const FamilyTable table = random_table(kind, random);
            const FoldedFamilies folded = fold_families(table, parent_only, {});
            CHECK(folded.sums.size() == ordinary.size());
            for (std::size_t v = 0; v < ordinary.size(); ++v) {
                const Groups groups = groups_of(table[static_cast<std::size_t>(ordinary[v])]);
                CHECK(folded.sums[v].count() == groups.size());
                CHECK(folded.sums[v].listed() == (kind == Kind::listed));
                folded.sums[v].for_each([&](std::uint64_t index, std::span<const int> members) {
                    const auto& group = groups.at(folded.sums[v].parents(members));
                    double largest = 0.0;
                    for (const auto& [parents, weight] : group) largest = std::max(largest, weight);
                    const double sum = folded.sums[v].values()[index];
                    const double most = folded.maxima[v].values()[index];
                    CHECK(std::abs(std::exp(sum) - total_of(group)) <= 1e-12 * total_of(group));
                    CHECK(std::abs(std::exp(most) - largest) <= 1e-12 * largest);
                });
            }
        }
    }
}

TEST(shares_and_draws_unfold_what_was_folded) {
    for (const Kind kind : {Kind::subsets, Kind::plus_one, Kind::listed}) {
        Random random(7, 2);
        const FamilyTable table = random_table(kind, random);
        const FoldedFamilies folded = fold_families(table, parent_only, {});
        // A row of parents for each ordinary node: it need be no DAG.
        std::vector<std::uint64_t> rows(ordinary.size(), 0);
        std::vector<std::map<std::vector<int>, double>> laws;
        for (std::size_t v = 0; v < ordinary.size(); ++v) {
            const Groups groups = groups_of(table[static_cast<std::size_t>(ordinary[v])]);
            const auto heaviest = std::max_element(
                groups.begin(), groups.end(),
                [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
            for (const int parent : heaviest->first) put_member(&rows[v], parent);
            laws.push_back(heaviest->second);
        }
        std::vector<double> edges(nodes * nodes, 0.0);
        ShareMemo memo;
        folded.unfolding->add_shares(rows.data(), memo, edges.data());
        folded.unfolding->add_shares(rows.data(), memo, edges.data());  // remembered
        std::vector<double> drawn(nodes * nodes, 0.0);
        constexpr int draws = 4000;
        for (int i = 0; i < draws; ++i) {
            std::vector<std::uint64_t> dag(nodes);
            folded.unfolding->draw(rows.data(), random, dag.data());
            for (std::size_t v = 0; v < ordinary.size(); ++v) {
                const auto node = static_cast<std::size_t>(ordinary[v]);
                std::vector<int> parents;
                for_each_member(&dag[node], 1, [&](int u) { parents.push_back(u); });
                CHECK(laws[v].at(parents) > 0.0);
                for (const int u : parents) {
                    drawn[static_cast<std::size_t>(u) * nodes + node] += 1.0 / draws;
                }
            }
        }
        for (std::size_t v = 0; v < ordinary.size(); ++v) {
            for (const int z : parent_only) {
                double expected = 0.0;
                for (const auto& [parents, weight] : laws[v]) {
                    if (std::find(parents.begin(), parents.end(), z) != parents.end()) {
                        expected += weight / total_of(laws[v]);
                    }
                }
                const std::size_t at =
                    static_cast<std::size_t>(z) * nodes + static_cast<std::size_t>(ordinary[v]);
                CHECK(std::abs(edges[at] / 2.0 - expected) < 1e-12);
                // Five standard errors: a false alarm in 1.7 million for each of 36.
                CHECK(std::abs(drawn[at] - expected) <= 5.0 * 0.5 / std::sqrt(draws));
            }
        }
    }
}
