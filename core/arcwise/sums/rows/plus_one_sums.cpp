// Fills the rows and adds them up, anew or from sums that are known: no more than a few entries
// away from what was added up, so that errors do not build up.
#include "arcwise/sums/rows/plus_one_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/rows/plus_one_rows.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_inside = 30;

ARCWISE_VECTOR_VERSIONS
void max_row_into(double* to, const double* from, std::size_t count) {
    combine_into(to, from, count,
                 [](double a, double b) ARCWISE_INLINE_LAMBDA { return a < b ? b : a; });
}

}  // namespace

ARCWISE_VECTOR_VERSIONS
double masked_sum(const double* row, const std::uint64_t* entries, std::size_t chunks) {
    LaneSums sums{};
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        if (entries[chunk] != 0) add_row(sums, row + 64 * chunk, entries[chunk]);
    }
    return total(sums);
}

ARCWISE_VECTOR_VERSIONS
double masked_max(const double* row, const std::uint64_t* entries, std::size_t chunks) {
    LaneSums most;
    for (double& lane : most.lane) lane = minus_infinity;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const double* numbers = row + 64 * chunk;
        for (std::uint64_t bits = entries[chunk]; bits != 0; bits >>= lanes, numbers += lanes) {
#pragma omp simd simdlen(8)
            for (std::size_t i = 0; i < lanes; ++i) {
                const double each = chosen_or_minus_infinity(numbers, bits, i);
                most.lane[i] = most.lane[i] < each ? each : most.lane[i];
            }
        }
    }
    return *std::max_element(most.lane, most.lane + lanes);
}

ARCWISE_VECTOR_VERSIONS
RowParts subtract_row(const double* row, const double* rest, std::uint64_t entries,
                      std::uint64_t less, double factor, double* numbers, std::size_t count) {
    LaneSums whole{};
    LaneSums difference{};
    for (std::size_t first = 0; first < count; first += lanes) {
#pragma omp simd simdlen(8)
        for (std::size_t i = 0; i < lanes; ++i) {
            const double of_row = chosen(row + first, entries, i);
            const double of_rest = chosen(rest + first, less, i) * factor;
            const double each = of_row > of_rest ? of_row - of_rest : 0.0;
            numbers[first + i] = each;
            whole.lane[i] += of_row;
            difference.lane[i] += each;
        }
        entries >>= lanes;
        less >>= lanes;
    }
    return {total(whole), total(difference)};
}

ARCWISE_VECTOR_VERSIONS
RowParts sum_differences(const double* row, const double* rest, std::uint64_t entries,
                         std::uint64_t less, double factor) {
    LaneSums whole{};
    LaneSums taken{};
    for (; entries != 0; entries >>= lanes, less >>= lanes, row += lanes, rest += lanes) {
#pragma omp simd simdlen(8)
        for (std::size_t i = 0; i < lanes; ++i) {
            whole.lane[i] += chosen(row, entries, i);
            taken.lane[i] += chosen(rest, less, i);
        }
    }
    const double all = total(whole);
    return {all, all - total(taken) * factor};
}

PlusOneSums::PlusOneSums(const NodeFamilies& families, int node, bool with_sums, bool with_max)
    : node_(static_cast<std::uint64_t>(node)),
      count_(families.count()),
      words_(parent_words(families)),
      inside_(families.inside()),
      entries_(families.outside() + 1),
      chunks_(words_for(entries_)),
      length_((entries_ + lanes - 1) / lanes * lanes) {
    if (inside_ > most_inside) {
        throw Error(ErrorKind::capacity,
                    "Rows of score sums are held for 2^K sets of K candidate parents, and K = " +
                        std::to_string(inside_) + " came; give fewer candidates.");
    }
    const std::size_t sets = std::size_t{1} << inside_;
    all_ = static_cast<Set>(sets - 1);
    std::vector<double> raw(sets * length_, minus_infinity);
    families.for_each([&](std::uint64_t index, std::span<const int> members) {
        std::size_t set = 0;
        std::size_t at = 0;
        for (const int member : members) {
            const auto position = static_cast<std::size_t>(member);
            if (position < inside_) {
                set |= std::size_t{1} << position;
            } else {
                at = position - inside_ + 1;
            }
        }
        raw[set * length_ + at] = families.values()[index];
    });
    raw_ = std::move(raw);

    if (with_max) fill_maxima();
    if (with_sums) {
        fill_sums();
    } else {
        raw_ = {};
    }
}

void PlusOneSums::expect_sound(const ArchiveReader& reader, std::uint64_t node,
                               std::size_t candidates, std::size_t required) const {
    reader.expect(node_ == node && inside_ <= most_inside && inside_ <= candidates);
    reader.expect(words_ == std::max<std::size_t>(1, words_for(candidates + required)));
    reader.expect(entries_ == candidates - inside_ + 1 && chunks_ == words_for(entries_));
    reader.expect(length_ == (entries_ + lanes - 1) / lanes * lanes);
    const std::size_t sets = std::size_t{1} << inside_;
    reader.expect(all_ == sets - 1 && std::isfinite(heaviest_));
    const auto fits = [&](const Stored<double>& numbers) {
        return numbers.size() % length_ == 0 && numbers.size() / length_ == sets;
    };
    const auto no_number_too_large = [&](const Stored<double>& numbers) {
        for (const double number : numbers) reader.expect(number < -minus_infinity);
    };
    reader.expect(maxima_.empty() || fits(maxima_));
    no_number_too_large(maxima_);
    if (rows_.empty()) {
        // There are maxima alone.
        reader.expect(!maxima_.empty() && raw_.empty() && exponents_.empty() &&
                      wide_sets_.empty() && wide_rows_.empty());
        return;
    }
    reader.expect(fits(raw_) && fits(rows_) && exponents_.size() == sets);
    reader.expect(wide_rows_.size() % length_ == 0 &&
                  wide_rows_.size() / length_ == wide_sets_.size());
    no_number_too_large(raw_);
    no_number_too_large(rows_);
    no_number_too_large(wide_rows_);
    std::size_t wide_ones = 0;
    for (Set set = 0; set < sets; ++set) {
        // The difference of two exponents is a whole number, too.
        const bool usual = exponents_[set] >= -(1 << 30) && exponents_[set] <= 1 << 12;
        reader.expect(usual || wide(set));
        if (wide(set)) ++wide_ones;
    }
    reader.expect(wide_ones == wide_sets_.size());
    for (std::size_t i = 0; i < wide_sets_.size(); ++i) {
        reader.expect(wide_sets_[i] < sets && wide(wide_sets_[i]) &&
                      (i == 0 || wide_sets_[i - 1] < wide_sets_[i]));
    }
}

void PlusOneSums::fill_sums() {
    const std::size_t sets = std::size_t{all_} + 1;
    heaviest_ = *std::max_element(raw_.begin(), raw_.end());
    if (heaviest_ == minus_infinity) heaviest_ = 0.0;
    // The sums over subsets are taken column by column, as logarithms.
    std::vector<double> rows(sets * length_, minus_infinity);
    std::vector<double> column(sets);
    for (std::size_t at = 0; at < entries_; ++at) {
        for (std::size_t set = 0; set < sets; ++set)
            column[set] = raw_[set * length_ + at] - heaviest_;
        log_sum_over_subsets(column.data(), static_cast<int>(inside_));
        for (std::size_t set = 0; set < sets; ++set) rows[set * length_ + at] = column[set];
    }
    std::vector<int> exponents(sets, 0);
    std::vector<Set> wide_sets;
    std::vector<double> wide_rows;
    for (std::size_t set = 0; set < sets; ++set) {
        double* numbers = rows.data() + set * length_;
        if (fill_row(numbers, exponents[set])) continue;
        exponents[set] = kept_as_logarithms;
        wide_sets.push_back(static_cast<Set>(set));
        wide_rows.insert(wide_rows.end(), numbers, numbers + length_);
    }
    rows_ = std::move(rows);
    exponents_ = std::move(exponents);
    wide_sets_ = std::move(wide_sets);
    wide_rows_ = std::move(wide_rows);
    copy_first_column();
}

void PlusOneSums::copy_first_column() {
    if (rows_.empty() || inside_ > most_inside || length_ == 0) return;
    const std::size_t sets = std::size_t{1} << inside_;
    if (rows_.size() != sets * length_ || raw_.size() != rows_.size()) return;  // for expect_sound
    first_column_.resize(sets);
    first_families_.resize(sets);
    for (std::size_t set = 0; set < sets; ++set) {
        first_column_[set] = rows_[set * length_];
        first_families_[set] = raw_[set * length_];
    }
}

void PlusOneSums::fill_maxima() {
    const std::size_t sets = std::size_t{all_} + 1;
    std::vector<double> maxima(raw_.begin(), raw_.end());
    for (std::size_t bit = 1; bit < sets; bit <<= 1) {
        for (std::size_t set = 0; set < sets; ++set) {
            if ((set & bit) == 0) continue;
            max_row_into(maxima.data() + set * length_, maxima.data() + (set ^ bit) * length_,
                         length_);
        }
    }
    maxima_ = std::move(maxima);
}

// Turns logarithms into plain numbers. The entry without an outside parent is in every sum over the
// row, so what lies far below it does not matter, but it must not vanish beside larger ones.
bool PlusOneSums::fill_row(double* numbers, int& exponent) const {
    const double largest = *std::max_element(numbers, numbers + entries_);
    if (largest == minus_infinity) {
        std::fill_n(numbers, length_, 0.0);
        return true;
    }
    double smallest = numbers[0];
    if (smallest == minus_infinity) {
        for (std::size_t at = 0; at < entries_; ++at) {
            const bool lower = smallest == minus_infinity || numbers[at] < smallest;
            if (numbers[at] > minus_infinity && lower) smallest = numbers[at];
        }
    }
    if (largest - smallest > nats_per_window) return false;
    // The power is rounded up, because numbers above e^600 are cut off.
    const double times = std::ceil(window_scale(largest, smallest) / ln2);
    exponent = static_cast<int>(times);
    const double scale = times * ln2_high + times * ln2_low;
    scaled_exp(numbers, numbers, scale, length_);
    return true;
}

void PlusOneSums::refuse_without_sums() {
    throw Error(
        ErrorKind::argument,
        "Only maxima were tabulated, so there are no sums and no draws; tabulate sums too.");
}

double PlusOneSums::log_sum(ParentBits allowed) const {
    return heaviest_ + relative_log_sum(allowed);
}

double PlusOneSums::relative_log_sum(ParentBits allowed) const {
    if (rows_.empty()) refuse_without_sums();
    return log_sum_of(inside_of(allowed),
                      [&](std::size_t chunk) { return entries_within(allowed, chunk); });
}

double PlusOneSums::log_sum(ParentBits allowed, ParentBits required, SumMemo& memo,
                            double smallest_share) const {
    if (rows_.empty()) refuse_without_sums();
    const Set whole = inside_of(allowed);
    const Set rest = whole & ~inside_of(required);
    bool any = whole != rest;
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        any = any || (entries_of(allowed, chunk) & entries_of(required, chunk)) != 0;
    }
    if (!any) return minus_infinity;
    if (!wide(whole)) {
        const double sum = sum_meeting(allowed, required, smallest_share);
        if (sum > 0.0) return heaviest_ + log_of(sum, exponents_[whole]);
    }
    KeyOfWords key;
    key.add(node_);
    for (std::size_t word = 0; word < words_; ++word) {
        key.add(allowed[word]);
        key.add(allowed[word] & required[word]);
    }
    return memo.get(key.key(), [&] { return add_up(allowed, required); });
}

double PlusOneSums::sum_meeting(ParentBits allowed, ParentBits required,
                                double smallest_share) const {
    const Set whole = inside_of(allowed);
    const Set rest = whole & ~inside_of(required);
    double sum = 0.0;
    double of_whole = 0.0;
    if (whole == rest) {
        sum = sum_of(whole, [&](std::size_t chunk) {
            return entries_of(allowed, chunk) & entries_of(required, chunk);
        });
    } else {
        of_whole = sum_of(whole, [&](std::size_t chunk) { return entries_within(allowed, chunk); });
        sum =
            of_whole - sum_in_units(
                           rest,
                           [&](std::size_t chunk) {
                               return entries_within(allowed, chunk) & ~entries_of(required, chunk);
                           },
                           exponents_[whole]);
    }
    return sum > smallest_sum && sum > smallest_share * of_whole ? sum : 0.0;
}

double PlusOneSums::add_up(ParentBits allowed, ParentBits required) const {
    double largest = minus_infinity;
    for_each(allowed, required,
             [&](std::int64_t, double of_family) { largest = std::max(largest, of_family); });
    if (largest == minus_infinity) return minus_infinity;
    double sum = 0.0;
    for_each(allowed, required,
             [&](std::int64_t, double of_family) { sum += std::exp(of_family - largest); });
    return largest + std::log(sum);
}

double PlusOneSums::max(ParentBits allowed) const {
    if (maxima_.empty()) {
        const std::int64_t found = best(allowed, nullptr);
        return found < 0 ? minus_infinity : weight(found);
    }
    return folded(
        maxima_.data() + inside_of(allowed) * length_,
        [&](std::size_t chunk) { return entries_within(allowed, chunk); }, masked_max,
        [](double a, double b) { return std::max(a, b); });
}

std::int64_t PlusOneSums::best(ParentBits allowed, ParentBits required) const {
    if (!maxima_.empty() && required == nullptr) {
        Set set = inside_of(allowed);
        const double most = max(allowed);
        if (most == minus_infinity) return -1;
        std::size_t at = 0;
        for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
            for (std::uint64_t left = entries_within(allowed, chunk); left != 0; left &= left - 1) {
                const auto entry = 64 * chunk + static_cast<std::size_t>(std::countr_zero(left));
                if (maxima_[set * length_ + entry] == most) at = entry;
            }
        }
        // Members that can be left out without loss are left out; the family that remains has the
        // weight.
        for (Set left = set; left != 0; left &= left - 1) {
            const Set without = set & ~(left & (~left + 1));
            if (maxima_[without * length_ + at] == most) set = without;
        }
        return place(set, at);
    }
    std::int64_t found = -1;
    for_each(allowed, required, [&](std::int64_t at, double of_family) {
        if (found < 0 || of_family > weight(found)) found = at;
    });
    return found;
}

void PlusOneSums::add_parents(std::int64_t place, std::uint64_t* bits) const {
    const auto at = static_cast<std::size_t>(place);
    bits[0] |= at / length_;
    const std::size_t entry = at % length_;
    if (entry == 0) return;
    put_member(bits, inside_ + entry - 1);
}

// Fills in the two rows that the sums come from, and no sums yet; no digits where one of the rows
// is kept as logarithms.
PlusOneSums::RowSums PlusOneSums::sums_between(Set set, Set rest, bool all_met) const {
    RowSums sums{.set = set, .rest = rest};
    if (wide(set) || wide(rest)) return sums;
    const int exponent = exponents_[rest] - exponents_[set];
    if (exponent > 1000) return sums;
    // A ratio that underflows does not matter beside a sum that does not.
    if (!all_met && exponent >= -1022) sums.ratio = power_of_two(exponent);
    sums.unit = heaviest_ + log_of_power(exponents_[set]);
    sums.digits = true;
    return sums;
}

PlusOneSums::RowSums PlusOneSums::row_sums(ParentBits allowed, ParentBits required) const {
    const Set set = inside_of(allowed);
    const Set wanted = required == nullptr ? 0 : inside_of(required) & set;
    RowSums sums = sums_between(set, set & ~wanted, required == nullptr);
    if (!sums.digits) return sums;
    if (required == nullptr) {
        sums.whole = sums.met =
            sum_of(set, [&](std::size_t chunk) { return entries_within(allowed, chunk); });
        sums.digits = sums.met > smallest_sum;
        return sums;
    }
    bool any = wanted != 0;
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        const std::uint64_t entries = entries_within(allowed, chunk);
        const std::uint64_t met = entries_of(required, chunk);
        any = any || (entries & met) != 0;
        const RowParts parts = sum_differences(row(set) + 64 * chunk, row(sums.rest) + 64 * chunk,
                                               entries, entries & ~met, sums.ratio);
        sums.whole += parts.whole;
        sums.met += parts.difference;
    }
    sums.digits = any && sums.met > smallest_sum && sums.met > usual_share * sums.whole;
    return sums;
}

PlusOneSums::RowSums PlusOneSums::changed_sums(const RowSums& now, ParentBits allowed,
                                               ParentBits required, ParentBits allowed_then,
                                               ParentBits required_then) const {
    constexpr int few = 16;
    const Set set = inside_of(allowed_then);
    const Set rest = required_then == nullptr ? set : set & ~inside_of(required_then);
    if (!now.digits || set != now.set || rest != now.rest ||
        (required == nullptr) != (required_then == nullptr)) {
        return row_sums(allowed_then, required_then);
    }
    RowSums then = now;
    double highest = now.whole;
    int changes = 0;
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        const std::uint64_t before = entries_of(allowed, chunk);
        const std::uint64_t after = entries_of(allowed_then, chunk);
        const std::uint64_t met_before =
            required == nullptr ? ~std::uint64_t{0} : entries_of(required, chunk);
        const std::uint64_t met_after =
            required_then == nullptr ? ~std::uint64_t{0} : entries_of(required_then, chunk);
        std::uint64_t changed = (before ^ after) | ((before & met_before) ^ (after & met_after));
        changes += std::popcount(changed);
        if (changes > few) return row_sums(allowed_then, required_then);
        for (; changed != 0; changed &= changed - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(changed));
            const std::size_t at = 64 * chunk + bit;
            if ((before >> bit & 1) != 0) {
                then.whole -= row(set)[at];
                then.met -= part(now, at, (met_before >> bit & 1) != 0);
            }
            if ((after >> bit & 1) != 0) {
                then.whole += row(set)[at];
                then.met += part(now, at, (met_after >> bit & 1) != 0);
            }
            highest = std::max(highest, then.whole);
        }
    }
    then.digits = then.met > smallest_sum && then.met > usual_share * highest;
    return then.digits ? then : row_sums(allowed_then, required_then);
}

}  // namespace arcwise
