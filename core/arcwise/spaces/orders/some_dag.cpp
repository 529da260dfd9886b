// Draws an order, and then a DAG that it allows.
#include "arcwise/spaces/orders/some_dag.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/spaces/orders/linear_orders.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

SomeDag some_dag(const ScoreSums& sums, std::uint64_t steps, Random& random, TaskContext* context) {
    constexpr std::uint64_t steps_between_checks = 256;
    // The sums outlive the space, which therefore need not own them.
    const std::shared_ptr<const ScoreSums> borrowed(std::shared_ptr<void>(), &sums);
    const LinearOrders orders(borrowed);
    const std::unique_ptr<State> order = orders.make_state();
    order->draw_uniform(random);
    settle(*order, random);
    for (std::uint64_t step = 0; step < steps; ++step) {
        if (context != nullptr && step % steps_between_checks == 0) context->advance(0);
        metropolis_step(*order, {}, random);
    }

    const auto n = static_cast<std::size_t>(sums.nodes());
    const std::size_t words = words_for(n);
    SomeDag result{std::vector<std::uint64_t>(n * words), std::vector<int>(n, 0)};
    order->given()->draw(random, result.parents.data());
    for (const std::uint16_t node : order->encode()) {  // parents come before their children
        for (std::size_t parent = 0; parent < n; ++parent) {
            if (!has_member(result.parents.data() + node * words, parent)) continue;
            result.levels[node] = std::max(result.levels[node], result.levels[parent] + 1);
        }
    }
    return result;
}

SomeDag known_dag(std::vector<std::uint64_t> parents, int nodes) {
    const auto n = static_cast<std::size_t>(nodes);
    const std::size_t words = words_for(n);
    const auto refuse = [] {
        throw Error(ErrorKind::argument, "What chains are to begin at is no DAG of the model.");
    };
    if (parents.size() != n * words) refuse();
    MutableDag dag(nodes);
    for (std::size_t node = 0; node < n; ++node) {
        const std::uint64_t* own = parents.data() + node * words;
        if (n % 64 != 0 && (own[words - 1] >> (n % 64)) != 0) refuse();
        dag.set_parents(static_cast<int>(node), own);
    }
    if (!dag.acyclic()) refuse();
    SomeDag result{std::move(parents), std::vector<int>(n, 0)};
    // No path has as many edges as there are nodes, so that all levels are final after n rounds.
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t node = 0; node < n; ++node) {
            for_each_member(dag.parents(static_cast<int>(node)), words, [&](int parent) {
                const int least = result.levels[static_cast<std::size_t>(parent)] + 1;
                if (result.levels[node] >= least) return;
                result.levels[node] = least;
                changed = true;
            });
        }
    }
    return result;
}

}  // namespace arcwise
