// The chains of a pilot, and what their edges tell.
#include "arcwise/spaces/dags/window_pilot.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "arcwise/spaces/dags/dag_state.hpp"
#include "arcwise/spaces/metropolis.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t pilot_chains = 4;
constexpr std::uint64_t pilot_seed = 1;
constexpr std::uint64_t steps_between_looks = 16;

// A chain makes so many steps for each node where the orders have had the usual 4 n^2 ln(n + 1),
// and as much fewer where they have had fewer.
constexpr double most_steps_for_each_node = 500.0;
constexpr double usual_orders = 4.0;

// Edges as good as certain, or as good as absent, are no matter.
constexpr double least_variance = 0.01;

// How often each edge was there, and how often it changed from one look to the next.
class EdgeCounts {
  public:
    explicit EdgeCounts(std::size_t nodes)
        : nodes_(nodes), there_(nodes * nodes, 0), changes_(there_) {}

    void begin(const MutableDag& dag) { last_ = dag.all_parents(); }

    void look_at(const MutableDag& dag) {
        const std::vector<std::uint64_t>& parents = dag.all_parents();
        for (std::size_t i = 0; i < parents.size(); ++i) {
            const auto count = [&](std::uint64_t bits, std::vector<std::uint32_t>& counts) {
                for (; bits != 0; bits &= bits - 1) {
                    const std::size_t parent =
                        i % dag.words() * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                    ++counts[parent * nodes_ + i / dag.words()];
                }
            };
            count(parents[i], there_);
            count(parents[i] ^ last_[i], changes_);
        }
        last_ = parents;
        ++looks_;
    }

    // Of each pair: the steps it takes its edges to change by as much as they vary.
    std::vector<double> needed() const {
        std::vector<double> result(nodes_ * nodes_, 0.0);
        for (std::size_t parent = 0; parent < nodes_; ++parent) {
            for (std::size_t node = 0; node < nodes_; ++node) {
                const std::size_t edge = parent * nodes_ + node;
                const double share = there_[edge] / static_cast<double>(looks_);
                const double variance = share * (1.0 - share);
                if (variance < least_variance) continue;
                const double rate = (changes_[edge] + 1.0) / static_cast<double>(looks_);
                const auto [low, high] = std::minmax(parent, node);
                result[low * nodes_ + high] += variance * variance / rate * steps_between_looks;
            }
        }
        return result;
    }

  private:
    std::size_t nodes_;
    std::uint64_t looks_ = 0;
    std::vector<std::uint32_t> there_, changes_;
    std::vector<std::uint64_t> last_;
};

}  // namespace

Neighbourhoods neighbourhoods_by_pilot(const Dags& space, std::uint64_t order_steps,
                                       TaskContext* context) {
    const double n = space.nodes();
    const double share = static_cast<double>(order_steps) / (usual_orders * n * n * std::log1p(n));
    const auto looks = static_cast<std::uint64_t>(
        std::ceil(most_steps_for_each_node * n * std::min(1.0, share) / steps_between_looks));
    EdgeCounts counts(static_cast<std::size_t>(space.nodes()));
    for (std::uint64_t chain = 0; chain < pilot_chains; ++chain) {
        Random random(pilot_seed, chain);
        DagState state(space);
        state.start_from_orders(1 + order_steps / pilot_chains, random, context);
        // It settles for a third as long before it is looked at.
        for (std::uint64_t look = 0; look < looks + looks / 3; ++look) {
            if (context != nullptr) context->advance(0);
            for (std::uint64_t i = 0; i < steps_between_looks; ++i) {
                metropolis_step(state, {}, random);
            }
            if (look < looks / 3) continue;
            if (look == looks / 3) counts.begin(state.dag());
            counts.look_at(state.dag());
        }
    }
    return {space.weights().sums(), counts.needed()};
}

}  // namespace arcwise
