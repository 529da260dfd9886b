// Exchanges between neighbours, and levels that come and go.
#include "arcwise/chains/replicas.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
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

namespace {

constexpr double unknown_rate = 0.5;

// Passes of exchanges at a time, even and odd in turn: as many as take a state through all levels,
// as they cost next to nothing beside the steps before them, unless levels are very many. On the
// bridge an exchange takes as long as some dozen steps.
constexpr std::size_t most_passes = 16;
constexpr std::size_t passes_on_bridge = 2;

}  // namespace

Replicas::Replicas(const Space& space, const std::vector<Temperature>& temperatures, Random random)
    : space_(space), random_(random) {
    const bool alone = temperatures.size() == 1;
    for (const Temperature& temperature : temperatures) {
        levels_.emplace_back(space, alone ? random_ : stream());
        levels_.back().temperature = temperature;
        go_to(*levels_.back().state, temperature);
    }
    const auto place = [](const Temperature& temperature) { return temperature.bridge; };
    bridged_ = std::ranges::adjacent_find(temperatures, std::ranges::not_equal_to{}, place) !=
               temperatures.end();
    const std::size_t pairs = levels_.size() - 1;
    refusals_.assign(pairs, 0.0);
    refusals_counted_.assign(pairs, 0);
    forget_counts();
}

// A stream of its own, by a key that is as good as any; a script decides for all.
Random Replicas::stream() {
    if (random_.scripted()) return random_;
    const std::uint64_t seed = random_.bits();
    return Random(seed, random_.bits());
}

std::vector<Temperature> Replicas::temperatures() const {
    std::vector<Temperature> all;
    for (const Level& level : levels_) all.push_back(level.temperature);
    return all;
}

void Replicas::forget_counts() {
    for (Level& level : levels_) {
        level.moves = MoveCounts(space_.moves());
        level.trip = Trip::unknown;
    }
    exchanges_.assign(levels_.size() - 1, {});
    round_trips_ = 0;
    count_trips();
}

void Replicas::exchange() {
    const std::size_t passes = bridged_ ? passes_on_bridge : std::min(levels_.size(), most_passes);
    for (std::size_t pass = 0; pass < passes; ++pass) {
        exchange(turn_);
        turn_ = turn_ == Pairs::even ? Pairs::odd : Pairs::even;
        count_trips();
    }
    ++exchanges_since_spread_;
}

void Replicas::exchange(Pairs pairs) {
    const std::size_t first = pairs == Pairs::even ? 0 : 1;
    for (std::size_t hotter = first; hotter + 1 < levels_.size(); hotter += 2) exchange(hotter);
}

void Replicas::exchange(std::size_t hotter) {
    Level& hot = levels_[hotter];
    Level& cold = levels_[hotter + 1];
    const LogWeight& of_hot = hot.state->log_weight();
    const LogWeight& of_cold = cold.state->log_weight();
    const auto log_acceptance = [&](const LogWeight& cold_in_hot, const LogWeight& hot_in_cold) {
        return hot.temperature.log_density(cold_in_hot) +
               cold.temperature.log_density(hot_in_cold) - hot.temperature.log_density(of_hot) -
               cold.temperature.log_density(of_cold);
    };
    const auto event = [&](double log_probability) {
        return log_probability >= 0.0 || random_.event(std::exp(log_probability));
    };
    const double at_most = log_acceptance(weight_above(*cold.state, hot.temperature),
                                          weight_above(*hot.state, cold.temperature));
    double acceptance = std::exp(std::min(0.0, at_most));
    bool accepted = event(at_most);
    if (accepted && hot.temperature.bridge != cold.temperature.bridge) {
        // The product of the two probabilities is that of an exchange. Its rate, too, is the mean
        // over all exchanges that pass the first.
        const double rest = log_acceptance(weight_at(*cold.state, hot.temperature),
                                           weight_at(*hot.state, cold.temperature)) -
                            std::min(0.0, at_most);
        acceptance = std::exp(std::min(0.0, rest));
        accepted = event(rest);
    } else if (!accepted && hot.temperature.bridge != cold.temperature.bridge) {
        acceptance = 0.0;
    }
    ++exchanges_[hotter].proposed;
    refusals_[hotter] += 1.0 - acceptance;
    ++refusals_counted_[hotter];
    if (!accepted) return;
    std::swap(hot.state, cold.state);
    std::swap(hot.trip, cold.trip);
    go_to(*hot.state, hot.temperature);
    go_to(*cold.state, cold.temperature);
    ++exchanges_[hotter].accepted;
}

void Replicas::count_trips() {
    if (levels_.size() == 1) return;
    Trip& at_hottest = levels_.front().trip;
    if (at_hottest == Trip::from_coldest) ++round_trips_;
    at_hottest = Trip::from_hottest;
    Trip& at_coldest = levels_.back().trip;
    if (at_coldest == Trip::from_hottest) at_coldest = Trip::from_coldest;
}

std::vector<double> Replicas::refusal_rates() const {
    std::vector<double> rates;
    for (std::size_t pair = 0; pair < refusals_.size(); ++pair) {
        const auto counted = static_cast<double>(refusals_counted_[pair]);
        rates.push_back(counted > 0.0 ? refusals_[pair] / counted : unknown_rate);
    }
    return rates;
}

void Replicas::spread(const std::vector<Temperature>& temperatures) {
    std::vector<Level> before = std::move(levels_);
    levels_.clear();
    const std::size_t last = before.size() - 1;
    std::size_t next = 0;  // of those before, to go on here
    for (std::size_t level = 0; level < temperatures.size(); ++level) {
        const std::size_t from = level * last / (temperatures.size() - 1);
        if (from == next) {
            levels_.push_back(std::move(before[next++]));
        } else {
            levels_.emplace_back(space_, stream());
            Level& copied = levels_[levels_.size() - 2];
            go_to(*levels_.back().state, copied.temperature);
            levels_.back().state->become(*copied.state);
        }
    }
    for (std::size_t level = levels_.size(); level-- > 0;) {
        Level& own = levels_[level];
        own.temperature = temperatures[level];
        go_to(*own.state, own.temperature);
        // What has weight zero here cannot stay.
        if (own.temperature.excludes_zero_weights() && own.state->log_weight().zero_factors > 0) {
            State& colder = *levels_[level + 1].state;
            go_to(colder, own.temperature);
            own.state->become(colder);
            go_to(colder, levels_[level + 1].temperature);
        }
    }
    refusals_.assign(levels_.size() - 1, 0.0);
    refusals_counted_.assign(levels_.size() - 1, 0);
    exchanges_since_spread_ = 0;
    forget_counts();
}

void Replicas::save(ByteWriter& out) const {
    random_.save(out);
    out.put(std::uint64_t{levels_.size()});
    for (const Level& level : levels_) {
        out.put(level.temperature.inverse);
        out.put(level.temperature.bridge);
        level.state->save(out);
        out.put(static_cast<std::uint8_t>(level.trip));
        level.random.save(out);
        level.moves.save(out);
    }
    out.put(static_cast<std::uint8_t>(turn_));
    for (std::size_t pair = 0; pair + 1 < levels_.size(); ++pair) {
        out.put(exchanges_[pair].proposed);
        out.put(exchanges_[pair].accepted);
        out.put(refusals_[pair]);
        out.put(refusals_counted_[pair]);
    }
    out.put(round_trips_);
    out.put(exchanges_since_spread_);
}

void Replicas::restore(ByteReader& in, std::size_t most_levels) {
    random_.restore(in);
    const auto count = static_cast<std::size_t>(in.get<std::uint64_t>());
    if (count < levels_.size() || count > std::max(most_levels, levels_.size())) {
        ByteReader::damaged();
    }
    while (levels_.size() < count) levels_.emplace_back(space_, random_);
    for (Level& level : levels_) {
        const auto inverse = in.get<double>();
        const auto bridge = in.get<double>();
        level.temperature = Temperature::at(inverse, bridge);
        go_to(*level.state, level.temperature);
        level.state->restore(in);
        const auto trip = in.get<std::uint8_t>();
        if (trip > static_cast<std::uint8_t>(Trip::from_coldest)) ByteReader::damaged();
        level.trip = static_cast<Trip>(trip);
        level.random.restore(in);
        level.moves.restore(in);
    }
    turn_ = in.get<std::uint8_t>() == 0 ? Pairs::even : Pairs::odd;
    exchanges_.resize(count - 1);
    refusals_.resize(count - 1);
    refusals_counted_.resize(count - 1);
    for (std::size_t pair = 0; pair + 1 < count; ++pair) {
        exchanges_[pair].proposed = in.get<std::uint64_t>();
        exchanges_[pair].accepted = in.get<std::uint64_t>();
        refusals_[pair] = in.get<double>();
        refusals_counted_[pair] = in.get<std::uint64_t>();
    }
    round_trips_ = in.get<std::uint64_t>();
    exchanges_since_spread_ = in.get<std::uint64_t>();
}

}  // namespace arcwise
