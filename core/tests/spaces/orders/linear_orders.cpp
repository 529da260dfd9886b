// Linear orders of more nodes than a word has bits keep track of their weight, with rows of sums
// for one parent besides the candidates.
#include "arcwise/spaces/orders/linear_orders.hpp"

#include <memory>

#include "arcwise/spaces/space.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

// Each node has three candidates; of all others, one in five can be no parent.
std::shared_ptr<const ScoreSums> sums_in_rows(int nodes) {
    Random random(23, 0);
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> candidates;
        std::vector<int> outside;
        for (int other = 0; other < nodes; ++other) {
            const int apart = (other - node + nodes) % nodes;
            if (apart == 0) continue;
            if (apart == 1 || apart == 7 || apart == 30) {
                candidates.push_back(other);
            } else if (apart % 5 != 0) {
                outside.push_back(other);
            }
        }
        table.emplace_back(candidates, std::vector<int>{}, 3, outside);
        table.back().values().resize(table.back().count());
        set_weights(table.back(), random, 4.0, 0.0);
    }
    return std::make_shared<const ScoreSums>(table,
                                             std::vector<SumMethod>(table.size(), SumMethod::rows),
                                             1e-12, Tabulated::sums, RunOptions{});
}

}  // namespace

TEST(linear_orders_in_rows_keep_track_through_thousands_of_moves) {
    const LinearOrders space(sums_in_rows(90));
    CHECK(space.weights().words() > 1);
    const auto state = space.make_state();
    Random random(3, 1);
    state->draw_uniform(random);
    MoveCounts counts(space.moves());
    const Temperature temperatures[] = {Temperature::at(0.0), Temperature::at(0.5), Temperature{}};
    const int steps = sanitized ? 600 : 6000;
    for (int step = 0; step < steps; ++step) {
        counts.add(metropolis_step(*state, temperatures[step / 100 % 3], random));
        if (step % 20 != 0) continue;
        CHECK_CLOSE(state->log_weight().value, state->recomputed_weight().value, 1e-9);
    }
    for (const std::uint64_t accepted : counts.accepted) CHECK(accepted > (sanitized ? 3u : 30u));
}
