// Coupled states: how far they travel, and levels that are added.
#include "arcwise/chains/replicas.hpp"

#include <atomic>
#include <numeric>

#include "arcwise/chains/tempering.hpp"
#include "arcwise/spaces/orders/linear_orders.hpp"
#include "check.hpp"
#include "generated.hpp"

namespace arcwise::tests {
namespace {

// Orders of seven nodes whose weights are so many nats apart.
LinearOrders orders(double spread) {
    Random random(7, 0);
    FamilyTable table;
    for (int node = 0; node < 7; ++node) {
        std::vector<int> others;
        for (int other = 0; other < 7; ++other) {
            if (other != node) others.push_back(other);
        }
        table.emplace_back(std::move(others), std::vector<int>{}, 2);
        table.back().values().resize(table.back().count());
        set_weights(table.back(), random, spread);
    }
    return LinearOrders(std::make_shared<const ScoreSums>(
        table, std::vector<SumMethod>(table.size(), SumMethod::table), 1e-12, Tabulated::sums,
        RunOptions{}));
}

// The same by hand where every exchange is accepted: states swap places, even pairs and odd ones in
// turn, and each remembers which end it saw last.
std::uint64_t trips_by_hand(std::size_t levels, std::size_t passes) {
    std::vector<std::size_t> who(levels);
    std::iota(who.begin(), who.end(), std::size_t{0});
    std::vector<int> seen(levels, 0);  // 1: the hottest, 2: then the coldest
    std::uint64_t trips = 0;
    const auto look = [&] {
        int& hottest = seen[who.front()];
        trips += hottest == 2 ? 1 : 0;
        hottest = 1;
        int& coldest = seen[who.back()];
        if (coldest == 1) coldest = 2;
    };
    look();
    for (std::size_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = pass % 2; i + 1 < levels; i += 2) std::swap(who[i], who[i + 1]);
        look();
    }
    return trips;
}

}  // namespace

TEST(round_trips_are_counted) {
    const LinearOrders space = orders(3.0);
    for (const std::size_t levels : {2, 3, 8}) {
        const std::vector<Temperature> uniform(levels, Temperature::at(0.0));
        Replicas replicas(space, uniform, Random(1, 0));
        for (int time = 0; time < 30; ++time) replicas.exchange();
        CHECK(replicas.round_trips() == trips_by_hand(levels, 30 * levels));
        CHECK(replicas.round_trips() > 10 * levels);
        for (const ExchangeCounts& pair : replicas.exchanges()) {
            CHECK(pair.accepted == pair.proposed);
        }
        replicas.forget_counts();
        CHECK(replicas.round_trips() == 0);
    }
}

TEST(one_state_alone_makes_no_trips) {
    const LinearOrders space = orders(3.0);
    Replicas replicas(space, {Temperature{}}, Random(1, 0));
    replicas.exchange();
    CHECK(replicas.round_trips() == 0);
    CHECK(replicas.exchanges().empty());
}

TEST(levels_are_added_where_exchanges_are_refused_too_often) {
    const LinearOrders space = orders(40.0);
    TemperingOptions options;
    options.temperatures = {Temperature::at(0.0), Temperature::at(0.5), Temperature{}};
    options.adapt = true;
    options.record.dags_per_state = 0;
    std::atomic<bool> stop = false;
    std::atomic<std::uint64_t> work = 0;
    TaskContext context(stop, work);
    for (const std::size_t most : {0, 4, 40}) {
        options.most_temperatures = most;
        TemperedChain chain(space, options, Random(2, 0), Random(2, 1));
        chain.start(context);
        chain.burn_in(20'000, context);
        chain.sample(2'000, context);
        const Replicas& replicas = chain.replicas();
        if (most == 0) CHECK(chain.levels() == 3);
        if (most == 4) CHECK(chain.levels() == 4);
        if (most == 40) CHECK(chain.levels() > 4 && chain.levels() < 40);
        const std::vector<Temperature> temperatures = replicas.temperatures();
        CHECK(temperatures.front().inverse == 0.0);
        CHECK(temperatures.back().is_posterior());
        for (std::size_t level = 0; level + 1 < temperatures.size(); ++level) {
            CHECK(temperatures[level].inverse < temperatures[level + 1].inverse);
        }
        CHECK(chain.ratios().size() == chain.levels() - 1);
        CHECK(lacks_levels(replicas.refusal_rates()) == (most < 40));
    }
}

}  // namespace arcwise::tests
