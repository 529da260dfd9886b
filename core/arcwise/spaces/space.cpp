// A state as bytes, and back.
#include "arcwise/spaces/space.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Far above what rounding leaves between two times a weight is summed up anew, and far below what
// another state or other scores would make of it.
constexpr double same_weight = 1e-6;

void save_weight(const LogWeight& weight, ByteWriter& out) {
    out.put(weight.value);
    out.put(static_cast<std::uint64_t>(weight.zero_factors));
}

// Gives a weight that was summed up anew the rounding its way has left in the saved one.
void restore_weight(LogWeight& weight, ByteReader& in) {
    const double value = in.get<double>();
    const auto zero_factors = in.get<std::uint64_t>();
    const double scale = std::max(1.0, std::abs(weight.value));
    if (static_cast<std::uint64_t>(weight.zero_factors) != zero_factors ||
        !(std::abs(weight.value - value) <= same_weight * scale)) {
        throw Error(ErrorKind::file_format,
                    "The saved state has another weight than the scores give it; go on with the "
                    "scores it was saved with.");
    }
    weight.value = value;
}

}  // namespace

void State::save(ByteWriter& out) {
    out.put(exact_code());
    save_weight(weight_, out);
    out.put(accepted_);
    for (const LogWeight& part : exact_parts()) save_weight(part, out);
}

void State::become(State& other) {
    decode(other.exact_code());
    weight_ = other.weight_;
    accepted_ = other.accepted_;
    std::ranges::copy(other.exact_parts(), exact_parts().begin());
}

void State::restore(ByteReader& in) {
    try {
        decode(in.get_vector<std::uint16_t>());
    } catch (const Error&) {
        ByteReader::damaged();
    }
    restore_weight(weight_, in);
    accepted_ = in.get<std::uint64_t>();
    for (LogWeight& part : exact_parts()) restore_weight(part, in);
}

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
