// Flips and looks counted, and shares by multiplicative steps towards the least times.
#include "arcwise/chains/move_credits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace arcwise {
namespace {

constexpr std::size_t bits_per_number = 16;

// The credit for one change, which any number of kinds can share nearly evenly.
constexpr std::uint32_t whole_credit = 60;

// What a kind keeps of its usual share in any case: the rest is given away by credits, which do not
// tell what a move brings together with others. And of all tries, the least while kinds are to be
// compared.
constexpr double kept_of_usual = 1.0 / 4.0;
constexpr double least_at_first = 0.02;

// Bits that are almost certain do not count.
constexpr double least_variance = 0.01;

// Changes that each bit is taken to have had besides, by all kinds as often as they were tried: a
// handful of credits is no proof.
constexpr double changes_besides = 4.0;

// The sum of this power of the times is minimised.
constexpr double power = 4.0;

// Multiplicative steps; each is half of what would make one kind with one bit right at once.
constexpr int rounds = 200;

std::vector<double> normalised(std::vector<double> shares) {
    const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= total;
    return shares;
}

template <class Visit>
void for_each_bit(std::uint16_t number, std::size_t index, Visit visit) {
    for (unsigned left = number; left != 0; left &= left - 1) {
        visit(index * bits_per_number + static_cast<std::size_t>(std::countr_zero(left)));
    }
}

}  // namespace

MoveCredits::MoveCredits(const MoveTable& table, MoveShares usual, std::vector<double> work,
                         int nodes)
    : usual_(normalised(std::move(usual))),
      work_(std::move(work)),
      steps_between_looks_(static_cast<std::uint64_t>(nodes)),
      tries_(table.kinds().size(), 0) {
    for (std::size_t kind = 0; kind < table.kinds().size(); ++kind) {
        kind_of_.insert(kind_of_.end(), table.kinds()[kind].moves, static_cast<std::uint8_t>(kind));
    }
}

MoveShares MoveCredits::first_shares() const {
    MoveShares shares = usual_;
    for (double& share : shares) share = std::max(share, least_at_first);
    return normalised(std::move(shares));
}

void MoveCredits::begin(const State& state) {
    code_ = state.encode();
    seen_ = code_;
    const std::size_t bits = code_.size() * bits_per_number;
    steps_ = looks_ = 0;
    std::ranges::fill(tries_, 0);
    flipped_.assign(bits, 0);
    there_.assign(bits, 0);
    credits_.assign(tries_.size() * bits, 0);
}

void MoveCredits::count(const StepOutcome& step, const State& state) {
    const std::uint8_t kind = kind_of_[step.move];
    const auto flag = static_cast<std::uint16_t>(1u << kind);
    ++tries_[kind];
    if (step.accepted) {
        const std::vector<std::uint16_t> code = state.encode();
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (code[i] == code_[i]) continue;
            for_each_bit(static_cast<std::uint16_t>(code[i] ^ code_[i]), i,
                         [&](std::size_t bit) { flipped_[bit] |= flag; });
        }
        code_ = code;
    }
    if (++steps_ % steps_between_looks_ == 0) look();
}

void MoveCredits::look() {
    ++looks_;
    const std::size_t bits = flipped_.size();
    for (std::size_t i = 0; i < code_.size(); ++i) {
        for_each_bit(code_[i], i, [&](std::size_t bit) { ++there_[bit]; });
        for_each_bit(static_cast<std::uint16_t>(code_[i] ^ seen_[i]), i, [&](std::size_t bit) {
            const auto kinds = static_cast<std::uint32_t>(std::popcount(flipped_[bit]));
            for_each_bit(flipped_[bit], 0, [&](std::size_t kind) {
                credits_[kind * bits + bit] += whole_credit / kinds;
            });
        });
    }
    seen_ = code_;
    std::ranges::fill(flipped_, 0);
}

MoveShares MoveCredits::shares() const {
    const std::size_t kinds = tries_.size();
    const std::size_t bits = flipped_.size();
    const auto all_tries = static_cast<double>(steps_);
    std::vector<double> variances;
    std::vector<double> rates;  // by bit and kind: credits for each try
    for (std::size_t bit = 0; bit < bits; ++bit) {
        const double share = there_[bit] / static_cast<double>(looks_);
        const double variance = share * (1.0 - share);
        if (!(variance >= least_variance)) continue;
        variances.push_back(variance);
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            const auto tries = static_cast<double>(tries_[kind]);
            rates.push_back((credits_[kind * bits + bit] / double{whole_credit} +
                             changes_besides * tries / all_tries) /
                            std::max(tries, 1.0));
        }
    }
    if (variances.empty()) return usual_;
    MoveShares shares = first_shares();
    MoveShares given = shares;  // of what is not kept
    std::vector<double> gains(kinds);
    for (int round = 0; round < rounds; ++round) {
        const double work = std::inner_product(shares.begin(), shares.end(), work_.begin(), 0.0);
        std::ranges::fill(gains, 0.0);
        double total = 0.0;
        for (std::size_t bit = 0; bit < variances.size(); ++bit) {
            const double* of_bit = rates.data() + bit * kinds;
            const double rate = std::inner_product(shares.begin(), shares.end(), of_bit, 0.0);
            const double time = variances[bit] * variances[bit] / rate;
            const double emphasis = std::pow(time, power);
            total += emphasis;
            for (std::size_t kind = 0; kind < kinds; ++kind) {
                gains[kind] += emphasis * of_bit[kind] / rate;
            }
        }
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            given[kind] *= std::sqrt(gains[kind] / total * work / work_[kind]);
        }
        given = normalised(std::move(given));
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            shares[kind] = kept_of_usual * usual_[kind] + (1.0 - kept_of_usual) * given[kind];
        }
    }
    return shares;
}

void MoveCredits::save(ByteWriter& out) const {
    out.put(steps_);
    out.put(looks_);
    out.put(tries_);
    out.put(code_);
    out.put(seen_);
    out.put(flipped_);
    out.put(there_);
    out.put(credits_);
}

void MoveCredits::restore(ByteReader& in) {
    steps_ = in.get<std::uint64_t>();
    looks_ = in.get<std::uint64_t>();
    in.get_into(tries_);
    code_ = in.get_vector<std::uint16_t>();
    seen_ = in.get_vector<std::uint16_t>();
    flipped_ = in.get_vector<std::uint16_t>();
    there_ = in.get_vector<std::uint32_t>();
    credits_ = in.get_vector<std::uint32_t>();
    const std::size_t bits = code_.size() * bits_per_number;
    const bool fits = seen_.size() == code_.size() && flipped_.size() == bits &&
                      there_.size() == bits && credits_.size() == bits * tries_.size();
    const auto no_kind = [&](std::uint16_t kinds) { return kinds >> tries_.size() != 0; };
    if (!fits || std::ranges::any_of(flipped_, no_kind)) ByteReader::damaged();
}

}  // namespace arcwise
