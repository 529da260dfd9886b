// Families drawn from the rows, and how probable each parent is.
//
// A draw takes the outside parent first, by the row, and then the inside ones one after the other:
// the weight of the families without c among those between L and U (L within A within U) is had
// from the rows by inclusion and exclusion over L, sum over X within L of (-1)^|X| F(U - c - X).
// Differences lose digits where their result is a small share of F(U); but a draw gets there only
// with that share as its probability, so that the law of what is drawn is off by a few 1e-16.
#include <algorithm>
#include <bit>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/rows/plus_one_rows.hpp"
#include "arcwise/sums/rows/plus_one_sums.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// Inclusion and exclusion over this many parents take 2^5 look-ups; beyond, the families left are
// gone through.
constexpr int most_included = 5;

}  // namespace

double PlusOneSums::entry(Set set, std::size_t at, int exponent) const {
    if (wide(set)) return std::exp(wide_row(set)[at] - log_of(1.0, exponent));
    return times_power_of_two(row(set)[at], exponents_[set] - exponent);
}

double PlusOneSums::between(Set included, Set set, std::size_t at, int exponent) const {
    double sum = 0.0;
    Set left_out = 0;
    do {
        const double each = entry(set & ~left_out, at, exponent);
        sum += std::popcount(left_out) % 2 == 0 ? each : -each;
        left_out = (left_out - included) & included;
    } while (left_out != 0);
    return std::max(0.0, sum);
}

PlusOneSums::Set PlusOneSums::draw_inside(Set set, Set included, std::size_t at,
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
        if (random.uniform() * weight < without) {
            set &= ~candidate;
            weight = without;
        } else {
            included |= candidate;
            weight -= without;
        }
    }
    return included;
}

// The first of the wanted ones that is a parent, then the others.
PlusOneSums::Set PlusOneSums::draw_inside_meeting(Set set, Set wanted, std::size_t at,
                                                  Random& random) const {
    const int exponent = exponents_[set];
    const double missing = entry(set & ~wanted, at, exponent);
    for (Set left = set & wanted;; left &= left - 1) {
        const Set candidate = left & (~left + 1);
        if (left == candidate) return draw_inside(set, candidate, at, random);
        const double without = entry(set & ~candidate, at, exponent);
        const double all = entry(set, at, exponent) - missing;
        if (random.uniform() * all >= without - missing) {
            return draw_inside(set, candidate, at, random);
        }
        set &= ~candidate;
    }
}

std::int64_t PlusOneSums::draw(ParentBits allowed, Random& random) const {
    if (rows_.empty()) refuse_without_sums();
    const Set set = inside_of(allowed);
    if (random.scripted() || wide(set)) return choose(allowed, nullptr, random);
    const double* numbers = row(set);
    double left = random.uniform() *
                  sum_of(set, [&](std::size_t chunk) { return entries_within(allowed, chunk); });
    // Rounding can leave a remainder after the last entry; the last one then takes it.
    std::int64_t found = -1;
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        for (std::uint64_t bits = entries_within(allowed, chunk); bits != 0; bits &= bits - 1) {
            const std::size_t at = 64 * chunk + static_cast<std::size_t>(std::countr_zero(bits));
            if (numbers[at] == 0.0) continue;
            found = static_cast<std::int64_t>(at);
            left -= numbers[at];
            if (left < 0.0) return place(draw_inside(set, 0, at, random), at);
        }
    }
    if (found < 0) return -1;
    const auto at = static_cast<std::size_t>(found);
    return place(draw_inside(set, 0, at, random), at);
}

std::int64_t PlusOneSums::draw(ParentBits allowed, ParentBits required, Random& random) const {
    if (rows_.empty()) refuse_without_sums();
    const Set set = inside_of(allowed);
    const Set wanted = inside_of(required) & set;
    if (random.scripted() || wide(set)) return choose(allowed, required, random);
    const double sum = sum_meeting(allowed, required, usual_share);
    if (!(sum > 0.0)) return choose(allowed, required, random);
    const int exponent = exponents_[set];
    double left = random.uniform() * sum;
    std::int64_t found = -1;
    bool meets = false;
    const auto drawn = [&] {
        const auto at = static_cast<std::size_t>(found);
        return place(
            meets ? draw_inside(set, 0, at, random) : draw_inside_meeting(set, wanted, at, random),
            at);
    };
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        const std::uint64_t met = entries_of(required, chunk);
        std::uint64_t bits = entries_within(allowed, chunk);
        if (wanted == 0) bits &= met;
        for (; bits != 0; bits &= bits - 1) {
            const std::size_t at = 64 * chunk + static_cast<std::size_t>(std::countr_zero(bits));
            const bool enough = (met >> (at % 64) & 1) != 0;
            const double each =
                enough ? row(set)[at] : row(set)[at] - entry(set & ~wanted, at, exponent);
            if (!(each > 0.0)) continue;
            found = static_cast<std::int64_t>(at);
            meets = enough;
            left -= each;
            if (left < 0.0) return drawn();
        }
    }
    return found < 0 ? choose(allowed, required, random) : drawn();
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
    // Errors of these differences are some 1e-16 of 1.
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
