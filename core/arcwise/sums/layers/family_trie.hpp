// The families of a node as a tree of prefixes, to add them up by their members in a layer.
//
// Weights are plain numbers relative to a unit. A family is left out if, for each of its parents,
// it is light beside a subset of itself that has this parent too: no sum over the families within a
// set that meet another loses more than 1e-14 of itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arcwise/sums/node_sums.hpp"

namespace arcwise {

class FamilyTrie {
  public:
    // Nothing where the weights are too far apart for plain numbers.
    static std::optional<FamilyTrie> of(const NodeSums& sums, std::size_t places);

    double log_unit() const { return log_unit_; }
    std::size_t places() const { return places_; }

    // sums[C] += the weights of the families whose members have codes that are C together, where
    // the codes of places are bits: zero for one in the base, bit i for member i of a layer, and
    // `outside`, above all those, for one that is not allowed.
    void add(const std::uint16_t* codes, std::uint16_t outside, double* sums) const;

  private:
    struct Prefix {
        std::uint16_t member;
        std::uint16_t depth;
        std::uint32_t after;  // the first prefix that does not begin with this one
        std::uint32_t row;    // families of this prefix and one member more, up to the next row
        double weight;        // of the prefix itself as a family
    };

    std::size_t places_ = 0;
    double log_unit_ = 0.0;
    double weight_of_empty_ = 0.0;
    std::uint32_t first_row_ = 0;
    std::size_t depth_ = 0;
    std::vector<Prefix> prefixes_;
    std::vector<std::uint16_t> leaf_members_;
    std::vector<double> leaf_weights_;
};

}  // namespace arcwise
