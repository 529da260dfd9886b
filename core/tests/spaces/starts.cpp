// Where chains begin: at a state of a DAG that is given, in every space that follows DAGs.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "all_families.hpp"
#include "arcwise/spaces/orders/some_dag.hpp"
#include "arcwise/spaces/registry.hpp"
#include "check.hpp"

namespace arcwise::tests {
namespace {

constexpr int nodes = 5;

using Parents = std::vector<std::uint64_t>;

const Parents some_parents = {0b01010, 0b00000, 0b00011, 0b00010, 0b00100};

}  // namespace

TEST(a_chain_can_begin_at_a_known_dag) {
    Random weights(3, 0);
    const auto sums = tabulated(all_families(nodes, 2, weights, 2.0));
    const SomeDag dag = known_dag(some_parents, nodes);
    CHECK(dag.levels == std::vector<int>({2, 0, 3, 1, 4}));
    for (const char* const called : {"dags", "partitions", "canonical", "layerings"}) {
        const std::string name = called;
        SpaceSettings settings;
        if (name == "layerings") settings.numbers = {{"max_size", 2}};
        const auto space = build_space(name, sums, settings);
        const std::unique_ptr<State> state = space->make_state();
        CHECK(state->start_at(dag));
        CHECK(state->log_weight().zero_factors == 0);
        const auto given = state->given();
        Random random(1, 0);
        std::vector<std::uint64_t> drawn(some_parents.size());
        bool met = false;
        for (int draw = 0; draw < 20'000 && !met; ++draw) {
            std::ranges::fill(drawn, 0);
            given->draw(random, drawn.data());
            met = drawn == some_parents;
        }
        CHECK(met);
    }
    CHECK(!build_space("linear", sums, {})->make_state()->start_at(dag));
}

TEST(what_is_no_dag_is_refused_as_a_start) {
    CHECK_THROWS_KIND(known_dag(Parents{0b10, 0b01}, 2), argument);
    CHECK_THROWS_KIND(known_dag(Parents{0b100, 0b00}, 2), argument);
    CHECK_THROWS_KIND(known_dag(Parents{0b00}, 2), argument);
}

}  // namespace arcwise::tests
