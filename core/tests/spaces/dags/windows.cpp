// Where windows are opened: by the model, by need, and by what a pilot finds.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "arcwise/chains/chains.hpp"
#include "arcwise/spaces/dags/dags.hpp"
#include "arcwise/spaces/dags/neighbourhoods.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr int nodes = 12;
constexpr std::uint64_t order_steps = 400;

// Sets of up to two of all others, none of which weighs anything beside no parents at all, but for
// two nodes, one of which is surely a parent of the other, no matter which.
std::shared_ptr<const ScoreSums> two_that_turn(int one, int other) {
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> others;
        for (int i = 0; i < nodes; ++i) {
            if (i != node) others.push_back(i);
        }
        table.emplace_back(others, std::vector<int>{}, 2);
        std::ranges::fill(table.back().values(), -20.0);
        table.back().values()[0] = 0.0;
    }
    const auto prefer = [&](int node, int parent) {
        NodeFamilies& families = table[static_cast<std::size_t>(node)];
        const std::vector<int> parents{parent};
        families.values()[static_cast<std::size_t>(families.find(parents))] = 12.0;
    };
    prefer(one, other);
    prefer(other, one);
    return std::make_shared<const ScoreSums>(table, std::vector<SumMethod>(nodes, SumMethod::table),
                                             1e-12, Tabulated::sums, RunOptions{});
}

// How many of a thousand windows hold both.
int with_both(const Neighbourhoods& neighbourhoods, int one, int other) {
    Random random(2, 0);
    int count = 0;
    for (int i = 0; i < 1000; ++i) {
        const auto set = neighbourhoods.draw(random);
        CHECK(std::ranges::is_sorted(set));
        CHECK(std::ranges::adjacent_find(set) == set.end());
        count += std::ranges::count(set, one) + std::ranges::count(set, other) == 2;
    }
    return count;
}

}  // namespace

TEST(windows_are_opened_where_they_are_needed) {
    const auto sums = two_that_turn(0, 1);
    std::vector<double> needed(nodes * nodes, 0.0);
    const int by_model = with_both(Neighbourhoods(*sums), 5, 8);
    CHECK(with_both(Neighbourhoods(*sums, needed, WindowSizes::few), 5, 8) == by_model);
    needed[5 * nodes + 8] = 1e-9;
    const Neighbourhoods by_need(*sums, needed, WindowSizes::few);
    CHECK(with_both(by_need, 5, 8) > 400);
    CHECK(by_model < 300);
    // A third still goes by the model.
    CHECK(with_both(by_need, 0, 1) > 100);
}

TEST(windows_are_seldom_opened_where_nothing_is_slow) {
    const auto sums = two_that_turn(0, 1);
    std::vector<double> needed(nodes * nodes, 0.0);
    CHECK(!Neighbourhoods(*sums).hardly_needed());
    CHECK(!Neighbourhoods(*sums, needed).hardly_needed());
    needed[5 * nodes + 8] = 3.0;
    CHECK(Neighbourhoods(*sums, needed).hardly_needed());
    needed[2 * nodes + 3] = 1000.0;
    const Neighbourhoods slow(*sums, needed);
    CHECK(!slow.hardly_needed());
    CHECK(slow.most_needed() == 1000.0);
    const Dags space(sums);
    const std::vector<std::string> moves = space.moves().names();
    const auto place = std::ranges::find(moves, "window");
    CHECK(place != moves.end());
    const auto windows = static_cast<std::size_t>(place - moves.begin());
    needed[2 * nodes + 3] = 0.0;
    const Neighbourhoods quick(*sums, needed);
    CHECK(space.shares(quick, false)[windows] < space.shares(slow, false)[windows] / 4);
    CHECK(space.shares(quick, false)[windows] > 0.0);
    CHECK(space.shares(quick, true)[windows] == 0.0);
}

TEST(pilots_find_edges_that_are_uncertain) {
    const auto sums = two_that_turn(3, 7);
    const Dags space(sums);
    const auto by_pilot = space.neighbourhoods(order_steps, nullptr);
    CHECK(with_both(*by_pilot, 3, 7) > 600);
    CHECK(with_both(*by_pilot, 3, 7) > with_both(*space.neighbourhoods(), 3, 7));
    CHECK(space.slowest_edge(order_steps, nullptr) == by_pilot->most_needed());
    CHECK(by_pilot->most_needed() > 0.0);
}

TEST(pilots_are_made_once_and_alike) {
    const auto sums = two_that_turn(3, 7);
    const Dags space(sums);
    const auto by_pilot = space.neighbourhoods(order_steps, nullptr);
    CHECK(space.neighbourhoods(order_steps, nullptr) == by_pilot);
    CHECK(space.neighbourhoods(order_steps + 1, nullptr) != by_pilot);
    const auto again = Dags(sums).neighbourhoods(order_steps, nullptr);
    Random random(4, 0);
    Random same(4, 0);
    for (int i = 0; i < 1000; ++i) {
        CHECK(std::ranges::equal(by_pilot->draw(random), again->draw(same)));
    }
}

TEST(there_is_no_pilot_where_none_is_of_use) {
    const auto sums = two_that_turn(3, 7);
    const Dags space(sums);
    CHECK(space.neighbourhoods(0, nullptr) == space.neighbourhoods());
    CHECK(space.neighbourhoods(order_steps / 20, nullptr) == space.neighbourhoods());
    const Dags without(sums, space.moves().shares_without("window"));
    CHECK(without.neighbourhoods(order_steps, nullptr) == without.neighbourhoods());
}

TEST(restored_chains_open_the_same_windows) {
    const auto sums = two_that_turn(3, 7);
    TemperingOptions options;
    options.order_steps = order_steps;
    options.thinning = 10;
    Chains chains(std::make_shared<Dags>(sums), options, 5, 0, 1);
    chains.start(100, RunOptions{});
    const std::vector<unsigned char> saved = chains.save();
    chains.sample(500, RunOptions{});
    const auto same_path = [&](std::uint64_t steps) {
        options.order_steps = steps;
        Chains restored(std::make_shared<Dags>(sums), options, 5, 0, 1);
        restored.restore(saved);
        restored.sample(500, RunOptions{});
        const TemperedChain& one = chains.chain(0);
        const TemperedChain& other = restored.chain(0);
        return one.moves().accepted == other.moves().accepted &&
               one.record().log_weights == other.record().log_weights;
    };
    CHECK(same_path(order_steps));
    CHECK(!same_path(0));  // no pilot, other windows
}
