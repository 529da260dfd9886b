// Restricted tables against a filter written from the definition.
#include <algorithm>
#include <map>

#include "arcwise/families/family_table.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr std::size_t nodes = 6;

using Matrix = std::vector<std::uint8_t>;  // [parent][node]

std::map<std::vector<int>, double> by_parents(const NodeFamilies& families) {
    std::map<std::vector<int>, double> result;
    families.for_each([&](std::uint64_t index, std::span<const int> members) {
        result[families.parents(members)] = families.values()[index];
    });
    return result;
}

}  // namespace

TEST(restricting_keeps_exactly_what_the_constraints_allow) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Random random(seed, 1);
        FamilyTable table;
        for (int node = 0; node < static_cast<int>(nodes); ++node) {
            std::vector<int> others;
            for (int u = 0; u < static_cast<int>(nodes); ++u) {
                if (u != node) others.push_back(u);
            }
            // The last of the others is in every family of the table already, for some nodes.
            std::vector<int> always;
            if (random.uniform() < 0.3) {
                always.push_back(others.back());
                others.pop_back();
            }
            set_weights(table.emplace_back(others, always, below(random, 5)), random, 50.0);
        }
        Matrix allowed(nodes * nodes);
        Matrix required(nodes * nodes);
        std::vector<std::int64_t> max_indegree;
        for (std::size_t i = 0; i < allowed.size(); ++i) {
            allowed[i] = random.uniform() < 0.8;
            required[i] = i / nodes != i % nodes && random.uniform() < 0.1;
        }
        for (std::size_t node = 0; node < nodes; ++node) max_indegree.push_back(below(random, 5));

        const FamilyTable kept = restrict_families(table, allowed, required, max_indegree);
        CHECK(kept.size() == nodes);
        for (std::size_t node = 0; node < nodes; ++node) {
            std::map<std::vector<int>, double> expected;
            for (const auto& [parents, value] : by_parents(table[node])) {
                bool stays = static_cast<std::int64_t>(parents.size()) <= max_indegree[node];
                for (std::size_t u = 0; u < nodes; ++u) {
                    const bool is_parent =
                        std::count(parents.begin(), parents.end(), static_cast<int>(u)) > 0;
                    if (is_parent && !allowed[u * nodes + node]) stays = false;
                    if (!is_parent && required[u * nodes + node]) stays = false;
                }
                if (stays) expected[parents] = value;
            }
            CHECK(by_parents(kept[node]) == expected);
            CHECK(kept[node].count() == expected.size());
            for (const auto& [parents, value] : expected) {
                const std::int64_t index = kept[node].find(parents);
                CHECK(index >= 0 && kept[node].values()[static_cast<std::size_t>(index)] == value);
            }
        }
    }
}
