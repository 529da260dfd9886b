// What kinds of moves bring, counted while a chain burns in, and the shares that follow from it.
//
// Now and then the bits of the code of a state are looked at; those of a DAG are its edges. A
// bit that differs from the last look is credited to the kinds of moves that flipped it since, in
// equal parts: flips back and forth between two looks bring nothing. With credits r(m, b) of a kind
// for each try, work w(m) of a try, and shares p, a bit of variance v takes about
//   time(b) = v(b)^2 sum over m of p(m) w(m) / sum over m of p(m) r(m, b)
// to change by as much as it varies; the shares are those of the least sum of fourth powers
// of these times, so that the slowest bits count most, and a quarter of them stays as usual. Work
// is counted by the space, never timed: the same seed gives the same shares on any machine.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/spaces/space.hpp"
#include "arcwise/support/bytes.hpp"

namespace arcwise {

class MoveCredits {
  public:
    // For a space whose kinds of moves are usually tried so often and take so much work; a kind
    // that is usually not tried may get no share at all, others keep a quarter of theirs.
    MoveCredits(const MoveTable& table, MoveShares usual, std::vector<double> work, int nodes);

    // Shares with which all kinds are tried often enough to be compared.
    MoveShares first_shares() const;

    // Begins with a state, which was not counted before.
    void begin(const State& state);

    void count(const StepOutcome& step, const State& state);
    std::uint64_t looks() const { return looks_; }
    bool is_at(const State& state) const { return state.encode() == code_; }

    // The best shares by what was counted.
    MoveShares shares() const;

    void save(ByteWriter& out) const;
    void restore(ByteReader& in);

  private:
    void look();

    std::vector<std::uint8_t> kind_of_;  // by move
    MoveShares usual_;
    std::vector<double> work_;
    std::uint64_t steps_between_looks_;

    std::uint64_t steps_ = 0;
    std::uint64_t looks_ = 0;
    std::vector<std::uint64_t> tries_;    // by kind
    std::vector<std::uint16_t> code_;     // of the state
    std::vector<std::uint16_t> seen_;     // at the last look
    std::vector<std::uint16_t> flipped_;  // by bit: the kinds that flipped it since, as bits
    std::vector<std::uint32_t> there_;    // by bit: looks that found it
    std::vector<std::uint32_t> credits_;  // by kind and bit
};

}  // namespace arcwise
