// Moving states, exchanging them between temperatures, and spreading the temperatures.
#include "arcwise/chains/tempering.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/support/tasks.hpp"

namespace arcwise {
namespace {

// Steps between two looks at whether to stop.
constexpr std::uint64_t steps_between_checks = 16;

// A pair of temperatures whose exchanges were never refused counts as if refused this often, so
// that no two temperatures fall together.
constexpr double smallest_refusal_rate = 1e-3;

// Runs steps in pieces, reporting each.
template <class Step>
void run_steps(std::uint64_t steps, TaskContext& context, Step step) {
    while (steps > 0) {
        const std::uint64_t piece = std::min(steps, steps_between_checks);
        for (std::uint64_t i = 0; i < piece; ++i) step();
        context.advance(piece);
        steps -= piece;
    }
}

// How many of a total belong to one of so many parts of nearly equal size. The total may be too
// large to be multiplied.
std::uint64_t part_of(std::uint64_t total, std::uint64_t part, std::uint64_t parts) {
    return total / parts + (part < total % parts ? 1 : 0);
}

}  // namespace

TemperedChain::TemperedChain(const Space& space, const TemperingOptions& options, Random moves,
                             Random draws)
    : space_(space),
      options_(options),
      move_random_(moves),
      draw_random_(draws),
      counter_(options.record.extension_budget),
      record_(space.nodes(), options.record),
      moves_(space.moves()),
      hotter_moves_(space.moves()) {
    for (std::size_t level = 0; level < options.temperatures.size(); ++level) {
        states_.push_back(space.make_state());
    }
    set_temperatures(options.temperatures);
    forget_counts();
    // The weight of a state is at hand for every temperature, but not all along the bridge.
    const auto off_bridge = [](const Temperature& each) { return each.bridge == 1.0; };
    const bool at_hand = std::ranges::all_of(temperatures_, off_bridge);
    steps_between_ratios_ = at_hand ? 1 : static_cast<std::uint64_t>(space.nodes());
}

void TemperedChain::set_temperatures(const std::vector<Temperature>& temperatures) {
    temperatures_ = temperatures;
    for (std::size_t level = 0; level < states_.size(); ++level) {
        states_[level]->go_to(temperatures_[level]);
    }
}

void TemperedChain::forget_counts() {
    const std::size_t pairs = temperatures_.size() - 1;
    moves_ = MoveCounts(space_.moves());
    exchanges_proposed_.assign(pairs, 0);
    exchanges_accepted_.assign(pairs, 0);
    refusals_.assign(pairs, 0.0);
    ratios_.assign(pairs, {});
}

void TemperedChain::start(TaskContext& context) {
    for (std::size_t level = 0; level < states_.size(); ++level) {
        State& state = *states_[level];
        const bool possible = temperatures_[level].excludes_impossible();
        if (possible && options_.order_steps > 0 &&
            state.start_from_orders(options_.order_steps, move_random_, &context)) {
            continue;
        }
        state.draw_uniform(move_random_);
        if (possible) settle(state, move_random_);
    }
}

// Before the first steps of the object, as a restored chain was not started by it.
void TemperedChain::prepare(TaskContext& context) {
    if (prepared_) return;
    for (const std::unique_ptr<State>& state : states_) {
        state->prepare(options_.order_steps, &context);
    }
    prepared_ = true;
}

void TemperedChain::step() {
    const std::size_t coldest = states_.size() - 1;
    for (std::size_t level = 0; level <= coldest; ++level) {
        MoveCounts& counts = level == coldest ? moves_ : hotter_moves_;
        counts.add(metropolis_step(*states_[level], temperatures_[level], move_random_));
    }
    if (coldest > 0) {
        for (int i = 0; i < options_.exchanges_per_step; ++i) exchange();
    }
}

void TemperedChain::exchange() {
    const std::size_t hot = move_random_.below(states_.size() - 1);
    const std::size_t cold = hot + 1;
    const LogWeight& of_hot = states_[hot]->log_weight();
    const LogWeight& of_cold = states_[cold]->log_weight();
    const Temperature& hotter = temperatures_[hot];
    const Temperature& colder = temperatures_[cold];
    const auto log_acceptance = [&](const LogWeight& cold_in_hot, const LogWeight& hot_in_cold) {
        return hotter.log_density(cold_in_hot) + colder.log_density(hot_in_cold) -
               hotter.log_density(of_hot) - colder.log_density(of_cold);
    };
    const auto event = [&](double log_probability) {
        return log_probability >= 0.0 || move_random_.event(std::exp(log_probability));
    };
    const double at_most =
        log_acceptance(states_[cold]->weight_above(hotter), states_[hot]->weight_above(colder));
    const double acceptance = std::exp(std::min(0.0, at_most));
    ++exchanges_proposed_[hot];
    refusals_[hot] += 1.0 - acceptance;
    bool accepted = event(at_most);
    if (accepted && hotter.bridge != colder.bridge) {
        // The product of the two probabilities is that of an exchange.
        accepted = event(
            log_acceptance(states_[cold]->weight_at(hotter), states_[hot]->weight_at(colder)) -
            std::min(0.0, at_most));
    }
    if (accepted) {
        std::swap(states_[hot], states_[cold]);
        states_[hot]->go_to(hotter);
        states_[cold]->go_to(colder);
        ++exchanges_accepted_[hot];
    }
}

// With r_i the rate of refusals between temperatures i and i + 1, their sum is a measure of the way
// from the hottest to the coldest that hardly depends on where the temperatures are; they are
// placed anew at equal shares of it (Syed, Bouchard-Côté, Deligiannidis and Doucet 2022,
// "Non-reversible parallel tempering").
void TemperedChain::adapt_temperatures() {
    const std::size_t pairs = temperatures_.size() - 1;
    std::vector<double> way(pairs + 1, 0.0);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        const auto proposed = static_cast<double>(exchanges_proposed_[pair]);
        const double rate = proposed > 0.0 ? refusals_[pair] / proposed : 0.5;
        way[pair + 1] = way[pair] + std::max(rate, smallest_refusal_rate);
    }
    std::vector<Temperature> spread{temperatures_.front()};
    std::size_t pair = 0;
    for (std::size_t level = 1; level < pairs; ++level) {
        const double wanted = way.back() * static_cast<double>(level) / static_cast<double>(pairs);
        while (way[pair + 1] < wanted) ++pair;
        const double share = (wanted - way[pair]) / (way[pair + 1] - way[pair]);
        spread.push_back(Temperature::between(temperatures_[pair], temperatures_[pair + 1], share));
    }
    spread.push_back(temperatures_.back());
    set_temperatures(spread);
}

// Rounds of growing length, each from better temperatures; the last half settles at them.
void TemperedChain::plan_burn_in(std::uint64_t steps) {
    const bool adapts = options_.adapt && temperatures_.size() > 2;
    round_ = adapts ? std::max<std::uint64_t>(1, steps / 32) : steps;
    round_left_ = std::min(round_, steps);
    burn_in_left_ = steps;
}

void TemperedChain::go_on_burning_in(std::uint64_t steps, TaskContext& context) {
    prepare(context);
    const bool adapts = options_.adapt && temperatures_.size() > 2;
    while (steps > 0 && burn_in_left_ > 0) {
        const std::uint64_t length = std::min(round_left_, steps);
        run_steps(length, context, [&] { step(); });
        steps -= length;
        round_left_ -= length;
        burn_in_left_ -= length;
        if (round_left_ > 0) continue;
        if (adapts && burn_in_left_ > 0) adapt_temperatures();
        forget_counts();
        round_ *= 2;
        round_left_ = std::min(round_, burn_in_left_);
    }
}

void TemperedChain::sample(std::uint64_t draws, TaskContext& context) {
    prepare(context);
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        const double start = seconds_now();
        record_.begin_interval();
        const std::uint64_t pieces = averages();
        for (std::uint64_t piece = 0; piece < pieces; ++piece) {
            if (piece > 0) record_.average(*states_.back());
            run_steps(part_of(options_.thinning, piece, pieces), context, [&] {
                step();
                if (++steps_since_ratios_ < steps_between_ratios_) return;
                steps_since_ratios_ = 0;
                add_ratios();
            });
        }
        record_.keep(*states_.back(), draw_random_, seconds_now() - start, counter_, context);
    }
}

// A step moves the state of every temperature, and only those of the coldest are averaged, so that
// with several of them more averages cost the same share of the time.
std::uint64_t TemperedChain::averages() const {
    const std::uint64_t between = space_.steps_between_averages();
    if (between == 0 || !options_.record.edges) return 1;
    const auto nearest = static_cast<std::uint64_t>(space_.nodes() + 1) / 2;
    const std::uint64_t steps = std::max(nearest, between / states_.size());
    return std::max<std::uint64_t>(1, options_.thinning / steps);
}

void TemperedChain::add_ratios() {
    for (std::size_t level = 0; level + 1 < states_.size(); ++level) {
        const Temperature& colder = temperatures_[level + 1];
        ratios_[level].add(colder.log_density(states_[level]->weight_at(colder)) -
                           temperatures_[level].log_density(states_[level]->log_weight()));
    }
}

void TemperedChain::save(ByteWriter& out) const {
    move_random_.save(out);
    draw_random_.save(out);
    std::vector<double> path;
    for (const Temperature& temperature : temperatures_) {
        path.insert(path.end(), {temperature.inverse, temperature.bridge});
    }
    out.put(path);
    for (const std::unique_ptr<State>& state : states_) state->save(out);
    record_.save(out);
    moves_.save(out);
    hotter_moves_.save(out);
    out.put(exchanges_proposed_);
    out.put(exchanges_accepted_);
    out.put(refusals_);
    for (const LogMeanBatches& ratio : ratios_) ratio.save(out);
    for (const std::uint64_t number :
         {options_.thinning, round_, round_left_, burn_in_left_, steps_since_ratios_}) {
        out.put(number);
    }
}

void TemperedChain::restore(ByteReader& in) {
    move_random_.restore(in);
    draw_random_.restore(in);
    std::vector<double> path(2 * temperatures_.size());
    in.get_into(path);
    std::vector<Temperature> temperatures;
    for (std::size_t i = 0; i < path.size(); i += 2) {
        temperatures.push_back(Temperature::at(path[i], path[i + 1]));
    }
    set_temperatures(temperatures);
    for (const std::unique_ptr<State>& state : states_) state->restore(in);
    record_.restore(in);
    moves_.restore(in);
    hotter_moves_.restore(in);
    in.get_into(exchanges_proposed_);
    in.get_into(exchanges_accepted_);
    in.get_into(refusals_);
    for (LogMeanBatches& ratio : ratios_) ratio.restore(in);
    for (std::uint64_t* number :
         {&options_.thinning, &round_, &round_left_, &burn_in_left_, &steps_since_ratios_}) {
        *number = in.get<std::uint64_t>();
    }
    if (options_.thinning == 0) ByteReader::damaged();
}

}  // namespace arcwise
