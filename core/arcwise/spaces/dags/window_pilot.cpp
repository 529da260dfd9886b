// Runs the chains of a pilot and counts how their edges change.
#include "arcwise/spaces/dags/window_pilot.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "arcwise/spaces/dags/dag_state.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t pilot_chains = 4;
constexpr std::uint64_t pilot_seed = 1;
constexpr std::uint64_t steps_between_looks = 16;

// A chain makes this many steps for each node after the usual 4 n^2 ln(n + 1) steps of orders, and
// proportionally fewer after fewer of these.
constexpr double most_steps_for_each_node = 500.0;
constexpr double usual_orders = 4.0;
constexpr double least_share_of_orders = 1.0 / 16.0;

double share_of_orders(double nodes, std::uint64_t order_steps) {
    return static_cast<double>(order_steps) / (usual_orders * nodes * nodes * std::log1p(nodes));
}

// Edges that are nearly certain or nearly always absent do not matter.
constexpr double least_variance = 0.01;

// Chains are stuck where an edge needs more than this share of the looks to change by as much as it
// varies: one that varies most and changed 24 times or less, or one of a mode of a sixth and 7.
constexpr double most_needed_by_few = 0.0025;

// How often each edge was there, and how often it changed from one look to the next, where that
// counts: windows of many sizes find edges that vary though they did not change with few.
class EdgeCounts {
  public:
    explicit EdgeCounts(std::size_t nodes)
        : nodes_(nodes), there_(nodes * nodes, 0), changes_(there_) {}

    void begin(const MutableDag& dag) { last_ = dag.all_parents(); }

    void look_at(const MutableDag& dag, bool counts_changes) {
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
            if (counts_changes) count(parents[i] ^ last_[i], changes_);
        }
        last_ = parents;
        ++all_looks_;
        looks_ += counts_changes;
    }

    // The number of looks whose changes count.
    double looks() const { return static_cast<double>(looks_); }

    // By pair of nodes, how many steps its edges take to change by as much as they vary.
    std::vector<double> needed() const {
        std::vector<double> result(nodes_ * nodes_, 0.0);
        for (std::size_t edge = 0; edge < there_.size(); ++edge) {
            const auto [low, high] = std::minmax({edge / nodes_, edge % nodes_});
            result[low * nodes_ + high] += looks_needed(edge) * steps_between_looks;
        }
        return result;
    }

    // The looks that the slowest edge needs.
    double most_needed() const {
        double most = 0.0;
        for (std::size_t edge = 0; edge < there_.size(); ++edge) {
            most = std::max(most, looks_needed(edge));
        }
        return most;
    }

  private:
    double looks_needed(std::size_t edge) const {
        const double share = there_[edge] / static_cast<double>(all_looks_);
        const double variance = share * (1.0 - share);
        return variance < least_variance ? 0.0
                                         : variance * variance * looks() / (changes_[edge] + 1.0);
    }

    std::size_t nodes_;
    std::uint64_t all_looks_ = 0;
    std::uint64_t looks_ = 0;
    std::vector<std::uint32_t> there_, changes_;
    std::vector<std::uint64_t> last_;
};

}  // namespace

bool pilot_pays(int nodes, std::uint64_t order_steps) {
    return share_of_orders(nodes, order_steps) >= least_share_of_orders;
}

Neighbourhoods neighbourhoods_by_pilot(const Dags& space, std::uint64_t order_steps,
                                       TaskContext* context) {
    const double n = space.nodes();
    const double share = share_of_orders(n, order_steps);
    const auto looks = static_cast<std::uint64_t>(
        std::ceil(most_steps_for_each_node * n * std::min(1.0, share) / steps_between_looks));
    const ScoreSums& sums = space.weights().sums();
    // Without tables, the sums of large windows take too long.
    const bool tries_many = sums.all_tabulated();
    const auto many =
        tries_many ? std::make_shared<const Neighbourhoods>(sums, WindowSizes::many) : nullptr;
    EdgeCounts counts(static_cast<std::size_t>(space.nodes()));
    EdgeCounts counts_with_many = counts;
    for (std::uint64_t chain = 0; chain < pilot_chains; ++chain) {
        Random random(pilot_seed, chain);
        DagState state(space);
        state.start_from_orders(1 + order_steps / pilot_chains, random, context);
        const auto make_steps = [&] {
            if (context != nullptr) context->advance(0);
            for (std::uint64_t i = 0; i < steps_between_looks; ++i) {
                metropolis_step(state, {}, random);
            }
        };
        // It settles for a third as long before it is looked at.
        for (std::uint64_t look = 0; look < looks / 3; ++look) make_steps();
        counts.begin(state.dag());
        const auto look_on = [&](WindowSizes sizes) {
            for (std::uint64_t look = 0; look < looks; ++look) {
                make_steps();
                counts.look_at(state.dag(), sizes == WindowSizes::few);
                if (sizes == WindowSizes::many) counts_with_many.look_at(state.dag(), true);
            }
        };
        look_on(WindowSizes::few);
        if (!tries_many) continue;
        state.open_windows_in(many);
        counts_with_many.begin(state.dag());
        look_on(WindowSizes::many);
    }
    const bool stuck = counts.most_needed() > most_needed_by_few * counts.looks();
    if (!tries_many || !stuck) return {sums, counts.needed(), WindowSizes::few};
    return {sums, counts_with_many.needed(), WindowSizes::many};
}

}  // namespace arcwise
