// The acceptance rule, and the way to a state of positive weight.
#include "arcwise/spaces/metropolis.hpp"

#include <cmath>

#include "arcwise/support/error.hpp"

namespace arcwise {

void MoveCounts::add(const MoveCounts& other) {
    for (std::size_t move = 0; move < proposed.size(); ++move) {
        proposed[move] += other.proposed[move];
        accepted[move] += other.accepted[move];
    }
}

void MoveCounts::save(ByteWriter& out) const {
    out.put(proposed);
    out.put(accepted);
}

void MoveCounts::restore(ByteReader& in) {
    in.get_into(proposed);
    in.get_into(accepted);
}

StepOutcome metropolis_step(State& state, const Temperature& temperature, Random& random) {
    const Proposal proposal = state.propose(temperature, random);
    const auto move = static_cast<std::size_t>(proposal.move);
    if (!proposal.possible) return {move, false, false};
    if (proposal.refused) return {move, true, false};
    const double log_acceptance = temperature.log_density(proposal.weight) -
                                  temperature.log_density(state.log_weight()) + proposal.log_ratio;
    const bool accepted = log_acceptance >= 0.0 || random.event(std::exp(log_acceptance));
    if (accepted) state.accept();
    return {move, true, accepted};
}

void settle(State& state, Random& random) {
    constexpr int most_rounds = 200;
    constexpr int rounds_before_another_way = 10;
    constexpr int steps_per_round = 2'000;
    for (int round = 0; round < most_rounds; ++round) {
        if (round == rounds_before_another_way && state.start_from_orders(0, random, nullptr))
            return;
        for (int step = 0; step < steps_per_round; ++step) {
            if (state.log_weight().zero_factors == 0) return;
            const Temperature temperature{0.0, 0.5 * (1 + round % 20)};
            metropolis_step(state, temperature, random);
        }
    }
    throw Error(ErrorKind::argument,
                "No structure that satisfies the constraints was found to start from; check that "
                "the required edges and parent sets can be had together.");
}

}  // namespace arcwise
