// One restart after the other: annealing, climbing, perturbing.
#include "arcwise/search/map_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/search/order_of_maxima.hpp"
#include "arcwise/spaces/orders/linear_orders.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Found on networks of 20 to 200 variables: slower cooling takes longer than the perturbations that
// it saves.
constexpr double sweeps_per_fold = 30.0;      // until the temperature has fallen by the factor e
constexpr int sweeps_until_frozen = 5;        // without a change of weight
constexpr double lowest_temperature = 1e-12;  // relative to the first
constexpr std::uint64_t fewest_thrown = 2;
constexpr std::uint64_t most_thrown = 10;

// Differences below this share of the weights are rounding, and count as none.
constexpr double rounding = 1e-12;

// Exponentials below e^-40 would never be drawn.
constexpr double least_exponent = -40.0;

class Restart {
  public:
    Restart(std::shared_ptr<const ScoreSums> sums, const NodeWeights& weights,
            const Neighbours& neighbours, Random random)
        : sums_(std::move(sums)),
          neighbours_(neighbours),
          random_(random),
          state_(weights, neighbours),
          nodes_(static_cast<std::size_t>(weights.nodes())),
          waits_(nodes_.size(), false) {
        std::iota(nodes_.begin(), nodes_.end(), 0);
        for (const int node : nodes_) heaviest_ += std::abs(weights.stand_in(node));
    }

    // From an order that is known to be good, or else from a random one.
    void run(const std::vector<int>* order, std::uint64_t patience, TaskContext& context) {
        if (order != nullptr) {
            state_.become(*order);
            look_everywhere();
        } else {
            state_.shuffle(random_);
            anneal(look_everywhere(), context);
        }
        climb(context);
        if (state_.weight().zero_factors > 0) {
            settle_state();
            climb(context);
        }
        do {
            perturb(patience, context);
        } while (climb(context));
    }

    // The best order of positive weight so far; empty if there was none.
    const FoundOrder& best() const { return best_; }

  private:
    // Fewer impossible nodes count before any weight.
    bool better(const LogWeight& one, const LogWeight& other) const {
        if (one.zero_factors != other.zero_factors) return one.zero_factors < other.zero_factors;
        return one.value > other.value + margin_;
    }

    void note() {
        const LogWeight& weight = state_.weight();
        if (weight.zero_factors > 0) return;
        if (best_.order.empty() || better(weight, {best_.log_weight, 0})) {
            best_.log_weight = weight.value;
            best_.order = state_.order();
        }
    }

    void mix(std::vector<int>& nodes) { random_.shuffle(std::span(nodes)); }

    // The standard deviation of the changes of weight that moves from here bring. The largest of
    // them counts for the margin: the heaviest families may weigh next to nothing and others much,
    // and were rounding taken for improvement, nodes would climb for ever.
    double look_everywhere() {
        double largest = 0.0;
        double count = 0.0;
        double sum = 0.0;
        double squares = 0.0;
        for (const int node : nodes_) {
            for (const LogWeight& change : state_.look_around(node)) {
                count += 1.0;
                sum += change.value;
                squares += change.value * change.value;
                largest = std::max(largest, std::abs(change.value));
            }
        }
        margin_ = rounding * (heaviest_ + largest);
        return std::sqrt(std::max(0.0, squares / count - (sum / count) * (sum / count)));
    }

    // From a temperature at which most places are as good as any other down to one at which nothing
    // changes any more. Nodes without a parent set cost ever more: their price at the start is one
    // spread, and it rises as the temperature falls.
    void anneal(double spread, TaskContext& context) {
        const double start = spread > margin_ ? spread : 1.0;
        int still = 0;
        for (double share = 1.0; still < sweeps_until_frozen && share > lowest_temperature;
             share *= std::exp(-1.0 / sweeps_per_fold)) {
            const Temperature temperature{1.0 / (start * share), 1.0 / (share * share)};
            still = sweep(temperature) ? 0 : still + 1;
            note();
            context.advance(0);
        }
    }

    // Draws a new place for every node; says whether the weight changed on the way.
    bool sweep(const Temperature& temperature) {
        bool changed = false;
        mix(nodes_);
        for (const int node : nodes_) {
            const std::vector<LogWeight>& changes = state_.look_around(node);
            choices_.resize(changes.size());
            double largest = minus_infinity;
            for (std::size_t gap = 0; gap < changes.size(); ++gap) {
                choices_[gap] = temperature.log_density(changes[gap]);
                largest = std::max(largest, choices_[gap]);
            }
            for (double& choice : choices_) {
                choice = choice - largest < least_exponent ? 0.0 : std::exp(choice - largest);
            }
            const std::size_t gap = random_.choose(choices_);
            changed =
                changed || changes[gap].zero_factors != 0 || std::abs(changes[gap].value) > margin_;
            state_.move_to(gap, random_);
        }
        return changed;
    }

    // Puts a node where the weight is largest, at random among equals; says whether that is better
    // than where it was.
    bool improve(int node) {
        const std::vector<LogWeight>& changes = state_.look_around(node);
        std::size_t top = state_.present_gap();
        bool improved = false;
        std::uint64_t equals = 1;
        for (std::size_t gap = 0; gap < changes.size(); ++gap) {
            if (better(changes[gap], changes[top])) {
                top = gap;
                improved = true;
                equals = 1;
            } else if (gap != state_.present_gap() && !better(changes[top], changes[gap]) &&
                       random_.below(++equals) == 0) {
                top = gap;
            }
        }
        state_.move_to(top, random_);
        return improved;
    }

    // Improves until no node can be improved; says whether any was.
    bool climb(TaskContext& context) {
        bool ever = false;
        for (bool improved = true; improved;) {
            improved = false;
            mix(nodes_);
            for (const int node : nodes_) improved = improve(node) || improved;
            ever = ever || improved;
            context.advance(0);
        }
        note();
        return ever;
    }

    void perturb(std::uint64_t patience, TaskContext& context) {
        for (std::uint64_t since = 0; since < patience; ++since) {
            const LogWeight before = state_.weight();
            order_before_ = state_.order();
            throw_about();
            climb_around();
            if (better(before, state_.weight())) {
                state_.become(order_before_);
            } else if (better(state_.weight(), before)) {
                since = 0;
                note();
            }
            context.advance(0);
        }
    }

    // Moves some nodes to random places, each a neighbour of the one before: what keeps an order in
    // a local optimum is a few neighbours that would have to move at once.
    void throw_about() {
        const std::uint64_t count = fewest_thrown + random_.below(most_thrown - fewest_thrown + 1);
        int node = static_cast<int>(random_.below(nodes_.size()));
        for (std::uint64_t thrown = 0; thrown < count; ++thrown) {
            const std::size_t gaps = state_.look_around(node).size();
            state_.move_to(random_.below(gaps), random_);
            let_climb(node);
            const std::vector<int>& near = neighbours_.near(node);
            if (near.empty()) return;
            node = near[random_.below(near.size())];
        }
    }

    // Puts a node and its neighbours among those that are to climb.
    void let_climb(int node) {
        const auto add = [&](int one) {
            if (waits_[static_cast<std::size_t>(one)]) return;
            waits_[static_cast<std::size_t>(one)] = true;
            waiting_.push_back(one);
        };
        add(node);
        for (const int other : neighbours_.near(node)) add(other);
    }

    // Improves the nodes that wait, in random order, and those around them as they improve.
    void climb_around() {
        for (std::size_t next = 0; next < waiting_.size(); ++next) {
            std::swap(waiting_[next], waiting_[next + random_.below(waiting_.size() - next)]);
            const int node = waiting_[next];
            waits_[static_cast<std::size_t>(node)] = false;
            if (improve(node)) let_climb(node);
        }
        waiting_.clear();
    }

    // Annealing can end where some nodes have no parent set, if constraints are tight.
    void settle_state() {
        const LinearOrders space(sums_, {}, Semiring::maximum);
        const std::unique_ptr<State> state = space.make_state();
        const std::vector<int>& order = state_.order();
        state->decode(std::vector<std::uint16_t>(order.begin(), order.end()));
        settle(*state, random_);
        const std::vector<std::uint16_t> settled = state->encode();
        state_.become(std::vector<int>(settled.begin(), settled.end()));
    }

    std::shared_ptr<const ScoreSums> sums_;
    const Neighbours& neighbours_;
    Random random_;
    OrderOfMaxima state_;
    FoundOrder best_;
    double heaviest_ = 0.0;  // the weights of the heaviest families, without their signs
    double margin_ = 0.0;
    std::vector<int> nodes_;
    std::vector<int> waiting_;
    std::vector<bool> waits_;
    std::vector<int> order_before_;
    std::vector<double> choices_;
};

}  // namespace

void search_orders(std::shared_ptr<const ScoreSums> sums, std::uint64_t patience,
                   std::uint64_t seed, std::uint64_t first, std::size_t count,
                   const std::vector<std::vector<int>>& starts, const RunOptions& options,
                   std::vector<FoundOrder>& found) {
    const NodeWeights weights(sums, Semiring::maximum);
    const Neighbours neighbours(weights);
    std::vector<FoundOrder> results(count);
    const auto collect = [&] {
        for (FoundOrder& result : results) {
            if (!result.order.empty()) found.push_back(std::move(result));
        }
    };
    try {
        run_tasks(count, count, options, [&](std::size_t i, TaskContext& context) {
            Restart restart(sums, weights, neighbours, Random(seed, first + i));
            try {
                const std::size_t number = static_cast<std::size_t>(first) + i;
                restart.run(number < starts.size() ? &starts[number] : nullptr, patience, context);
            } catch (const Error& error) {
                if (error.kind() == ErrorKind::interrupted) results[i] = restart.best();
                throw;
            }
            results[i] = restart.best();
            results[i].finished = true;
            context.advance(1);
        });
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted) collect();
        throw;
    }
    collect();
}

}  // namespace arcwise
