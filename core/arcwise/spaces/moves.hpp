// Moves: objects that propose changes of a state, and the table of those a space has.
//
// A table has one row for each move: its name, how often it is tried, and how it is made for a
// state. It is the only list of the moves of a space; all that counts, names or weighs moves
// reads it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arcwise/spaces/proposal.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

// Proposes changes of one state, again and again, in memory of its own.
class Move {
  public:
    virtual ~Move() = default;

    // The law may depend on the temperature (Gibbs moves). The state knows which move it is.
    virtual Proposal propose(const Temperature& temperature, Random& random) = 0;
};

// One row of the table of a space whose states are of a class.
template <class State>
struct MoveRow {
    const char* name;  // under which its proposals are counted
    double share;      // how often it is tried unless other shares are asked for, in any unit
    std::unique_ptr<Move> (*make)(State& state);
    // Under which it is asked for, alone or with the rows next to it, all of which are then tried
    // equally often; nothing: its name.
    const char* kind = nullptr;
};

// For the rows of moves that are made of their state alone.
template <class Made, class State>
std::unique_ptr<Move> make_move(State& state) {
    return std::make_unique<Made>(state);
}

// How often kinds of moves are tried, in the order of MoveTable::kinds; none for the table's own.
using MoveShares = std::vector<double>;

// By kind of move: how often it is tried unless other shares are asked for, and about how much work
// a try is, in any unit, counted and never timed.
struct UsualMoves {
    MoveShares shares;
    std::vector<double> work;
};

// The table of a space without what makes the moves.
class MoveTable {
  public:
    // Throws `argument` unless the shares, by kind if there are any, are not negative and not all
    // zero.
    template <class State>
    explicit MoveTable(const std::vector<MoveRow<State>>& rows, const MoveShares& shares = {}) {
        for (const MoveRow<State>& row : rows) {
            add(row.name, row.kind == nullptr ? row.name : row.kind, row.share);
        }
        if (!shares.empty()) set_shares(shares);
    }

    // By Proposal::move.
    const std::vector<std::string>& names() const { return names_; }

    struct Kind {
        std::string name;
        double share;
        std::size_t first;  // of its moves
        std::size_t moves;
    };
    const std::vector<Kind>& kinds() const { return kinds_; }

    // The shares of the kinds, with all but one, or only one, set to zero.
    MoveShares shares_without(const std::string& kind) const;
    MoveShares shares_of_only(const std::string& kind) const;

    // Tables mostly have shares with which all kinds take as long; the work follows from that.
    UsualMoves usual() const;

    // How often each move is tried, those of a kind equally often.
    std::vector<double> shares_by_move() const;

    // A move: first its kind, then one of that kind; without a draw where there is one only.
    std::size_t choose(Random& random) const {
        const Kind& kind = kinds_[kinds_.size() == 1 ? 0 : random.choose(shares_)];
        return kind.moves == 1 ? kind.first : kind.first + random.below(kind.moves);
    }

  private:
    void add(const std::string& name, const std::string& kind, double share);
    void set_shares(const MoveShares& shares);

    std::vector<std::string> names_;
    std::vector<Kind> kinds_;
    MoveShares shares_;  // by kind
};

// The moves of one state, by their rows.
class Moves {
  public:
    template <class State>
    Moves(const std::vector<MoveRow<State>>& rows, State& state) {
        for (const MoveRow<State>& row : rows) moves_.push_back(row.make(state));
    }

    Proposal propose(std::size_t move, const Temperature& temperature, Random& random) {
        Proposal proposal = moves_[move]->propose(temperature, random);
        proposal.move = static_cast<int>(move);
        return proposal;
    }

  private:
    std::vector<std::unique_ptr<Move>> moves_;
};

}  // namespace arcwise
