// Draws families from the rows, and finds how probable each parent is.
//
// A draw takes the outside parent first, by the row, and then the inside ones one after the other:
// the weight of the families without c among those between L and U (L within A within U) follows
// from the rows by inclusion and exclusion over L, sum over X within L of (-1)^|X| F(U - c - X).
// Differences lose digits where their result is a small share of F(U); but a draw gets there only
// with that share as its probability, so that the law of what is drawn is off by a few 1e-16.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/rows/plus_one_rows.hpp"
#include "arcwise/sums/rows/plus_one_sums.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// Inclusion and exclusion over this many parents take 2^5 look-ups; beyond, the families left are
// visited one by one.
constexpr int most_included = 5;

// The number of intervals with room from the beginning.
constexpr std::size_t most_at_first = 64;

// The heaviest families have this share of the weight together.
constexpr double enough = 0.99;

// The index of an entry in proportion to its weight, when the weights add up to `sum`.
std::size_t chosen_entry(std::span<const double> weights, double sum, Random& random) {
    if (random.scripted()) return random.choose(weights);
    double left = random.uniform() * sum - weights[0];
    if (left < 0.0) return 0;
    // Rounding can leave a remainder after the last entry; the last one then takes it.
    std::size_t found = 0;
    left += weights[0];
    for (std::size_t first = 0; first < weights.size(); first += lanes) {
        double block = 0.0;
        for (std::size_t i = first; i < first + lanes; ++i) block += weights[i];
        if (block == 0.0) continue;
        const bool here = left < block;
        for (std::size_t i = first; i < first + lanes; ++i) {
            if (weights[i] == 0.0) continue;
            found = i;
            if (!here) continue;
            left -= weights[i];
            if (left < 0.0) return i;
        }
        if (here) return found;
        left -= block;
    }
    return found;
}

}  // namespace

ARCWISE_INLINE double PlusOneSums::entry(Set set, std::size_t at, int exponent) const {
    if (wide(set)) return std::exp(wide_row(set)[at] - log_of(1.0, exponent));
    const double number = at == 0 ? first_column_[set] : row(set)[at];
    return times_power_of_two(number, exponents_[set] - exponent);
}

double PlusOneSums::family_in_units(Set set, std::size_t at, int exponent) const {
    const double weight = at == 0 ? first_families_[set] : raw_[set * length_ + at];
    return std::exp(weight - heaviest_ - log_of_power(exponent));
}

double PlusOneSums::between(Set included, Set set, std::size_t at, int exponent) const {
    if (included == 0) return entry(set, at, exponent);
    double sum = 0.0;
    Set left_out = 0;
    do {
        const double each = entry(set & ~left_out, at, exponent);
        sum += std::popcount(left_out) % 2 == 0 ? each : -each;
        left_out = (left_out - included) & included;
    } while (left_out != 0);
    return std::max(0.0, sum);
}

PlusOneSums::Set PlusOneSums::draw_between(Set included, Set set, std::size_t at,
                                           Random& random) const {
    const int exponent = exponents_[set];
    double weight = between(included, set, at, exponent);
    for (Set left = set & ~included; left != 0; left &= left - 1) {
        if (std::popcount(included) >= most_included) {
            std::vector<Set> sets;
            std::vector<double> shares;
            double largest = minus_infinity;
            Set more = 0;
            do {
                sets.push_back(included | more);
                shares.push_back(raw_[sets.back() * length_ + at]);
                largest = std::max(largest, shares.back());
                more = (more - left) & left;
            } while (more != 0);
            for (double& share : shares) share = std::exp(share - largest);
            return sets[random.choose(shares)];
        }
        const Set candidate = left & (~left + 1);
        const double without = between(included, set & ~candidate, at, exponent);
        if (random.event(weight > 0.0 ? std::min(1.0, without / weight) : 0.0)) {
            set &= ~candidate;
            weight = without;
        } else {
            included |= candidate;
            weight -= without;
        }
    }
    return included;
}

// Draws the first of the wanted ones that is a parent, then the others.
PlusOneSums::Set PlusOneSums::draw_inside(const InsideDraw& what, Random& random) const {
    Set set = what.set;
    if (what.wanted == 0) return draw_between(0, set, what.entry, random);
    const int exponent = exponents_[set];
    const double missing = entry(set & ~what.wanted, what.entry, exponent);
    for (Set left = set & what.wanted;; left &= left - 1) {
        const Set candidate = left & (~left + 1);
        if (left == candidate) return draw_between(candidate, set, what.entry, random);
        const double without = entry(set & ~candidate, what.entry, exponent) - missing;
        const double all = entry(set, what.entry, exponent) - missing;
        if (!random.event(all > 0.0 ? std::clamp(without / all, 0.0, 1.0) : 0.0)) {
            return draw_between(candidate, set, what.entry, random);
        }
        set &= ~candidate;
    }
}

// The intervals start as the first of the wanted ones that is a parent; the heaviest one is divided
// by its next candidate until it is a single family.
double PlusOneSums::find_heaviest(const InsideDraw& what, InsideShares& heaviest,
                                  std::vector<Interval>& rest) const {
    const int exponent = exponents_[what.set];
    const auto lighter = [](const Interval& a, const Interval& b) { return a.weight < b.weight; };
    rest.clear();
    rest.reserve(most_at_first);
    double total = 0.0;
    const auto add = [&](Set included, Set set, double weight) {
        if (included == set) weight = family_in_units(set, what.entry, exponent);
        if (!(weight > 0.0)) return;
        rest.push_back({included, set, weight});
        std::push_heap(rest.begin(), rest.end(), lighter);
    };
    Set set = what.set;
    if (what.wanted == 0) {
        add(0, set, entry(set, what.entry, exponent));
    }
    for (Set left = set & what.wanted; left != 0; left &= left - 1) {
        const Set candidate = left & (~left + 1);
        add(candidate, set, between(candidate, set, what.entry, exponent));
        set &= ~candidate;
    }
    for (const Interval& each : rest) total += each.weight;
    double found = 0.0;
    heaviest.count = 0;
    while (!rest.empty() && heaviest.count < InsideShares::most && found < enough * total) {
        std::pop_heap(rest.begin(), rest.end(), lighter);
        const Interval top = rest.back();
        rest.pop_back();
        const Set open = top.set & ~top.included;
        if (open == 0) {
            heaviest.sets[heaviest.count] = top.set;
            heaviest.shares[heaviest.count++] = top.weight;
            found += top.weight;
        } else if (std::popcount(top.included) >= most_included) {
            Set more = 0;
            do {
                add(top.included | more, top.included | more, 0.0);
                more = (more - open) & open;
            } while (more != 0);
        } else {
            const Set candidate = open & (~open + 1);
            const double without =
                between(top.included, top.set & ~candidate, what.entry, exponent);
            add(top.included, top.set & ~candidate, without);
            add(top.included | candidate, top.set, top.weight - without);
        }
    }
    total = found;
    for (const Interval& each : rest) total += each.weight;
    for (std::size_t i = 0; i < heaviest.count; ++i) heaviest.shares[i] /= total;
    return total;
}

PlusOneSums::Set PlusOneSums::draw_beyond(const InsideDraw& what, Random& random) const {
    InsideShares heaviest;
    std::vector<Interval> rest;
    find_heaviest(what, heaviest, rest);
    // Rounding can leave a remainder after the last family; the last one then takes it.
    if (rest.empty()) return heaviest.count == 0 ? 0 : heaviest.sets[heaviest.count - 1];
    std::vector<double> weights;
    for (const Interval& each : rest) weights.push_back(each.weight);
    const Interval& drawn = rest[random.choose(weights)];
    return draw_between(drawn.included, drawn.set, what.entry, random);
}

PlusOneSums::Set PlusOneSums::draw_scripted(const InsideDraw& what, const InsideShares& heaviest,
                                            Random& random) const {
    std::vector<double> shares(heaviest.shares.begin(), heaviest.shares.begin() + heaviest.count);
    double left = 1.0;
    for (const double share : shares) left -= share;
    shares.push_back(std::max(0.0, left));
    const std::size_t drawn = random.choose(shares);
    return drawn < heaviest.count ? heaviest.sets[drawn] : draw_beyond(what, random);
}

// Room for the numbers of a row.
class PlusOneSums::RowNumbers {
  public:
    explicit RowNumbers(std::size_t length) : many_(length > few_.size() ? length : 0) {}
    double* data() { return many_.empty() ? few_.data() : many_.data(); }

  private:
    std::array<double, 256> few_;
    std::vector<double> many_;
};

double PlusOneSums::entry_weights(ParentBits allowed, ParentBits required, double* numbers) const {
    const Set set = inside_of(allowed);
    const Set wanted = required == nullptr ? 0 : inside_of(required) & set;
    const RowSums rows = sums_between(set, set & ~wanted, required == nullptr);
    if (!rows.digits) return 0.0;
    double whole = 0.0;
    double sum = 0.0;
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        const std::uint64_t met =
            required == nullptr ? ~std::uint64_t{0} : entries_of(required, chunk);
        std::uint64_t entries = entries_within(allowed, chunk);
        if (required != nullptr && wanted == 0) entries &= met;
        const std::size_t first = 64 * chunk;
        const RowParts parts =
            subtract_row(row(set) + first, row(rows.rest) + first, entries, entries & ~met,
                         rows.ratio, numbers + first, std::min<std::size_t>(64, length_ - first));
        whole += parts.whole;
        sum += parts.difference;
    }
    return sum > smallest_sum && sum > usual_share * whole ? sum : 0.0;
}

PlusOneSums::InsideDraw PlusOneSums::draw_outside(const RowSums& known, ParentBits allowed,
                                                  ParentBits required, Random& random) const {
    if (random.scripted()) {
        if (const auto drawn = draw_outside(allowed, required, random)) return *drawn;
    }
    double left = random.uniform() * known.met - without_outside(known, required);
    std::size_t found = 0;
    if (left >= 0.0) {
        std::size_t last = 0;
        found = find_entry(known, allowed, required, nullptr, false, left, last);
        if (found == 0) found = last;  // rounding can leave a remainder
    }
    return inside_draw(allowed, required, found);
}

std::size_t PlusOneSums::find_entry(const RowSums& known, ParentBits allowed, ParentBits required,
                                    ParentBits some, bool among, double& left,
                                    std::size_t& last) const {
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        const std::uint64_t met =
            required == nullptr ? ~std::uint64_t{0} : entries_of(required, chunk);
        std::uint64_t bits = entries_of(allowed, chunk);
        if (required != nullptr && known.set == known.rest) bits &= met;
        if (some != nullptr) {
            const std::uint64_t chosen = entries_of(some, chunk);
            bits &= among ? chosen : ~chosen;
        }
        for (; bits != 0; bits &= bits - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
            const double each = part(known, 64 * chunk + bit, (met >> bit & 1) != 0);
            left -= each;
            if (left < 0.0) return 64 * chunk + bit;
            if (each > 0.0) last = 64 * chunk + bit;
        }
    }
    return 0;
}

std::optional<PlusOneSums::InsideDraw> PlusOneSums::draw_outside(ParentBits allowed,
                                                                 ParentBits required,
                                                                 Random& random) const {
    if (rows_.empty()) refuse_without_sums();
    RowNumbers room(length_);
    double* numbers = room.data();
    const double sum = entry_weights(allowed, required, numbers);
    if (!(sum > 0.0)) return std::nullopt;
    return inside_draw(allowed, required, chosen_entry({numbers, length_}, sum, random));
}

PlusOneSums::InsideDraw PlusOneSums::inside_draw(ParentBits allowed, ParentBits required,
                                                 std::size_t at) const {
    const Set set = inside_of(allowed);
    const bool met = required == nullptr || (entries_of(required, at / 64) >> (at % 64) & 1) != 0;
    return {set, met ? 0 : inside_of(required) & set, static_cast<std::uint32_t>(at)};
}

std::int64_t PlusOneSums::draw(ParentBits allowed, ParentBits required, Random& random) const {
    const std::optional<InsideDraw> drawn = draw_outside(allowed, required, random);
    if (!drawn) return choose(allowed, required, random);
    return place(draw_inside(*drawn, random), drawn->entry);
}

std::int64_t PlusOneSums::choose(ParentBits allowed, ParentBits required, Random& random) const {
    std::vector<std::int64_t> places;
    std::vector<double> shares;
    double largest = minus_infinity;
    for_each(allowed, required, [&](std::int64_t at, double of_family) {
        places.push_back(at);
        shares.push_back(of_family);
        largest = std::max(largest, of_family);
    });
    if (places.empty()) return -1;
    for (double& share : shares) share = std::exp(share - largest);
    return places[random.choose(shares)];
}

void PlusOneSums::add_parent_probabilities(ParentBits allowed, ParentBits required, double factor,
                                           SumMemo& memo, double* by_place) const {
    const Set set = inside_of(allowed);
    const Set wanted = required == nullptr ? 0 : inside_of(required) & set;
    const double whole = required == nullptr ? log_sum(allowed) : log_sum(allowed, required, memo);
    if (whole == minus_infinity) return;
    const bool exactly =
        wide(set) || (required != nullptr && !(sum_meeting(allowed, required, usual_share) > 0.0));
    if (exactly) {
        std::vector<std::uint64_t> bits(words_);
        for_each(allowed, required, [&](std::int64_t at, double of_family) {
            const double probability = factor * std::exp(of_family - whole);
            std::fill(bits.begin(), bits.end(), 0);
            add_parents(at, bits.data());
            for_each_member(bits.data(), words_, [&](int v) { by_place[v] += probability; });
        });
        return;
    }
    // The errors of these differences are some 1e-16.
    const double sum = std::exp(whole - heaviest_ - log_of(1.0, exponents_[set]));
    const int exponent = exponents_[set];
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        const std::uint64_t met =
            required == nullptr ? ~std::uint64_t{0} : entries_of(required, chunk);
        for (std::uint64_t left = entries_of(allowed, chunk); left != 0; left &= left - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(left));
            const std::size_t at = 64 * chunk + bit;
            const double rest = (met >> bit & 1) != 0 ? 0.0 : entry(set & ~wanted, at, exponent);
            by_place[inside_ + at - 1] += factor * std::max(0.0, row(set)[at] - rest) / sum;
        }
    }
    std::vector<std::uint64_t> without(allowed, allowed + words_);
    for (Set left = set; left != 0; left &= left - 1) {
        const int parent = std::countr_zero(left);
        const std::uint64_t bit = std::uint64_t{1} << parent;
        without[0] ^= bit;
        const double rest =
            required == nullptr ? log_sum(without.data()) : log_sum(without.data(), required, memo);
        by_place[parent] -= factor * std::expm1(std::min(0.0, rest - whole));
        without[0] ^= bit;
    }
}

}  // namespace arcwise
