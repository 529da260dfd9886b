// A score that is no set function, walked parent set by parent set: each family once, with all the
// children of its parents, into its own place.
#include "arcwise/scores/parent_walk.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "arcwise/scores/discrete.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

// Any number that depends on the family and on whose rows count.
double value_of(int rows_of, int child, const std::vector<int>& parents) {
    double value = 1000.0 * rows_of + child;
    for (const int parent : parents) value = std::fmod(value * 31.7 + parent * parent + 1.3, 997.1);
    return value;
}

// Not the same for equivalent DAGs. It counts how often parents were asked for.
class Directed final : public FamilyScore {
  public:
    Directed(int nodes, std::vector<int> intervened)
        : nodes_(nodes), intervened_(std::move(intervened)) {}

    std::size_t size() const override { return static_cast<std::size_t>(nodes_); }
    bool intervened(int node) const override {
        return std::find(intervened_.begin(), intervened_.end(), node) != intervened_.end();
    }
    std::unique_ptr<FamilyScorer> scorer(int node) const override {
        return std::make_unique<Scorer>(*this, node);
    }

    mutable std::mutex mutex;
    mutable std::map<std::pair<int, std::vector<int>>, int> calls;  // by rows and parents

  private:
    class Scorer final : public FamilyScorer {
      public:
        Scorer(const Directed& score, int node) : score_(score), node_(node) {}

        void children(std::span<const int> parents, std::span<const int> children,
                      double* scores) override {
            CHECK(std::is_sorted(parents.rbegin(), parents.rend()));
            CHECK(std::is_sorted(children.begin(), children.end()));
            const std::vector<int> ascending(parents.rbegin(), parents.rend());
            for (const int child : children) {
                CHECK(score_.intervened(child) ? node_ == child : node_ == -1);
                *scores++ = value_of(node_, child, ascending);
            }
            const std::lock_guard lock(score_.mutex);
            ++score_.calls[{node_, ascending}];
        }

      private:
        const Directed& score_;
        int node_;
    };

    int nodes_;
    std::vector<int> intervened_;
};

std::vector<int> others(int nodes, int node, Random& random, double share,
                        const std::vector<int>& but = {}) {
    std::vector<int> result;
    for (const int other : subset(random, nodes, share)) {
        if (other != node && std::find(but.begin(), but.end(), other) == but.end()) {
            result.push_back(other);
        }
    }
    return result;
}

FamilyTable random_table(int nodes, Random& random, double share) {
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> parents = others(nodes, node, random, share);
        const std::vector<int> required =
            others(nodes, node, random, below(random, 2) == 0 ? 0.0 : 0.2, parents);
        std::vector<int> taken(parents);
        taken.insert(taken.end(), required.begin(), required.end());
        const std::vector<int> outside =
            others(nodes, node, random, below(random, 2) == 0 ? 0.0 : 0.7, taken);
        table.emplace_back(parents, required, below(random, static_cast<int>(parents.size()) + 2),
                           outside);
    }
    return table;
}

void check_values(const Directed& score, const FamilyTable& table) {
    for (std::size_t node = 0; node < table.size(); ++node) {
        const int child = static_cast<int>(node);
        table[node].for_each([&](std::uint64_t index, std::span<const int> members) {
            const double expected =
                value_of(score.intervened(child) ? child : -1, child, table[node].parents(members));
            CHECK(table[node].values()[index] == expected);
        });
    }
}

}  // namespace

TEST(every_family_of_a_score_that_is_no_set_function_gets_its_value) {
    Random random(3, 1);
    for (int round = 0; round < 60; ++round) {
        const int nodes = 1 + below(random, 9);
        const Directed score(nodes, subset(random, nodes, 0.2));
        FamilyTable table = random_table(nodes, random, 0.6);
        score_families(score, table, {Processors{1 + round % 3}, nullptr});
        check_values(score, table);
        for (const auto& call : score.calls) CHECK(call.second == 1);
    }
}

TEST(units_of_parent_sets_are_the_whole) {
    Random random(5, 1);
    for (const bool all : {true, false}) {
        const int nodes = all ? 17 : 40;
        const Directed score(nodes, {2, 7});
        FamilyTable rule;
        for (int node = 0; node < nodes; ++node) {
            std::vector<int> candidates;
            std::vector<int> outside;
            for (int other = 0; other < nodes; ++other) {
                if (other == node) continue;
                (all || other % 4 == 0 ? candidates : outside).push_back(other);
            }
            rule.emplace_back(candidates, std::vector<int>{}, all ? 5 : 3, outside);
        }
        FamilyTable whole = rule;
        score_families(score, whole, {Processors{2}, nullptr});
        check_values(score, whole);
        FamilyTable parts = rule;
        const auto plan = score.plan(parent_sets_of(rule));
        CHECK(plan->units() > 10);
        std::uint64_t families = 0;
        for (std::size_t first = 0; first < plan->units(); first += 4) {
            const std::size_t count = std::min<std::size_t>(4, plan->units() - first);
            const std::vector<double> values = plan->score(first, count, {});
            families += values.size();
            plan->put(first, values, values_of(parts));
        }
        plan->finish(values_of(parts), {});
        CHECK(families == plan->work());
        for (std::size_t node = 0; node < parts.size(); ++node) {
            CHECK(parts[node].values() == whole[node].values());
        }
    }
}

TEST(families_with_one_outside_parent_share_the_walk) {
    // Candidates in any order, as the greedy choice has them.
    PlusOneTable table;
    table.emplace_back(std::vector<int>{4, 1}, std::vector<int>{}, std::vector<int>{2, 3, 5}, 2);
    table.emplace_back(std::vector<int>{}, std::vector<int>{}, std::vector<int>{0, 2, 3, 4, 5}, 0);
    table.emplace_back(std::vector<int>{0, 1, 3}, std::vector<int>{5}, std::vector<int>{4}, 1);
    table.emplace_back(std::vector<int>{5, 0}, std::vector<int>{1, 2}, std::vector<int>{4}, 2);
    table.emplace_back(std::vector<int>{0, 1}, std::vector<int>{}, std::vector<int>{}, 2);
    table.emplace_back(std::vector<int>{3, 2, 0}, std::vector<int>{}, std::vector<int>{1, 4}, 3);
    const Directed score(6, {3});
    score_families(score, table, {});
    for (std::size_t node = 0; node < table.size(); ++node) {
        const int child = static_cast<int>(node);
        std::size_t family = 0;
        table[node].for_each([&](const std::vector<int>& parents) {
            CHECK(table[node].values()[family++] == value_of(child == 3 ? 3 : -1, child, parents));
        });
    }
    for (const auto& call : score.calls) CHECK(call.second == 1);
}

TEST(a_set_function_gives_all_children_of_any_parents) {
    Random random(9, 1);
    constexpr int nodes = 6;
    constexpr std::size_t rows = 50;
    std::vector<std::uint16_t> codes;
    for (std::size_t i = 0; i < rows * nodes; ++i) {
        codes.push_back(static_cast<std::uint16_t>(below(random, 3)));
    }
    DiscreteTable data;
    data.codes = codes;
    data.rows = rows;
    data.level_counts.assign(nodes, 3);
    const auto score = make_discrete_score(data, {});
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> parents;
        for (int other = 0; other < nodes; ++other) {
            if (other != node) parents.push_back(other);
        }
        table.emplace_back(parents, std::vector<int>{}, nodes - 1);
    }
    FamilyTable by_sets = table;
    score_families(*score, by_sets, {});
    ParentWalk walk(*score, parent_sets_of(table));
    walk.score_all(values_of(table), {});
    for (std::size_t node = 0; node < table.size(); ++node) {
        for (std::size_t family = 0; family < table[node].count(); ++family) {
            CHECK_CLOSE(table[node].values()[family], by_sets[node].values()[family], 1e-10);
        }
    }
}
