// Families with one outside parent: their layout, and their scores against those of a whole table.
#include <algorithm>
#include <cmath>

#include "arcwise/scores/discrete.hpp"
#include "arcwise/scores/family_score.hpp"
#include "arcwise/scores/gaussian.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr int nodes = 6;

// Different kinds of nodes: with and without candidates, required and outside parents.
PlusOneTable example() {
    PlusOneTable table;
    table.emplace_back(std::vector<int>{4, 1}, std::vector<int>{}, std::vector<int>{2, 3, 5}, 2);
    table.emplace_back(std::vector<int>{}, std::vector<int>{}, std::vector<int>{0, 2, 3, 4, 5}, 0);
    table.emplace_back(std::vector<int>{0, 1, 3}, std::vector<int>{5}, std::vector<int>{4}, 1);
    table.emplace_back(std::vector<int>{5, 0}, std::vector<int>{1, 2}, std::vector<int>{4}, 2);
    table.emplace_back(std::vector<int>{0, 1}, std::vector<int>{}, std::vector<int>{}, 2);
    table.emplace_back(std::vector<int>{3, 2, 0}, std::vector<int>{}, std::vector<int>{1, 4}, 3);
    return table;
}

FamilyTable all_families() {
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> others;
        for (int other = 0; other < nodes; ++other) {
            if (other != node) others.push_back(other);
        }
        table.emplace_back(others, std::vector<int>{}, nodes - 1);
    }
    return table;
}

void check_scores(const SetFunction& score) {
    FamilyTable whole = all_families();
    score_families(score, whole, {});
    PlusOneTable table = example();
    score_families(score, table, {});
    PlusOneTable threaded = example();
    score_families(score, threaded, {Processors{3}, nullptr});
    for (std::size_t node = 0; node < table.size(); ++node) {
        const std::vector<double>& values = table[node].values();
        CHECK(values == threaded[node].values());
        std::size_t family = 0;
        table[node].for_each([&](const std::vector<int>& parents) {
            const auto place = static_cast<std::size_t>(whole[node].find(parents));
            const double expected = whole[node].values()[place];
            CHECK_CLOSE(values[family], expected, 1e-10 * (1.0 + std::abs(expected)));
            ++family;
        });
        CHECK(family == table[node].count());
    }
}

}  // namespace

TEST(plus_one_families_are_subsets_with_each_outside_parent) {
    const PlusOneTable table = example();
    std::vector<std::vector<int>> families;
    table[2].for_each([&](const std::vector<int>& parents) { families.push_back(parents); });
    CHECK((families == std::vector<std::vector<int>>{{4, 5}, {0, 4, 5}, {1, 4, 5}, {3, 4, 5}}));
    CHECK(table[0].count() == 12);
    CHECK(table[4].count() == 0);
    families.clear();
    table[0].for_each([&](const std::vector<int>& parents) { families.push_back(parents); });
    CHECK((families[4] == std::vector<int>{3, 4}));  // the subset {4}, the second outside parent
}

TEST(plus_one_scores_are_those_of_the_whole_table) {
    Random random(7, 300);
    constexpr std::size_t rows = 80;
    std::vector<std::uint16_t> codes;
    std::vector<double> values;
    for (std::size_t i = 0; i < rows * nodes; ++i) {
        const bool copies = i >= rows && random.uniform() < 0.5;
        codes.push_back(copies ? codes[i - rows]
                               : static_cast<std::uint16_t>(3.0 * random.uniform()));
        values.push_back(random.uniform() + (copies ? values[i - rows] : 0.0));
    }
    std::vector<std::uint8_t> mask(rows * nodes, 0);
    for (std::size_t row = 0; row < rows; row += 3) mask[5 * rows + row] = 1;
    const Interventions interventions{mask, rows};
    for (const bool intervened : {false, true}) {
        DiscreteTable discrete;
        discrete.codes = codes;
        discrete.rows = rows;
        discrete.level_counts.assign(nodes, 3);
        discrete.interventions.rows = rows;
        ContinuousTable continuous;
        continuous.values = values;
        continuous.rows = rows;
        continuous.interventions.rows = rows;
        for (int node = 0; node < nodes; ++node) continuous.names.emplace_back("x");
        if (intervened) discrete.interventions = continuous.interventions = interventions;
        check_scores(*make_discrete_score(discrete, {}));
        check_scores(*make_gaussian_bic_score(continuous));
        BgeSettings settings{1.0, nodes + 2.0, std::vector<double>(nodes, 0.0), {}};
        settings.prior_scale.assign(nodes * nodes, 0.0);
        for (std::size_t i = 0; i < nodes; ++i) settings.prior_scale[i * nodes + i] = 0.5;
        check_scores(*make_bge_score(continuous, settings));
    }
}
