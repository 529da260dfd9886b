// Prior terms added to a table against the formula, family by family.
#include "arcwise/families/family_table.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

TEST(priors_add_a_constant_a_term_by_size_and_one_per_edge) {
    constexpr std::size_t nodes = 5;
    Random random(1, 0);
    std::vector<double> constant(nodes);
    std::vector<double> size(nodes * nodes);
    std::vector<double> edge(nodes * nodes);
    for (std::vector<double>* terms : {&constant, &size, &edge}) {
        for (double& term : *terms) term = log_weight(random, 3.0);
    }
    edge[2 * nodes + 4] = minus_infinity;  // 2 -> 4 must not be
    FamilyTable table;
    table.emplace_back(std::vector<int>{1, 2, 3, 4}, std::vector<int>{}, 4);
    table.emplace_back(std::vector<int>{0, 2}, std::vector<int>{3, 4}, 1);
    table.emplace_back(std::vector<int>{}, std::vector<int>{}, 0);
    table.emplace_back(std::vector<int>{0}, std::vector<int>{1}, 1);
    table.emplace_back(std::vector<int>{0, 1, 2}, std::vector<int>{}, 2);
    for (NodeFamilies& families : table) set_weights(families, random, 10.0);
    const FamilyTable before = table;
    add_prior({constant, size, edge}, table);
    for (std::size_t node = 0; node < nodes; ++node) {
        before[node].for_each([&](std::uint64_t index, std::span<const int> members) {
            const std::vector<int> parents = before[node].parents(members);
            double expected =
                before[node].values()[index] + constant[node] + size[node * nodes + parents.size()];
            for (const int parent : parents) {
                expected += edge[static_cast<std::size_t>(parent) * nodes + node];
            }
            CHECK_CLOSE(table[node].values()[index], expected, 1e-13);
        });
    }
}
