// Looks up sums in the table, and leaves it for the walk or the scan where it has too few digits;
// sums by the part of a family that lies among given places.
#include "arcwise/sums/node_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// sum(allowed) - sum(allowed without required) keeps about 1e-16 |log sum| / gap relative digits,
// where the log sum is relative to the heaviest family and `gap` is the difference of the two
// logarithms. Below this gap the families are added up.
constexpr double usual_gap = 0x1p-7;

// The same where nine digits are enough: logarithms of sums, and the plain numbers made of them,
// are right to some 1e-15.
constexpr double smallest_difference_of_table = 0x1p-18;
constexpr double smallest_difference_of_rows = 0x1p-20;

constexpr int largest_table = 30;

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

NodeSums::NodeSums(const NodeFamilies& families, int node, SumMethod method, double tolerance,
                   Tabulated tabulated)
    : node_(static_cast<std::uint64_t>(node)),
      candidates_(families.candidates().size()),
      required_count_(families.required().size()),
      words_(parent_words(families)) {
    required_bits_.assign(words(), 0);
    for (std::size_t i = 0; i < required_count_; ++i) {
        put_member(required_bits_.data(), candidates_ + i);
    }
    if (method == SumMethod::rows) {
        rows_.emplace(families, node, tabulated != Tabulated::maxima, tabulated != Tabulated::sums);
        return;
    }
    sorted_.emplace(families, tolerance);
    if (sorted_->count() > 0) heaviest_ = sorted_->weight(0);
    if (method == SumMethod::scan) return;
    if (method == SumMethod::walk) {
        // The difference of two sums may be as small as this share of them.
        walk_.emplace(families, tolerance * usual_gap);
        return;
    }
    if (candidates_ > largest_table) {
        throw Error(ErrorKind::capacity,
                    "A table of score sums holds 2^K numbers for K candidate "
                    "parents, and K = " +
                        std::to_string(candidates_) +
                        " came; give fewer candidates or use the scan.");
    }
    const std::uint64_t size = std::uint64_t{1} << candidates_;
    std::vector<double> sums(size, minus_infinity);
    for (std::size_t place = 0; place < sorted_->count(); ++place) {
        sums[*sorted_->parents(place) & (size - 1)] = sorted_->weight(place);
    }
    if (tabulated != Tabulated::sums) {
        std::vector<double> maxima(sums);
        max_over_subsets(maxima.data(), static_cast<int>(candidates_));
        maxima_ = std::move(maxima);
    }
    for (double& entry : sums) entry -= heaviest_;
    log_sum_over_subsets(sums.data(), static_cast<int>(candidates_));
    sums_ = std::move(sums);
}

void NodeSums::expect_sound(const ArchiveReader& reader, std::size_t node, std::size_t possible,
                            std::size_t inside) const {
    reader.expect(node_ == node && candidates_ <= possible &&
                  required_count_ == possible - candidates_ && inside <= candidates_);
    reader.expect(words_ == std::max<std::size_t>(1, words_for(possible)));
    std::vector<std::uint64_t> required(words_, 0);
    for (std::size_t i = candidates_; i < possible; ++i) put_member(required.data(), i);
    reader.expect(required_bits_ == required && std::isfinite(heaviest_));
    reader.expect(sorted_.has_value() != rows_.has_value());
    if (rows_) {
        reader.expect(sums_.empty() && maxima_.empty() && !walk_ && rows_->inside() == inside);
        rows_->expect_sound(reader, node_, candidates_, required_count_);
        return;
    }
    sorted_->expect_sound(reader, possible);
    if (walk_) walk_->expect_sound(reader, candidates_, required_count_);
    reader.expect(!(walk_ && tabulated()) && (tabulated() || maxima_.empty()));
    if (!tabulated()) return;
    reader.expect(candidates_ <= largest_table);
    const std::size_t sets = std::size_t{1} << candidates_;
    reader.expect(sums_.size() == sets && (maxima_.empty() || maxima_.size() == sets));
    for (const double sum : sums_) reader.expect(sum < -minus_infinity);
    for (const double most : maxima_) reader.expect(most < -minus_infinity);
}

bool NodeSums::has_required_parents(ParentBits allowed) const {
    for (std::size_t word = 0; word < required_bits_.size(); ++word) {
        if ((required_bits_[word] & ~allowed[word]) != 0) return false;
    }
    return true;
}

bool NodeSums::meets_required_parents(ParentBits required) const {
    for (std::size_t word = 0; word < required_bits_.size(); ++word) {
        if ((required_bits_[word] & required[word]) != 0) return true;
    }
    return false;
}

double NodeSums::tabulated_log_sum(ParentBits allowed) const {
    if (tabulated()) return sums_[allowed[0] & (sums_.size() - 1)];
    const double sum = walk_->log_sum(allowed);
    if (sum != minus_infinity || walk_->complete()) return sum;
    return sorted_->log_sum(allowed, nullptr) - heaviest_;
}

double NodeSums::log_sum(ParentBits allowed) const {
    if (rows_) return has_required_parents(allowed) ? rows_->log_sum(allowed) : minus_infinity;
    if (!tabulated() && !walk_) return sorted_->log_sum(allowed, nullptr);
    return has_required_parents(allowed) ? heaviest_ + tabulated_log_sum(allowed) : minus_infinity;
}

double NodeSums::relative_log_sum(ParentBits allowed) const {
    if (!has_required_parents(allowed)) return minus_infinity;
    if (rows_) return rows_->relative_log_sum(allowed);
    if (tabulated() || walk_) return tabulated_log_sum(allowed);
    return sorted_->log_sum(allowed, nullptr) - heaviest_;
}

double NodeSums::smallest_difference() const {
    // Sums by scan and by walk leave out a share of the whole.
    if (rows_) return smallest_difference_of_rows;
    return tabulated() ? smallest_difference_of_table : usual_gap;
}

double NodeSums::log_sum(ParentBits allowed, ParentBits required, SumMemo& memo) const {
    return log_sum_meeting(allowed, required, memo, usual_gap, PlusOneSums::usual_share);
}

double NodeSums::nearly_log_sum(ParentBits allowed, ParentBits required, SumMemo& memo) const {
    return log_sum_meeting(allowed, required, memo, smallest_difference(), smallest_difference());
}

double NodeSums::log_sum_meeting(ParentBits allowed, ParentBits required, SumMemo& memo,
                                 double smallest_gap, double smallest_share) const {
    if (!tabulated() && !walk_ && !rows_) return sorted_->log_sum(allowed, required);
    if (!has_required_parents(allowed)) return minus_infinity;
    if (meets_required_parents(required)) return log_sum(allowed);
    if (rows_) return rows_->log_sum(allowed, required, memo, smallest_share);
    std::array<std::uint64_t, 4> few;
    std::vector<std::uint64_t> many(words() > few.size() ? words() : 0);
    std::uint64_t* without = many.empty() ? few.data() : many.data();
    bool any = false;
    for (std::size_t word = 0; word < words(); ++word) {
        any = any || (allowed[word] & required[word]) != 0;
        without[word] = allowed[word] & ~required[word];
    }
    if (!any) return minus_infinity;
    const double whole = tabulated_log_sum(allowed);
    const double rest = tabulated_log_sum(without);
    if (rest == minus_infinity) return heaviest_ + whole;
    const double gap = whole - rest;
    if (gap > smallest_gap) return heaviest_ + (whole + std::log(-std::expm1(-gap)));
    const auto add_up = [&] { return sorted_->log_sum(allowed, required); };
    if (candidates_ > 64) return add_up();
    const std::uint64_t all = allowed[0] & first_bits(candidates_);
    KeyOfWords key;
    key.add(node_);
    key.add(all);
    key.add(required[0] & all);
    return memo.get(key.key(), add_up);
}

double NodeSums::max(ParentBits allowed) const {
    if (rows_) return has_required_parents(allowed) ? rows_->max(allowed) : minus_infinity;
    if (!maxima_.empty()) {
        return has_required_parents(allowed) ? maxima_[allowed[0] & (maxima_.size() - 1)]
                                             : minus_infinity;
    }
    const std::int64_t place = sorted_->best(allowed, nullptr);
    return place < 0 ? minus_infinity : sorted_->weight(static_cast<std::size_t>(place));
}

std::int64_t NodeSums::best(ParentBits allowed, ParentBits required) const {
    if (!rows_) return sorted_->best(allowed, required);
    if (!has_required_parents(allowed)) return -1;
    const bool met = required == nullptr || meets_required_parents(required);
    return rows_->best(allowed, met ? nullptr : required);
}

std::int64_t NodeSums::draw(ParentBits allowed, Random& random) const {
    if (rows_) return has_required_parents(allowed) ? rows_->draw(allowed, nullptr, random) : -1;
    if (random.scripted()) return sorted_->choose(allowed, nullptr, random);
    return sorted_->place_at(allowed, nullptr, log_sum(allowed), random.uniform());
}

std::int64_t NodeSums::draw(ParentBits allowed, ParentBits required, SumMemo& memo,
                            Random& random) const {
    if (rows_) {
        if (!has_required_parents(allowed)) return -1;
        return rows_->draw(allowed, meets_required_parents(required) ? nullptr : required, random);
    }
    if (random.scripted()) return sorted_->choose(allowed, required, random);
    return sorted_->place_at(allowed, required, log_sum(allowed, required, memo), random.uniform());
}

void NodeSums::copy_parents(std::int64_t place, std::uint64_t* bits) const {
    if (rows_) {
        std::copy(required_bits_.begin(), required_bits_.end(), bits);
        rows_->add_parents(place, bits);
        return;
    }
    const ParentBits parents = sorted_->parents(static_cast<std::size_t>(place));
    std::copy(parents, parents + words_, bits);
}

std::vector<std::uint64_t> NodeSums::with_places_in(std::size_t set, ParentBits base,
                                                    std::span<const int> places) const {
    std::vector<std::uint64_t> bits(base, base + words_);
    for (std::size_t left = set; left != 0; left &= left - 1) {
        const int place = places[static_cast<std::size_t>(std::countr_zero(left))];
        if (place >= 0) put_member(bits.data(), place);
    }
    return bits;
}

// The sum over the families that hold exactly the places of a set would be a difference of sums
// over its subsets; so families are visited one by one.
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
    // Sets of the first places become offsets once, those of the other places one by one.
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
    // The families that hold a parent weigh the difference of the sums with it and without.
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
