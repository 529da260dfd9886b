// For a node with a table of score sums: the shares of all its sums that hold each candidate.
//
// A sum over the families that hold a candidate t is as much a sum of positive numbers as one over
// all of them, so each candidate gets a table of its own over the sets of the others. Its share of
// the whole is had without taking a difference, and look-ups need no logarithm.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "arcwise/sums/node_sums.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

class HolderTable {
  public:
    // The node must be tabulated.
    explicit HolderTable(const NodeSums& sums);

    // Numbers it holds for so many candidates.
    static std::size_t size(std::size_t candidates) { return (candidates << candidates) / 2; }

    // Of the families within `set`, which holds candidate t.
    struct Shares {
        double holds;
        double lacks;
    };
    Shares at(std::size_t candidate, std::size_t set) const {
        const double entry = entries_[candidate * half_ + squeeze_bit(set, candidate)];
        // Small shares are kept themselves; large ones by what is missing, with a minus sign.
        return std::signbit(entry) ? Shares{1.0 + entry, -entry} : Shares{entry, 1.0 - entry};
    }

  private:
    std::size_t half_;
    std::vector<double> entries_;
};

}  // namespace arcwise
