// Weights of a population, and stratified resampling.
#include "arcwise/chains/population.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

constexpr double least_effective_share = 0.5;

// The place each of the states is drawn from; shares sum up to 1.
std::vector<std::size_t> ancestors(std::span<const double> shares, Random& random) {
    const std::size_t count = shares.size();
    std::size_t final = count - 1;  // takes what rounding leaves over
    while (shares[final] <= 0.0) --final;
    std::vector<std::size_t> drawn(count);
    std::vector<double> within;  // of the states from `first` on: what they have of this part
    std::size_t first = 0;
    double left = shares[0];  // of the share of the first state
    for (std::size_t part = 0; part < count; ++part) {
        double wanted = 1.0 / static_cast<double>(count);
        within.clear();
        std::size_t state = first;
        while (true) {
            const bool last = state == final;
            const double taken = last ? wanted : std::min(left, wanted);
            within.push_back(taken);
            wanted -= taken;
            left -= taken;
            if (last || wanted <= 0.0) break;
            left = shares[++state];
        }
        drawn[part] = first + random.choose(within);
        first = state;
    }
    return drawn;
}

}  // namespace

void reweight(std::span<const std::unique_ptr<State>> states, const Temperature& from,
              const Temperature& to, std::vector<double>& log_weights) {
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (log_weights[i] > minus_infinity) {
            log_weights[i] += to.log_density(weight_at(*states[i], to)) -
                              from.log_density(states[i]->log_weight());
        }
        go_to(*states[i], to);
    }
}

double effective_size(std::span<const double> log_weights) {
    const double largest = std::ranges::max(log_weights);
    double sum = 0.0;
    double squares = 0.0;
    for (const double log_weight : log_weights) {
        const double weight = std::exp(log_weight - largest);
        sum += weight;
        squares += weight * weight;
    }
    return sum * sum / squares;
}

bool needs_resampling(std::span<const double> log_weights) {
    return std::ranges::min(log_weights) == minus_infinity ||
           effective_size(log_weights) <
               least_effective_share * static_cast<double>(log_weights.size());
}

double log_mean(std::span<const double> log_weights) {
    const double largest = std::ranges::max(log_weights);
    if (largest == minus_infinity) return largest;
    double sum = 0.0;
    for (const double log_weight : log_weights) sum += std::exp(log_weight - largest);
    return largest + std::log(sum / static_cast<double>(log_weights.size()));
}

double resample(std::span<const std::unique_ptr<State>> states, std::vector<double>& log_weights,
                Random& random) {
    const auto copy = [&](std::size_t to, std::size_t from) { states[to]->become(*states[from]); };
    return resample(log_weights, copy, random);
}

double resample(std::vector<double>& log_weights,
                const std::function<void(std::size_t, std::size_t)>& copy, Random& random) {
    const std::size_t count = log_weights.size();
    const double largest = std::ranges::max(log_weights);
    if (count == 1) {
        log_weights[0] = 0.0;
        return largest;
    }
    std::vector<double> shares(count);
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += shares[i] = std::exp(log_weights[i] - largest);
    for (double& share : shares) share /= sum;
    // Those that are drawn stay where they are; further copies go where one was not drawn.
    std::vector<std::size_t> times(count, 0);
    for (const std::size_t ancestor : ancestors(shares, random)) ++times[ancestor];
    std::size_t free = 0;
    for (std::size_t i = 0; i < count; ++i) {
        for (; times[i] > 1; --times[i]) {
            while (times[free] > 0) ++free;
            copy(free, i);
            times[free] = 1;
        }
    }
    std::ranges::fill(log_weights, 0.0);
    return largest + std::log(sum / static_cast<double>(count));
}

namespace {

// How much lighter, in nats, states that constraints exclude may become from one temperature to the
// next, on average. While all of them are excluded alike, their weights stay equal however far the
// next temperature is, and a population would go there without ever having met the others.
constexpr double most_penalty = 3.0;

// Between 0 and 1; 0 where one of the two does not vary, as all states are then alike.
double correlation(const std::vector<double>& before, const std::vector<double>& after) {
    const auto count = static_cast<double>(before.size());
    double mean_before = 0.0;
    double mean_after = 0.0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        mean_before += before[i] / count;
        mean_after += after[i] / count;
    }
    double both = 0.0;
    double of_before = 0.0;
    double of_after = 0.0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double x = before[i] - mean_before;
        const double y = after[i] - mean_after;
        both += x * y;
        of_before += x * x;
        of_after += y * y;
    }
    const double scale = std::sqrt(of_before * of_after);
    return scale > 0.0 ? std::max(0.0, both / scale) : 0.0;
}

class Pilot {
  public:
    Pilot(const Space& space, const PilotOptions& options, std::uint64_t seed,
          const RunOptions& run_options)
        : options_(options), run_options_(run_options), common_(seed, 1) {
        for (std::size_t i = 0; i < options.population; ++i) {
            states_.push_back(space.make_state());
            random_.emplace_back(seed, 2 * i);
            go_to(*states_[i], options.path.front());
            states_[i]->draw_uniform(random_[i]);
        }
    }

    PopulationPlan run() {
        PopulationPlan plan{{options_.path.front()}, {}};
        const std::size_t end = options_.path.size() - 1;
        std::vector<double> log_weights(states_.size(), 0.0);
        for (std::size_t at = 0; at < end;) {
            const std::size_t next = farthest(at);
            reweight(states_, options_.path[at], options_.path[next], log_weights);
            if (std::ranges::max(log_weights) == minus_infinity) {
                throw Error(ErrorKind::argument,
                            "The constraints exclude all structures that a population of " +
                                std::to_string(states_.size()) +
                                " has come to; give more particles.");
            }
            resample(states_, log_weights, common_);
            at = next;
            plan.temperatures.push_back(options_.path[at]);
            plan.steps.push_back(decorrelate(options_.path[at]));
        }
        return plan;
    }

  private:
    // The last point of the path to which the weights stay about equal, at least the next one.
    std::size_t farthest(std::size_t at) {
        zero_factors_ = 0.0;
        for (const auto& state : states_) {
            zero_factors_ += static_cast<double>(state->log_weight().zero_factors) /
                             static_cast<double>(states_.size());
        }
        std::size_t low = at + 1;
        std::size_t high = options_.path.size() - 1;
        while (low < high) {
            const std::size_t middle = low + (high - low + 1) / 2;
            if (stays_effective(at, middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    bool stays_effective(std::size_t at, std::size_t next) const {
        const Temperature& from = options_.path[at];
        const Temperature& to = options_.path[next];
        if (zero_factors_ > 0.0 && zero_factors_ * (to.penalty - from.penalty) > most_penalty) {
            return false;
        }
        std::vector<double> ratios(states_.size());
        for (std::size_t i = 0; i < states_.size(); ++i) {
            ratios[i] = to.log_density(weight_at(*states_[i], to)) -
                        from.log_density(states_[i]->log_weight());
        }
        return std::ranges::max(ratios) > minus_infinity &&
               effective_size(ratios) >=
                   options_.effective_share * static_cast<double>(states_.size());
    }

    // Moves all states until their weights tell little of what they were; returns the steps.
    std::uint64_t decorrelate(const Temperature& temperature) {
        const std::vector<double> before = log_weights();
        std::uint64_t steps = 0;
        for (std::uint64_t look = 0; look < options_.most_looks; ++look) {
            run_tasks(states_.size(), states_.size() * options_.steps_a_look, run_options_,
                      [&](std::size_t i, TaskContext& context) {
                          for (std::uint64_t step = 0; step < options_.steps_a_look; ++step) {
                              metropolis_step(*states_[i], temperature, random_[i]);
                              // One look may be asked to take any number of steps.
                              if (step % 256 == 255) context.advance(0);
                          }
                          context.advance(options_.steps_a_look);
                      });
            steps += options_.steps_a_look;
            if (correlation(before, log_weights()) < options_.correlation) break;
        }
        return steps;
    }

    std::vector<double> log_weights() const {
        std::vector<double> result;
        for (const auto& state : states_) result.push_back(state->log_weight().value);
        return result;
    }

    const PilotOptions& options_;
    const RunOptions& run_options_;
    Random common_;
    std::vector<std::unique_ptr<State>> states_;
    std::vector<Random> random_;
    double zero_factors_ = 0.0;  // nodes of a state without a parent set, on average
};

}  // namespace

PopulationPlan plan_population(const Space& space, const PilotOptions& options, std::uint64_t seed,
                               const RunOptions& run_options) {
    if (options.path.empty()) throw Error(ErrorKind::argument, "There is no temperature.");
    return Pilot(space, options, seed, run_options).run();
}

}  // namespace arcwise
