// What one layer is made of, in numbers that are shares: the tables its programme runs over.
//
// With tau_v(D) the sum of the families of v within the nodes before the layer and the members D,
// and Phi(D) = max over v not in D of ln tau_v(D) + Phi(D + v), Phi(all) = 0, an upper bound for
// what can come after D, all numbers are taken relative to tau and Phi: so they are at most one
// however far apart the weights are, and what underflows is small beside the bound, which the
// programme checks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/sums/layers/layer_sums.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

// Where the pairs (a subset of a layer, a subset of that) lie in memory.
//
// All 2^|F| subsets of F are neighbours, by their bits among the members of F alone: so a loop over
// them runs through memory, and there are 3^b numbers in all instead of 4^b.
class SubsetPairs {
  public:
    explicit SubsetPairs(int elements) : elements_(static_cast<std::size_t>(elements)) {
        const std::size_t sets = std::size_t{1} << elements_;
        std::uint32_t place = 0;
        for (std::size_t set = 0; set < sets; ++set) {
            blocks_.push_back(place);
            place += std::uint32_t{1} << std::popcount(set);
        }
        pairs_ = place;
        place = 0;
        for (std::size_t set = 0; set < sets; ++set) {
            first_additions_.push_back(place);
            place += std::uint32_t{1} << (elements_ - static_cast<std::size_t>(std::popcount(set)));
        }
        additions_.reserve(place);
        for (std::size_t set = 0; set < sets; ++set) {
            const std::size_t rest = (sets - 1) & ~set;
            std::size_t added = 0;
            do {
                additions_.push_back(place_of(set | added, added));
                added = (added - rest) & rest;  // the next subset of the rest
            } while (added != 0);
        }
    }

    std::size_t elements() const { return elements_; }
    std::size_t sets() const { return blocks_.size(); }
    std::size_t size() const { return pairs_; }

    // Where the subsets of F begin.
    std::size_t block(std::size_t set) const { return blocks_[set]; }

    // For each subset S of what is not in `set`, by its bits among that: the place of (set + S, S).
    const std::uint32_t* additions(std::size_t set) const {
        return additions_.data() + first_additions_[set];
    }

    // The bits of a subset of `set` among the members of `set` alone.
    static std::size_t compact(std::size_t set, std::size_t subset) {
        std::size_t result = 0;
        for (std::size_t bit = 1; set != 0; set &= set - 1, bit <<= 1) {
            if ((subset & set & (~set + 1)) != 0) result |= bit;
        }
        return result;
    }

    // The members of `set` whose bits among those of `set` alone are given.
    static std::size_t expand(std::size_t set, std::size_t bits) {
        std::size_t result = 0;
        for (; set != 0; set &= set - 1, bits >>= 1) {
            if ((bits & 1) != 0) result |= set & (~set + 1);
        }
        return result;
    }

  private:
    std::uint32_t place_of(std::size_t set, std::size_t subset) const {
        return blocks_[set] + static_cast<std::uint32_t>(compact(set, subset));
    }

    std::size_t elements_;
    std::size_t pairs_ = 0;
    std::vector<std::uint32_t> blocks_;
    std::vector<std::uint32_t> first_additions_;
    std::vector<std::uint32_t> additions_;
};

// The layouts for layers of all sizes.
class PairLayouts {
  public:
    explicit PairLayouts(int most_elements) {
        for (int elements = 0; elements <= most_elements; ++elements) {
            layouts_.emplace_back(elements);
        }
    }
    const SubsetPairs& operator[](std::size_t elements) const { return layouts_[elements]; }

  private:
    std::vector<SubsetPairs> layouts_;
};

// Of a layer of b nodes that is divided into parts.
template <class Number>
struct LayerTables {
    const SubsetPairs* pairs = nullptr;
    const SubsetPairs* pairs_of_others = nullptr;  // of b - 1
    double log_scale = 0.0;                        // Phi(empty)

    // shares[(F, S)] = e^(sum over v in S of ln tau_v(F - S) + Phi(F) - Phi(F - S)).
    std::vector<Number> shares;

    // For member i and a set D without it: the share of tau_i(D) that meets T, for all subsets T of
    // D by their bits among D alone.
    const Number* meets(std::size_t member, std::size_t set) const {
        return meets_.data() + place(member, set);
    }
    // The share that misses T: tau_i(D - T) / tau_i(D).
    const Number* misses(std::size_t member, std::size_t set) const {
        return misses_.data() + place(member, set);
    }
    // ln tau_i(D).
    double log_sum(std::size_t member, std::size_t set) const {
        return log_sums_[member * pairs_of_others->sets() + squeeze_bit(set, member)];
    }

    // All of the above; `bases` are the nodes before the layer as bits of each member.
    void fill(LayerSums& sums, const PairLayouts& layouts, std::span<const int> members,
              std::span<const std::vector<std::uint64_t>> bases);

  private:
    std::size_t place(std::size_t member, std::size_t set) const {
        return member * pairs_of_others->size() + pairs_of_others->block(squeeze_bit(set, member));
    }
    void fill_meets(std::size_t member, const Number* holds, const Number* lacks);
    void fill_shares();

    std::vector<double> log_sums_;  // b x 2^(b-1)
    std::vector<Number> meets_;     // b x 3^(b-1)
    std::vector<Number> misses_;    // b x 3^(b-1)
};

// Of the way into a layer from the one before it: its first part needs parents in the last part T
// of that. One T if there is no layer before, or a single part; else all 2^b' subsets of it.
template <class Number>
struct EntryTables {
    std::size_t length = 1;
    std::vector<double> log_sums;  // of each member over all nodes before the layer
    std::vector<Number> meets_;    // members x length

    const Number* meets(std::size_t member) const { return meets_.data() + member * length; }
};

}  // namespace arcwise
