// Shares of moves by kind, as the rows have them or as they are asked for.
#include "arcwise/spaces/moves.hpp"

#include "arcwise/support/error.hpp"

namespace arcwise {

void MoveTable::add(const std::string& name, const std::string& kind, double share) {
    if (kinds_.empty() || kinds_.back().name != kind) {
        kinds_.push_back({kind, 0.0, names_.size(), 0});
        shares_.push_back(0.0);
    }
    names_.push_back(name);
    ++kinds_.back().moves;
    kinds_.back().share += share;
    shares_.back() = kinds_.back().share;
}

void MoveTable::set_shares(const MoveShares& shares) {
    if (shares.size() != kinds_.size()) {
        throw Error(ErrorKind::argument, "The space has " + std::to_string(kinds_.size()) +
                                             " kinds of moves, and shares of " +
                                             std::to_string(shares.size()) + " came.");
    }
    double total = 0.0;
    for (const double share : shares) {
        if (!(share >= 0.0)) {
            throw Error(ErrorKind::argument, "A move has a negative probability; give 0 or more.");
        }
        total += share;
    }
    if (!(total > 0.0)) {
        throw Error(ErrorKind::argument,
                    "All moves have the probability 0; give one of them more.");
    }
    shares_ = shares;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) kinds_[kind].share = shares[kind];
}

MoveShares MoveTable::shares_without(const std::string& kind) const {
    MoveShares result = shares_;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        if (kinds_[i].name == kind) result[i] = 0.0;
    }
    return result;
}

MoveShares MoveTable::shares_of_only(const std::string& kind) const {
    MoveShares result(kinds_.size(), 0.0);
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        if (kinds_[i].name == kind) result[i] = 1.0;
    }
    return result;
}

UsualMoves MoveTable::usual() const {
    UsualMoves usual;
    for (const Kind& kind : kinds_) {
        usual.shares.push_back(kind.share);
        usual.work.push_back(kind.share > 0.0 ? 1.0 / kind.share : 1.0);
    }
    return usual;
}

std::vector<double> MoveTable::shares_by_move() const {
    std::vector<double> result;
    for (const Kind& kind : kinds_) {
        result.insert(result.end(), kind.moves, kind.share / static_cast<double>(kind.moves));
    }
    return result;
}

}  // namespace arcwise
