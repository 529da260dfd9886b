// Sums over subsets of products of numbers, one for each member: the inner loop of all layers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arcwise/numerics/extended.hpp"

namespace arcwise {

// out[t] = sum over the subsets S of the elements of values[S] * product over i in S of
// factors[i][t], for all t < count. Scratch grows as needed.
void fold(const double* values, const double* const* factors, std::size_t elements,
          std::size_t count, double* out, std::vector<double>& scratch);
void fold(const float* values, const float* const* factors, std::size_t elements, std::size_t count,
          float* out, std::vector<float>& scratch);
void fold(const Extended* values, const Extended* const* factors, std::size_t elements,
          std::size_t count, Extended* out, std::vector<Extended>& scratch);

// What each factor and each value adds to the sum over t of weights[t] * out[t]:
//   by_factor[i][t] = weights[t] * sum over S without i of values[S + i] * product over S,
//   by_value[S]    += sum over t of weights[t] * product over S.
void unfold(const double* values, const double* const* factors, std::size_t elements,
            std::size_t count, const double* weights, double* const* by_factor, double* by_value,
            std::vector<double>& scratch);
void unfold(const Extended* values, const Extended* const* factors, std::size_t elements,
            std::size_t count, const Extended* weights, Extended* const* by_factor,
            Extended* by_value, std::vector<Extended>& scratch);

// Where the pairs (a subset of a few elements, a subset of that) lie in memory.

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

// The layouts of all sizes.
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

}  // namespace arcwise
