// Temperatures at equal shares of the barrier, and how many there should be.
#include <cmath>

#include "arcwise/chains/replicas.hpp"
#include "check.hpp"

namespace arcwise::tests {
namespace {

std::vector<Temperature> inverses(const std::vector<double>& values) {
    std::vector<Temperature> all;
    for (const double value : values) all.push_back(Temperature::at(value));
    return all;
}

}  // namespace

TEST(levels_are_placed_at_equal_shares_of_the_barrier) {
    // A barrier of 0.9 up to 0.5, and of 0.3 from there: a third of it is 0.4.
    const auto spread = at_equal_shares(inverses({0.0, 0.5, 1.0}), std::vector{0.9, 0.3}, 4);
    const std::vector<double> expected{0.0, 0.5 * 4.0 / 9.0, 0.5 * 8.0 / 9.0, 1.0};
    CHECK(spread.size() == expected.size());
    for (std::size_t level = 0; level < spread.size(); ++level) {
        CHECK(std::abs(spread[level].inverse - expected[level]) < 1e-12);
    }
    CHECK(spread.back().excludes_zero_weights());
}

TEST(levels_that_are_never_refused_do_not_fall_together) {
    const auto spread = at_equal_shares(inverses({0.0, 0.3, 0.7, 1.0}), std::vector(3, 0.0), 4);
    for (std::size_t level = 0; level + 1 < spread.size(); ++level) {
        CHECK(spread[level].inverse < spread[level + 1].inverse);
    }
}

TEST(places_on_the_bridge_are_spread_like_temperatures) {
    const std::vector<Temperature> bridge{Temperature::at(1.0, 0.0), Temperature::at(1.0, 0.8),
                                          Temperature::at(1.0, 1.0)};
    const auto spread = at_equal_shares(bridge, std::vector{0.2, 0.6}, 3);
    CHECK(spread[1].inverse == 1.0);
    CHECK(std::abs(spread[1].bridge - (0.8 + 0.2 / 3.0)) < 1e-12);
}

TEST(half_of_all_exchanges_are_refused_by_as_many_levels_as_are_needed) {
    CHECK(!lacks_levels(std::vector{0.5, 0.6, 0.4}));
    CHECK(lacks_levels(std::vector{0.7, 0.9, 0.5}));
    CHECK(levels_needed(std::vector{0.7, 0.9, 0.4}) == 5);
    CHECK(levels_needed(std::vector(7, 1.0)) == 15);
}

}  // namespace arcwise::tests
