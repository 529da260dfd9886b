// Weights of a population, and stratified resampling.
#include "arcwise/chains/resampling.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"

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

}  // namespace arcwise
