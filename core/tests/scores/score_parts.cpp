// Scoring in parts: pieces of the sets, and nodes by themselves, with the bits of the whole.

#include "arcwise/scores/gaussian.hpp"
#include "arcwise/scores/set_plan.hpp"
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

// Scores all units by several calls, in any order, and puts them together.
void check_parts(const FamilyScore& score, const FamilyTable& rule, std::size_t at_once) {
    FamilyTable whole = rule;
    score_families(score, whole, {Processors{2}, nullptr});
    FamilyTable parts = rule;
    const auto plan = score.plan(parent_sets_of(parts));
    CHECK(plan->units() > 2);
    CHECK(plan->work() > 0);
    for (std::size_t last = plan->units(); last > 0;) {
        const std::size_t count = std::min(at_once, last);
        last -= count;
        const std::vector<double> values = plan->score(last, count, {});
        CHECK(values.size() == plan->values(last, count));
        plan->put(last, values, values_of(parts));
    }
    plan->finish(values_of(parts), {});
    for (std::size_t node = 0; node < parts.size(); ++node) {
        CHECK(parts[node].values() == whole[node].values());
    }
}

}  // namespace

TEST(pieces_of_sets_give_the_bits_of_the_whole_table) {
    // Enough sets that the walk falls into many pieces.
    const Example example(24);
    const FamilyTable rule = families(example.nodes, 4, 23, 0);
    const SetPlan plan(*example.score, parent_sets_of(rule));
    CHECK(plan.largest_set() == 5);
    CHECK(plan.alone().empty());
    CHECK(plan.units() > 4);
    check_parts(*example.score, rule, 3);
}

TEST(nodes_with_walks_of_their_own_have_the_bits_of_the_whole_table) {
    const Example example(12);
    const FamilyTable rule = families(example.nodes, 3, 4, 3);
    const SetPlan plan(*example.score, parent_sets_of(rule));
    CHECK(plan.largest_set() == 0);
    CHECK(plan.units() == rule.size());
    check_parts(*example.score, rule, 1);
    check_parts(*example.score, rule, 5);
}

TEST(nodes_and_pieces_of_sets_are_scored_by_one_call) {
    // One node has a parent besides its candidates, and the others share the sets.
    const Example example(9);
    FamilyTable rule = families(example.nodes, 3, 8, 0);
    rule[4] = NodeFamilies({0, 1, 2, 3, 5, 6, 7}, {}, 3, {8});
    const SetPlan plan(*example.score, parent_sets_of(rule));
    CHECK(plan.largest_set() == 4);
    CHECK(plan.units() == 2);
    FamilyTable whole = rule;
    score_families(*example.score, whole, {});
    FamilyTable parts = rule;
    SetPlan again(*example.score, parent_sets_of(rule));
    again.put(0, again.score(0, 2, {}), values_of(parts));
    again.finish(values_of(parts), {});
    for (std::size_t node = 0; node < parts.size(); ++node) {
        CHECK(parts[node].values() == whole[node].values());
    }
}
