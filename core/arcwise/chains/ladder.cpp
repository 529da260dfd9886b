// Shares of the communication barrier.
#include "arcwise/chains/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arcwise {
namespace {

// A pair of temperatures whose exchanges were never refused counts as if refused this often, so
// that no two temperatures fall together.
constexpr double smallest_refusal_rate = 1e-3;

// Half of the exchanges are refused where levels are as many as they should be; more of them are
// made only well beyond, as rates are estimates.
constexpr double levels_per_barrier = 2.0;
constexpr double largest_refusal_rate = 0.6;

double barrier(std::span<const double> refusal_rates) {
    return std::accumulate(refusal_rates.begin(), refusal_rates.end(), 0.0);
}

}  // namespace

std::vector<Temperature> at_equal_shares(std::span<const Temperature> temperatures,
                                         std::span<const double> refusal_rates,
                                         std::size_t levels) {
    std::vector<double> way{0.0};
    for (const double rate : refusal_rates) {
        way.push_back(way.back() + std::max(rate, smallest_refusal_rate));
    }
    std::vector<Temperature> spread{temperatures.front()};
    std::size_t pair = 0;
    for (std::size_t level = 1; level + 1 < levels; ++level) {
        const double wanted =
            way.back() * static_cast<double>(level) / static_cast<double>(levels - 1);
        while (way[pair + 1] < wanted) ++pair;
        const double share = (wanted - way[pair]) / (way[pair + 1] - way[pair]);
        spread.push_back(Temperature::between(temperatures[pair], temperatures[pair + 1], share));
    }
    spread.push_back(temperatures.back());
    return spread;
}

std::size_t levels_needed(std::span<const double> refusal_rates) {
    return 1 + static_cast<std::size_t>(std::ceil(levels_per_barrier * barrier(refusal_rates)));
}

bool lacks_levels(std::span<const double> refusal_rates) {
    return barrier(refusal_rates) >
           largest_refusal_rate * static_cast<double>(refusal_rates.size());
}

std::vector<Temperature> adapted(std::span<const Temperature> temperatures,
                                 std::span<const double> refusal_rates, std::size_t most_levels) {
    std::size_t levels = temperatures.size();
    if (levels < most_levels && lacks_levels(refusal_rates)) {
        levels = std::clamp(levels_needed(refusal_rates), levels, most_levels);
    }
    return at_equal_shares(temperatures, refusal_rates, levels);
}

}  // namespace arcwise
