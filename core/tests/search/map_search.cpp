// Orders on maxima against the definition, and the search against all orders there are.
#include "arcwise/search/map_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "arcwise/search/order_of_maxima.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

struct Kind {
    int nodes;
    double density;  // the probability that another node is a candidate parent
    int most;        // free parents
    bool required;
    double impossible;  // the probability that a family has weight zero
    SumMethod method;
};

constexpr Kind kinds[] = {
    {1, 1.0, 1, false, 0.0, SumMethod::table},  {2, 1.0, 1, false, 0.0, SumMethod::table},
    {6, 1.0, 5, false, 0.0, SumMethod::table},  {6, 0.6, 5, true, 0.3, SumMethod::table},
    {6, 0.6, 2, true, 0.3, SumMethod::scan},    {40, 0.06, 3, true, 0.2, SumMethod::table},
    {80, 0.95, 1, false, 0.0, SumMethod::scan},  // more than 64 candidates
};

// Required parents have a smaller number, so that there are orders that allow them; and the empty
// family, or the one of the required parents alone, is always possible.
FamilyTable random_families(const Kind& kind, std::uint64_t seed) {
    Random random(seed, 0);
    FamilyTable table;
    for (int node = 0; node < kind.nodes; ++node) {
        std::vector<int> required;
        if (kind.required && node > 0 && random.uniform() < 0.4) {
            required.push_back(below(random, node));
        }
        std::vector<int> candidates = subset(random, kind.nodes, kind.density);
        std::erase_if(candidates, [&](int other) {
            return other == node ||
                   std::find(required.begin(), required.end(), other) != required.end();
        });
        table.emplace_back(std::move(candidates), std::move(required), kind.most);
        table.back().values().resize(table.back().count());
        set_weights(table.back(), random, 20.0, kind.impossible);
        const std::int64_t least = table.back().find(table.back().required());
        table.back().values()[static_cast<std::size_t>(least)] = log_weight(random, 20.0);
    }
    return table;
}

std::shared_ptr<const ScoreSums> sums_of(const FamilyTable& table, SumMethod method) {
    return std::make_shared<const ScoreSums>(table, std::vector<SumMethod>(table.size(), method),
                                             1e-12, Tabulated::both, RunOptions{});
}

// From the definition: of each node the heaviest family whose parents all come before.
LogWeight plain_weight(const FamilyTable& table, const std::vector<int>& order) {
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = i;
    LogWeight total;
    for (std::size_t node = 0; node < table.size(); ++node) {
        double best = minus_infinity;
        table[node].for_each([&](std::uint64_t index, std::span<const int> members) {
            const std::vector<int> parents = table[node].parents(members);
            const bool allowed = std::all_of(parents.begin(), parents.end(), [&](int parent) {
                return place[static_cast<std::size_t>(parent)] < place[node];
            });
            if (allowed) best = std::max(best, table[node].values()[index]);
        });
        if (best == minus_infinity) {
            const std::vector<double>& all = table[node].values();
            total = total + LogWeight{*std::max_element(all.begin(), all.end()), 1};
        } else {
            total = total + LogWeight{best, 0};
        }
    }
    return total;
}

double best_of_all_orders(const FamilyTable& table) {
    std::vector<int> order(table.size());
    std::iota(order.begin(), order.end(), 0);
    double best = minus_infinity;
    do {
        const LogWeight weight = plain_weight(table, order);
        if (weight.zero_factors == 0) best = std::max(best, weight.value);
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

class Refusing final : public Monitor {
  public:
    bool proceed(double) override { return ++calls_ < 4; }

  private:
    int calls_ = 0;
};

}  // namespace

TEST(a_node_knows_what_every_gap_between_its_neighbours_is_worth) {
    for (const Kind& kind : kinds) {
        const FamilyTable table = random_families(kind, 3);
        const NodeWeights weights(sums_of(table, kind.method), Semiring::maximum);
        const Neighbours neighbours(weights);
        OrderOfMaxima state(weights, neighbours);
        Random random(5, 1);
        state.shuffle(random);
        const int most = kind.nodes > 10 ? 3 : 30;
        for (int trial = 0; trial < most; ++trial) {
            const int node = below(random, kind.nodes);
            const std::vector<LogWeight> changes = state.look_around(node);
            const LogWeight before = state.weight();
            CHECK(changes.size() == neighbours.of(node).size() + 1);
            CHECK(changes[state.present_gap()].value == 0.0);
            for (std::size_t gap = 0; gap < changes.size(); ++gap) {
                OrderOfMaxima moved = state;
                moved.look_around(node);
                moved.move_to(gap, random);
                const LogWeight expected = plain_weight(table, moved.order());
                CHECK_CLOSE(before.value + changes[gap].value, expected.value, 1e-9);
                CHECK(before.zero_factors + changes[gap].zero_factors == expected.zero_factors);
                CHECK_CLOSE(moved.weight().value, expected.value, 1e-9);
                const auto at = std::find(moved.order().begin(), moved.order().end(), node);
                const auto passed = std::count_if(moved.order().begin(), at, [&](int other) {
                    return neighbours.are(node, other);
                });
                CHECK(static_cast<std::size_t>(passed) == gap);
            }
            state.look_around(node);
            state.move_to(random.below(changes.size()), random);
        }
    }
}

TEST(the_weight_of_an_order_stays_right_over_thousands_of_moves) {
    for (const Kind& kind : kinds) {
        const FamilyTable table = random_families(kind, 4);
        const NodeWeights weights(sums_of(table, kind.method), Semiring::maximum);
        const Neighbours neighbours(weights);
        OrderOfMaxima state(weights, neighbours);
        Random random(6, 1);
        for (int move = 0; move < 5000; ++move) {
            const std::size_t gaps = state.look_around(below(random, kind.nodes)).size();
            state.move_to(random.below(gaps), random);
        }
        const LogWeight expected = plain_weight(table, state.order());
        CHECK_CLOSE(state.weight().value, expected.value, 1e-9);
        CHECK(state.weight().zero_factors == expected.zero_factors);
        std::vector<int> sorted = state.order();
        std::sort(sorted.begin(), sorted.end());
        for (int node = 0; node < kind.nodes; ++node) {
            CHECK(sorted[static_cast<std::size_t>(node)] == node);
        }
    }
}

TEST(within_its_gap_a_node_stands_anywhere) {
    // 0 -> 1 is the only edge there can be: node 2 has no neighbours, and so one gap, all places.
    FamilyTable table;
    for (int node = 0; node < 3; ++node) {
        table.emplace_back(node == 1 ? std::vector<int>{0} : std::vector<int>{}, std::vector<int>{},
                           1);
        table.back().values().assign(table.back().count(), -1.0);
    }
    const NodeWeights weights(sums_of(table, SumMethod::table), Semiring::maximum);
    const Neighbours neighbours(weights);
    OrderOfMaxima state(weights, neighbours);
    Random random(7, 1);
    std::vector<int> seen(3, 0);
    for (int trial = 0; trial < 100; ++trial) {
        CHECK(state.look_around(2).size() == 1);
        state.move_to(0, random);
        ++seen[static_cast<std::size_t>(std::find(state.order().begin(), state.order().end(), 2) -
                                        state.order().begin())];
    }
    for (const int count : seen) CHECK(count > 10);
}

TEST(a_search_finds_the_best_of_all_orders) {
    for (const Kind& kind : kinds) {
        if (kind.nodes > 6) continue;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const FamilyTable table = random_families(kind, seed);
            std::vector<FoundOrder> found;
            search_orders(sums_of(table, kind.method), 30, seed, 0, 3, {}, {}, found);
            const double best = best_of_all_orders(table);
            CHECK(found.size() == 3);
            for (const FoundOrder& one : found) {
                CHECK(one.finished);
                CHECK_CLOSE(one.log_weight, best, 1e-9);
                CHECK_CLOSE(plain_weight(table, one.order).value, best, 1e-9);
            }
        }
    }
}

TEST(restarts_are_the_same_on_any_number_of_threads_and_in_any_pieces) {
    const auto sums = sums_of(random_families(kinds[5], 8), kinds[5].method);
    std::vector<FoundOrder> together;
    std::vector<FoundOrder> apart;
    search_orders(sums, 20, 9, 0, 5, {}, {.device = Processors{1}}, together);
    search_orders(sums, 20, 9, 0, 2, {}, {.device = Processors{3}}, apart);
    search_orders(sums, 20, 9, 2, 3, {}, {.device = Processors{2}}, apart);
    CHECK(together.size() == 5 && apart.size() == 5);
    for (std::size_t i = 0; i < together.size(); ++i) {
        CHECK(together[i].order == apart[i].order);
        CHECK(together[i].log_weight == apart[i].log_weight);
    }
}

TEST(a_search_cut_short_leaves_the_best_so_far) {
    const FamilyTable table = random_families(kinds[3], 10);
    const auto sums = sums_of(table, kinds[3].method);
    Refusing monitor;
    std::vector<FoundOrder> found;
    CHECK_THROWS_KIND(search_orders(sums, std::numeric_limits<std::uint64_t>::max(), 1, 0, 2, {},
                                    {.device = Processors{2}, .monitor = &monitor}, found),
                      interrupted);
    CHECK(found.size() == 2);
    for (const FoundOrder& one : found) {
        CHECK(!one.finished);
        const LogWeight weight = plain_weight(table, one.order);
        CHECK(weight.zero_factors == 0);
        CHECK_CLOSE(weight.value, one.log_weight, 1e-9);
    }
}

TEST(a_search_says_that_there_is_no_dag) {
    // Each of two nodes has the other as its parent, or no family at all.
    FamilyTable table;
    for (int node = 0; node < 2; ++node) {
        table.emplace_back(std::vector<int>{1 - node}, std::vector<int>{}, 1);
        table.back().values() = {minus_infinity, -1.0};
    }
    std::vector<FoundOrder> found;
    CHECK_THROWS_KIND(search_orders(sums_of(table, SumMethod::table), 5, 1, 0, 1, {}, {}, found),
                      argument);
    CHECK(found.empty());
}
