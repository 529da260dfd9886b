// Scores of mixed tables: one value of a family whatever walk leads to it, and BGe without discrete
// variables.
#include <cmath>

#include "arcwise/scores/blocks.hpp"
#include "arcwise/scores/conditional_gaussian.hpp"
#include "arcwise/scores/family_score.hpp"
#include "arcwise/scores/gaussian.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

struct Example {
    int nodes;
    std::vector<std::uint16_t> codes;
    std::vector<double> values;
    std::vector<double> weights;
    std::vector<std::uint8_t> intervened;
    MixedTable table;

    Example(std::vector<std::uint32_t> levels, std::size_t rows, bool weigh, bool intervene)
        : nodes(static_cast<int>(levels.size())) {
        Random random(11, 200);
        for (const std::uint32_t count : levels) {
            for (std::size_t row = 0; row < rows; ++row) {
                const std::size_t place = values.size();
                const double before = place < rows ? 0.0 : values[place - rows];
                values.push_back(0.6 * before + 2.0 * (random.uniform() + random.uniform() - 1.0));
                const double share = std::fmin(0.999, std::fmax(0.0, 0.5 + 0.3 * values.back()));
                codes.push_back(static_cast<std::uint16_t>(share * count));
            }
            table.log_deviations.push_back(count == 0 ? 0.3 : 0.0);
        }
        for (std::size_t row = 0; weigh && row < rows; ++row) {
            weights.push_back(row % 7 == 0 ? 0.0 : 0.5 + random.uniform());
        }
        table.codes = codes;
        table.values = values;
        table.level_counts = std::move(levels);
        table.rows = rows;
        table.weights = weights;
        table.interventions.rows = rows;
        if (!intervene) return;
        intervened.assign(values.size(), 0);
        for (std::size_t row = 0; row < rows; ++row) intervened[rows + row] = row % 4 == 0;
        table.interventions.mask = intervened;
    }
    Example(const Example&) = delete;
};

// All parents of each node, or those with the first as a required one and the last outside.
FamilyTable families(int nodes, bool with_others) {
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> others;
        for (int other = 0; other < nodes; ++other) {
            if (other != node) others.push_back(other);
        }
        if (!with_others) {
            table.emplace_back(others, std::vector<int>{}, nodes - 1);
            continue;
        }
        const std::vector<int> inside(others.begin() + 1, others.end() - 1);
        table.emplace_back(inside, std::vector<int>{others.front()},
                           static_cast<int>(inside.size()), std::vector<int>{others.back()});
    }
    return table;
}

// A family has one score, whichever walk meets it.
void check_walks_agree(const SetFunction& score, int nodes) {
    FamilyTable whole = families(nodes, false);
    score_families(score, whole, {Processors{2}, nullptr});
    FamilyTable some = families(nodes, true);
    score_families(score, some, {});
    for (std::size_t node = 0; node < whole.size(); ++node) {
        const std::vector<double>& values = some[node].values();
        for (std::size_t family = 0; family < values.size(); ++family) {
            const std::int64_t place = whole[node].find(some[node].parents_of(family));
            CHECK(place >= 0);
            const double expected = whole[node].values()[static_cast<std::size_t>(place)];
            CHECK(std::abs(values[family] - expected) < 1e-9 * std::fmax(1.0, std::abs(expected)));
        }
    }
}

}  // namespace

TEST(conditional_gaussian_families_have_one_score_whatever_the_walk) {
    for (const bool extras : {false, true}) {
        const Example example({2, 0, 3, 0, 0, 2}, 60, extras, extras);
        const auto score = make_conditional_gaussian_score(example.table, {2.0, 1.5, 3.0, 0.7});
        check_walks_agree(*score, example.nodes);
    }
}

TEST(conditional_gaussian_without_discrete_variables_is_bge) {
    const Example example({0, 0, 0, 0}, 40, true, true);
    ConditionalGaussianSettings settings{1.0, 1.5, 3.0, 0.7};
    MixedTable table = example.table;
    table.log_deviations.assign(4, 0.0);
    const auto ours = make_conditional_gaussian_score(table, settings);
    ContinuousTable columns;
    columns.values = example.values;
    columns.rows = table.rows;
    columns.names = {"a", "b", "c", "d"};
    columns.weights = example.weights;
    columns.interventions = table.interventions;
    BgeSettings bge{1.5, 6.0, std::vector<double>(4, 0.0), std::vector<double>(16, 0.0)};
    for (std::size_t i = 0; i < 4; ++i) bge.prior_scale[5 * i] = 0.7;
    const auto theirs = make_bge_score(columns, bge);
    FamilyTable first = families(4, false);
    FamilyTable second = families(4, false);
    score_families(*ours, first, {});
    score_families(*theirs, second, {});
    for (std::size_t node = 0; node < first.size(); ++node) {
        for (std::size_t family = 0; family < first[node].values().size(); ++family) {
            CHECK(std::abs(first[node].values()[family] - second[node].values()[family]) < 1e-9);
        }
    }
}

TEST(blocks_of_columns_have_one_score_whatever_the_walk) {
    const Example example({0, 0, 0, 0, 0, 0, 0}, 50, true, false);
    ContinuousTable columns;
    columns.values = example.values;
    columns.rows = example.table.rows;
    columns.names.assign(7, "column");
    columns.weights = example.weights;
    columns.interventions.rows = columns.rows;
    BgeSettings bge{1.0, 9.0, std::vector<double>(7, 0.0), std::vector<double>(49, 0.0)};
    for (std::size_t i = 0; i < 7; ++i) bge.prior_scale[8 * i] = 0.5;
    // Five variables of 2, 1, 0, 3 and 1 columns; the third adds nothing to any set.
    const auto score = make_block_score(make_bge_score(columns, bge), {0, 2, 3, 3, 6, 7});
    check_walks_agree(*score, 5);
    FamilyTable table = families(5, false);
    score_families(*score, table, {});
    for (const double value : table[2].values()) CHECK(value == 0.0);
}
