// What one layer is made of, in numbers that are shares: the tables its recursion runs over.
//
// With tau_v(D) the sum of the families of v within the nodes before the layer and the members D,
// and Phi(D) = max over v not in D of ln tau_v(D) + Phi(D + v), Phi(all) = 0, an upper bound for
// what can come after D, all numbers are taken relative to tau and Phi: so they are at most one
// however far apart the weights are, and what underflows is small beside the bound, which the
// recursion checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/numerics/subset_pairs.hpp"
#include "arcwise/sums/layers/layer_sums.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

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
