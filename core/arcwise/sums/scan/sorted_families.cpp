// Sorting and scanning of one node's families.
#include "arcwise/sums/scan/sorted_families.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "arcwise/families/by_weight.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

constexpr std::size_t families_per_block = 64;
constexpr double log_negligible = -34.6;  // of probabilities: 1e-15

}  // namespace

SortedFamilies::SortedFamilies(const NodeFamilies& families, double tolerance)
    : log_tolerance_(std::log(tolerance)) {
    const std::size_t candidates = families.candidates().size();
    const std::size_t required = families.required().size();
    words_ = parent_words(families);
    const std::vector<double>& values = families.values();

    // Families of weight zero can be in no sum, no maximum and no draw.
    std::vector<std::uint32_t> order = order_by_weight(values);
    constexpr std::uint32_t absent = 0xFFFFFFFFu;
    std::vector<std::uint32_t> place_of(values.size(), absent);
    std::vector<double> weights(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
        place_of[order[place]] = static_cast<std::uint32_t>(place);
        weights[place] = values[order[place]];
    }
    order = {};
    std::vector<std::uint64_t> all_bits(weights.size() * words_, 0);
    families.for_each([&](std::uint64_t index, std::span<const int> members) {
        if (place_of[index] == absent) return;
        std::uint64_t* bits = all_bits.data() + place_of[index] * words_;
        for (const int member : members) put_member(bits, member);
        for (std::size_t i = 0; i < required; ++i) put_member(bits, candidates + i);
    });

    std::vector<double> log_remaining(
        (weights.size() + families_per_block - 1) / families_per_block, minus_infinity);
    // Each block is added up by plain numbers: its first family is its heaviest.
    double remaining = minus_infinity;
    double shares[families_per_block];
    for (std::size_t block = log_remaining.size(); block-- > 0;) {
        const std::size_t first = block * families_per_block;
        const std::size_t count = std::min(families_per_block, weights.size() - first);
        scaled_exp(shares, weights.data() + first, weights[first], count);
        const double sum = std::accumulate(shares, shares + count, 0.0);
        remaining = log_add(remaining, weights[first] + std::log(sum));
        log_remaining[block] = remaining;
    }
    weights_ = std::move(weights);
    bits_ = std::move(all_bits);
    log_remaining_ = std::move(log_remaining);
}

void SortedFamilies::expect_sound(const ArchiveReader& reader, std::size_t possible) const {
    reader.expect(words_ == std::max<std::size_t>(1, words_for(possible)));
    reader.expect(bits_.size() % words_ == 0 && bits_.size() / words_ == count());
    reader.expect(log_remaining_.size() == (count() + families_per_block - 1) / families_per_block);
    reader.expect(log_tolerance_ <= 0.0);
    for (std::size_t place = 0; place < count(); ++place) {
        reader.expect(std::isfinite(weights_[place]));
        reader.expect(place == 0 || weights_[place] <= weights_[place - 1]);
        for (std::size_t word = 0; word < words_; ++word) {
            const std::size_t before = std::min(possible, 64 * word);
            reader.expect((parents(place)[word] & ~first_bits(possible - before)) == 0);
        }
    }
    for (const double rest : log_remaining_) reader.expect(std::isfinite(rest));
}

template <class EnterBlock, class Visit>
void SortedFamilies::scan(ParentBits allowed, ParentBits required, EnterBlock enter_block,
                          Visit visit) const {
    const auto scan_with = [&](auto admits) {
        for (std::size_t block = 0; block < log_remaining_.size(); ++block) {
            if (!enter_block(block)) return;
            const std::size_t first = block * families_per_block;
            const std::size_t last = std::min(first + families_per_block, weights_.size());
            for (std::size_t place = first; place < last; ++place) {
                if (admits(place) && !visit(place)) return;
            }
        }
    };
    if (words_ == 1) {
        const std::uint64_t outside = ~allowed[0];
        if (required == nullptr) {
            scan_with([&](std::size_t place) { return (bits_[place] & outside) == 0; });
        } else {
            const std::uint64_t wanted = required[0];
            scan_with([&](std::size_t place) {
                return (bits_[place] & outside) == 0 && (bits_[place] & wanted) != 0;
            });
        }
        return;
    }
    scan_with([&](std::size_t place) {
        const std::uint64_t* bits = parents(place);
        bool met = required == nullptr;
        for (std::size_t word = 0; word < words_; ++word) {
            if ((bits[word] & ~allowed[word]) != 0) return false;
            met = met || (bits[word] & required[word]) != 0;
        }
        return met;
    });
}

double SortedFamilies::log_sum(ParentBits allowed, ParentBits required) const {
    double scale = minus_infinity;
    double sum = 0.0;
    scan(
        allowed, required,
        [&](std::size_t block) {
            return sum == 0.0 || log_remaining_[block] >= scale + std::log(sum) + log_tolerance_;
        },
        [&](std::size_t place) {
            if (sum == 0.0) scale = weights_[place];
            sum += std::exp(weights_[place] - scale);
            return true;
        });
    return sum == 0.0 ? minus_infinity : scale + std::log(sum);
}

std::int64_t SortedFamilies::best(ParentBits allowed, ParentBits required) const {
    std::int64_t found = -1;
    scan(
        allowed, required, [](std::size_t) { return true; },
        [&](std::size_t place) {
            found = static_cast<std::int64_t>(place);
            return false;
        });
    return found;
}

std::int64_t SortedFamilies::place_at(ParentBits allowed, ParentBits required, double log_sum,
                                      double share) const {
    double left = share;
    // Rounding can leave a remainder after the last family; the last one then takes it.
    std::int64_t found = -1;
    scan(
        allowed, required, [](std::size_t) { return true; },
        [&](std::size_t place) {
            found = static_cast<std::int64_t>(place);
            left -= std::exp(weights_[place] - log_sum);
            return left >= 0.0;
        });
    return found;
}

std::vector<std::uint64_t> with_places(ParentBits base, std::span<const int> places,
                                       std::size_t words) {
    std::vector<std::uint64_t> result(base, base + words);
    for (const int place : places) {
        if (place >= 0) put_member(result.data(), place);
    }
    return result;
}

std::size_t SortedFamilies::places_of(std::size_t family, std::span<const int> places) const {
    const ParentBits bits = parents(family);
    std::size_t result = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] >= 0 && has_member(bits, places[i])) result |= std::size_t{1} << i;
    }
    return result;
}

void SortedFamilies::log_sums_over(ParentBits base, std::span<const int> places, std::size_t lowest,
                                   double* out) const {
    const std::size_t count = std::size_t{1} << places.size();
    std::vector<double> sums(count, 0.0);
    double* scales = out;  // by set: its heaviest family, which comes first
    std::fill_n(scales, count, minus_infinity);
    scan(
        with_places(base, places, words_).data(), nullptr,
        [&](std::size_t block) {
            // No sum that is not zero is smaller than that over the base.
            return sums[lowest] == 0.0 || log_remaining_[block] >= scales[lowest] +
                                                                       std::log(sums[lowest]) +
                                                                       log_tolerance_;
        },
        [&](std::size_t family) {
            const std::size_t set = places_of(family, places);
            if (sums[set] == 0.0) scales[set] = weights_[family];
            sums[set] += std::exp(weights_[family] - scales[set]);
            return true;
        });
    for (std::size_t set = 0; set < count; ++set) {
        if (sums[set] > 0.0) out[set] = scales[set] + std::log(sums[set]);
    }
    log_sum_over_subsets(out, static_cast<int>(places.size()));
}

void SortedFamilies::add_to_parents(std::size_t family, double amount, double* by_place) const {
    for_each_member(parents(family), words_, [&](int place) { by_place[place] += amount; });
}

void SortedFamilies::add_parent_probabilities(ParentBits base, std::span<const int> places,
                                              const double* log_factors, double* by_place) const {
    const std::size_t count = std::size_t{1} << places.size();
    const double largest = *std::max_element(log_factors, log_factors + count);
    scan(
        with_places(base, places, words_).data(), nullptr,
        [&](std::size_t block) { return log_remaining_[block] + largest >= log_negligible; },
        [&](std::size_t family) {
            const double factor = log_factors[places_of(family, places)];
            add_to_parents(family, std::exp(weights_[family] + factor), by_place);
            return true;
        });
}

void SortedFamilies::add_parent_probabilities(ParentBits allowed, ParentBits required,
                                              double log_factor, double* by_place) const {
    scan(
        allowed, required,
        [&](std::size_t block) { return log_remaining_[block] + log_factor >= log_negligible; },
        [&](std::size_t family) {
            add_to_parents(family, std::exp(weights_[family] + log_factor), by_place);
            return true;
        });
}

std::int64_t SortedFamilies::choose(ParentBits allowed, ParentBits required, Random& random) const {
    std::vector<std::int64_t> places;
    std::vector<double> shares;
    scan(
        allowed, required, [](std::size_t) { return true; },
        [&](std::size_t place) {
            places.push_back(static_cast<std::int64_t>(place));
            const auto heaviest = static_cast<std::size_t>(places.front());
            shares.push_back(std::exp(weights_[place] - weights_[heaviest]));
            return true;
        });
    return places.empty() ? -1 : places[random.choose(shares)];
}

}  // namespace arcwise
