// What makes the sums of a node by layers fast: a table for each candidate where the node has a
// table of sums, else a tree of its families.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

// For a node with a table of score sums: the shares of all its sums that hold each candidate.
//
// A sum over the families that hold a candidate t is as much a sum of positive numbers as one over
// all of them, so each candidate gets a table of its own over the sets of the others. Its share of
// the whole needs no difference, and look-ups need no logarithm.
class HolderTable {
  public:
    // The node must be tabulated.
    explicit HolderTable(const NodeSums& sums);

    // The number of entries for this many candidates.
    static std::size_t size(std::size_t candidates) { return (candidates << candidates) / 2; }

    // The shares of the families within `set`, which holds the candidate.
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

// The families of a node as a tree of prefixes, to add them up by their members in a layer.
//
// Weights are plain numbers relative to a unit. A family is left out if, for each of its parents,
// it is light beside a subset of itself that has this parent too: no sum over the families within a
// set that meet another loses more than 1e-14 of itself.
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

// For each node what makes its sums by layers fast, shared by all states of a space.
class LayerFamilies {
  public:
    explicit LayerFamilies(const ScoreSums& sums) {
        constexpr std::size_t most_numbers = std::size_t{1} << 25;  // 256 MiB for all nodes
        for (int node = 0; node < sums.nodes(); ++node) {
            tables_.emplace_back();
            tries_.emplace_back();
            const NodeSums& own = sums[node];
            if (own.tabulated() && own.candidates() > 0 &&
                HolderTable::size(own.candidates()) <=
                    most_numbers / static_cast<std::size_t>(sums.nodes())) {
                tables_.back().emplace(own);
            } else {
                tries_.back() = FamilyTrie::of(own, sums.possible_parents(node).size());
            }
        }
    }

    // Null where a node has none.
    const HolderTable* table(int node) const { return get(tables_, node); }
    const FamilyTrie* trie(int node) const { return get(tries_, node); }

  private:
    template <class Value>
    static const Value* get(const std::vector<std::optional<Value>>& values, int node) {
        const auto& value = values[static_cast<std::size_t>(node)];
        return value ? &*value : nullptr;
    }

    std::vector<std::optional<HolderTable>> tables_;
    std::vector<std::optional<FamilyTrie>> tries_;
};

}  // namespace arcwise
