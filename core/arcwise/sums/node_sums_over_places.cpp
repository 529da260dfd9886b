// Sums and probabilities by the part of a family that lies among given places.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/node_sums.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// Makes room for bit i in the sets that index `count` values; the new values do not depend on it.
void insert_bit(double* values, std::size_t count, std::size_t i) {
    const std::size_t block = std::size_t{1} << i;
    for (std::size_t first = count; first > 0;) {
        first -= block;
        std::copy_backward(values + first, values + first + block, values + 2 * first + 2 * block);
        std::copy_backward(values + first, values + first + block, values + 2 * first + block);
    }
}

}  // namespace

std::vector<std::uint64_t> NodeSums::with_places_in(std::size_t set, ParentBits base,
                                                    std::span<const int> places) const {
    std::vector<std::uint64_t> bits(base, base + words_);
    for (std::size_t left = set; left != 0; left &= left - 1) {
        const int place = places[static_cast<std::size_t>(std::countr_zero(left))];
        if (place >= 0) put_member(bits.data(), place);
    }
    return bits;
}

// Of the families that hold exactly the places in a set, those of the set less those of its
// subsets would be a difference; so families are gone through one by one.
void NodeSums::add_row_probabilities(ParentBits base, std::span<const int> places,
                                     const double* log_factors, double* by_place) const {
    const std::vector<std::uint64_t> allowed = with_places(base, places, words_);
    if (!has_required_parents(allowed.data())) return;
    if (places.empty()) {
        SumMemo memo;
        const double factor = std::exp(rows_->log_sum(allowed.data()) + log_factors[0]);
        rows_->add_parent_probabilities(allowed.data(), nullptr, factor, memo, by_place);
        add_to_required(factor, by_place);
        return;
    }
    std::vector<std::uint64_t> bits(words_);
    rows_->for_each(allowed.data(), nullptr, [&](std::int64_t at, double weight) {
        copy_parents(at, bits.data());
        std::size_t set = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i] >= 0 && has_member(bits.data(), places[i])) set |= std::size_t{1} << i;
        }
        const double probability = std::exp(weight + log_factors[set]);
        for_each_member(bits.data(), words_, [&](int place) { by_place[place] += probability; });
    });
}

void NodeSums::add_to_required(double amount, double* by_place) const {
    for (std::size_t i = 0; i < required_count_; ++i) by_place[candidates_ + i] += amount;
}

void NodeSums::add_parent_probabilities(ParentBits allowed, ParentBits required, SumMemo& memo,
                                        double* by_place) const {
    if (!rows_) {
        sorted_->add_parent_probabilities(allowed, required, -log_sum(allowed, required, memo),
                                          by_place);
        return;
    }
    if (!has_required_parents(allowed)) return;
    const bool met = meets_required_parents(required);
    rows_->add_parent_probabilities(allowed, met ? nullptr : required, 1.0, memo, by_place);
    add_to_required(1.0, by_place);
}

void NodeSums::look_up_over(ParentBits base, std::span<const int> places, double* out) const {
    // Sets of the first places are turned into offsets once, those of the others one by one.
    constexpr std::size_t most_at_once = 6;
    const std::size_t low = std::min(places.size(), most_at_once);
    const auto bit = [&](std::size_t i) {
        return is_candidate(places[i]) ? std::size_t{1} << places[i] : 0;
    };
    std::array<std::size_t, std::size_t{1} << most_at_once> offsets{};
    for (std::size_t i = 0; i < low; ++i) {
        const std::size_t half = std::size_t{1} << i;
        for (std::size_t set = 0; set < half; ++set) offsets[half + set] = offsets[set] | bit(i);
    }
    const std::size_t base_offset = base[0] & (sums_.size() - 1);
    for (std::size_t high = 0; high < std::size_t{1} << (places.size() - low); ++high) {
        std::size_t offset = base_offset;
        for (std::size_t left = high; left != 0; left &= left - 1) {
            offset |= bit(low + static_cast<std::size_t>(std::countr_zero(left)));
        }
        const double* sums = sums_.data();
        for (std::size_t set = 0; set < std::size_t{1} << low; ++set) {
            *out++ = heaviest_ + sums[offset | offsets[set]];
        }
    }
}

void NodeSums::log_sums_over(ParentBits base, std::span<const int> places, double* out) const {
    const std::size_t count = std::size_t{1} << places.size();
    if (rows_) {
        for (std::size_t set = 0; set < count; ++set) {
            out[set] = log_sum(with_places_in(set, base, places).data());
        }
        return;
    }
    if (!has_required_parents(with_places(base, places, words_).data())) {
        std::fill_n(out, count, minus_infinity);
        return;
    }
    std::size_t lowest = 0;  // the required places
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] >= 0 && !is_candidate(places[i])) lowest |= std::size_t{1} << i;
    }
    bool done = false;
    if (tabulated()) {
        look_up_over(base, places, out);
        done = true;
    } else if (walk_) {
        std::vector<int> candidates;
        std::copy_if(places.begin(), places.end(), std::back_inserter(candidates),
                     [&](int place) { return is_candidate(place); });
        walk_->log_sums_over(base, candidates, out);
        done = walk_->complete() || out[0] != minus_infinity;
        std::size_t filled = std::size_t{1} << candidates.size();
        for (std::size_t set = 0; set < filled; ++set) out[set] += heaviest_;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (is_candidate(places[i])) continue;
            insert_bit(out, filled, i);
            filled *= 2;
        }
    }
    if (!done) {
        sorted_->log_sums_over(base, places, lowest, out);
        return;
    }
    if (lowest == 0) return;
    for (std::size_t set = 0; set < count; ++set) {
        if ((set & lowest) != lowest) out[set] = minus_infinity;
    }
}

void NodeSums::add_parent_probabilities(ParentBits base, std::span<const int> places,
                                        const double* log_factors, double* by_place,
                                        Factors factors) const {
    if (rows_) {
        add_row_probabilities(base, places, log_factors, by_place);
        return;
    }
    if (walk_ && walk_->complete() && factors == Factors::falling) {
        if (has_required_parents(with_places(base, places, words_).data())) {
            walk_->add_parent_probabilities(base, places, log_factors, by_place);
        }
        return;
    }
    if (!tabulated() || !places.empty()) {
        sorted_->add_parent_probabilities(base, places, log_factors, by_place);
        return;
    }
    if (!has_required_parents(base)) return;
    // What a parent is in is the difference of the sums with it and without.
    const std::uint64_t all = base[0] & (sums_.size() - 1);
    const double sum = sums_[all];
    if (sum == minus_infinity) return;
    const double total = std::exp(heaviest_ + sum + log_factors[0]);
    for (std::uint64_t left = all; left != 0; left &= left - 1) {
        const std::uint64_t parent = left & (~left + 1);
        by_place[std::countr_zero(left)] -= total * std::expm1(sums_[all & ~parent] - sum);
    }
    add_to_required(total, by_place);
}

}  // namespace arcwise
