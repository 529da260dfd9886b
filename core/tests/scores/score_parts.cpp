// Scoring in parts: sets block by block, and nodes by themselves, with the bits of the whole.

#include "arcwise/scores/gaussian.hpp"
#include "arcwise/scores/score_families.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

struct Example {
    explicit Example(int of_nodes) : nodes(of_nodes) {
        constexpr std::size_t rows = 40;
        Random random(11, static_cast<std::uint64_t>(nodes));
        for (std::size_t i = 0; i < rows * static_cast<std::size_t>(nodes); ++i) {
            values.push_back(random.uniform() + (i < rows ? 0.0 : 0.5 * values[i - rows]));
        }
        ContinuousTable table;
        table.values = values;
        table.rows = rows;
        table.interventions.rows = rows;
        for (int node = 0; node < nodes; ++node) table.names.push_back(std::to_string(node));
        score = make_gaussian_bic_score(std::move(table));
    }

    int nodes;
    std::vector<double> values;
    std::unique_ptr<SetFunction> score;
};

FamilyTable families(int nodes, int max_free, int candidates, int outside) {
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> inside;
        std::vector<int> others;
        for (int other = 0; other < nodes; ++other) {
            if (other == node) continue;
            if (static_cast<int>(inside.size()) < candidates) {
                inside.push_back(other);
            } else if (static_cast<int>(others.size()) < outside) {
                others.push_back(other);
            }
        }
        table.emplace_back(inside, std::vector<int>{}, max_free, others);
    }
    return table;
}

}  // namespace

TEST(blocks_of_sets_give_the_bits_of_the_whole_table) {
    // Enough sets that the walk falls into many pieces.
    const Example example(24);
    FamilyTable whole = families(example.nodes, 4, 23, 0);
    score_families(*example.score, whole, {Processors{2}, nullptr});
    FamilyTable parts = families(example.nodes, 4, 23, 0);
    const std::vector<std::uint8_t> none(parts.size(), 0);
    const ScoringPlan plan = plan_scoring(parts, none, none);
    CHECK(plan.largest_set == 5);
    CHECK(plan.alone.empty());
    const std::vector<std::uint64_t> ranks = set_pieces(example.nodes, plan.largest_set);
    CHECK(ranks.size() > 5);
    std::vector<double> sets;
    for (std::size_t first = 0; first + 1 < ranks.size(); first += 3) {
        SetBlock block(example.nodes, plan.largest_set, first,
                       std::min(first + 3, ranks.size() - 1));
        score_families(*example.score, block, {});
        sets.insert(sets.end(), block.values.begin(), block.values.end());
    }
    take_differences(plan, sets, parts, {});
    for (std::size_t node = 0; node < parts.size(); ++node) {
        CHECK(parts[node].values() == whole[node].values());
    }
    CHECK_THROWS_KIND(SetBlock(example.nodes, plan.largest_set, 2, ranks.size()), argument);
}

TEST(nodes_scored_by_themselves_have_the_bits_of_the_whole_table) {
    const Example example(12);
    FamilyTable whole = families(example.nodes, 3, 4, 3);
    const std::vector<std::uint8_t> none(whole.size(), 0);
    CHECK(plan_scoring(whole, none, none).largest_set == 0);
    score_families(*example.score, whole, {});
    for (std::size_t node = 0; node < whole.size(); ++node) {
        LoneTable part;
        for (std::size_t other = 0; other < whole.size(); ++other) {
            part.families.push_back(other == node ? families(example.nodes, 3, 4, 3)[node]
                                                  : NodeFamilies({}, {}, 0));
        }
        score_families(*example.score, part, {});
        CHECK(part[node].values() == whole[node].values());
    }
}
