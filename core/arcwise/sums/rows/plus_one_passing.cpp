// The sums of a node's families as parents come to be possible, or required, one after the other.
//
// Where a parent is an outside one, all that changes is one entry of a row; where it is an inside
// one, another row takes the place of the first. Sums that are known are only ever one such change
// away from what was added up, so errors do not build up; and where a difference would lose too
// many digits, nothing is said.
#include <algorithm>
#include <bit>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/rows/plus_one_rows.hpp"
#include "arcwise/sums/rows/plus_one_sums.hpp"

namespace arcwise {

// Sums that are known to be within two rows, and no more of them; without digits where one of the
// rows is kept as logarithms.
PlusOneSums::RowSums PlusOneSums::sums_between(Set set, Set rest, bool all_met) const {
    RowSums sums{.set = set, .rest = rest};
    if (wide(set) || wide(rest)) return sums;
    const int exponent = exponents_[rest] - exponents_[set];
    if (exponent > 1000) return sums;
    // What is smaller than any number is nothing beside a sum that is not.
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

bool PlusOneSums::pass_outside(const RowSums& now, std::size_t entry, Role role,
                               RoleSums& sums) const {
    using enum Role;
    const double holding = row(now.set)[entry];
    const double meeting = part(now, entry, false);
    double highest = now.whole;
    sums.unit_absent = now.unit;
    sums.unit_present = now.unit;
    sums.numbers[sole] = holding;
    // The sum for the present role stays as it is known, and the others differ from it.
    sums.numbers[role] = now.met;
    if (role == absent) {
        sums.numbers[allowed] = now.met + meeting;
        sums.numbers[sufficient] = now.met + holding;
        highest += holding;
    } else if (role == allowed) {
        sums.numbers[absent] = now.met - meeting;
        sums.numbers[sufficient] = now.met + (holding - meeting);
    } else {
        sums.numbers[absent] = now.met - holding;
        sums.numbers[allowed] = now.met - (holding - meeting);
    }
    const double least = role == absent ? sums.numbers[allowed] : sums.numbers[absent];
    return holding > smallest_sum && least > smallest_sum && least > usual_share * highest;
}

bool PlusOneSums::pass_inside(const RowSums& without, const RowSums& with, RoleSums& sums) const {
    using enum Role;
    if (!without.digits || !with.digits) return false;
    const int change = exponents_[without.set] - exponents_[with.set];
    const double holding = with.whole - times_power_of_two(without.whole, change);
    sums.unit_absent = without.unit;
    sums.unit_present = with.unit;
    sums.numbers[absent] = without.met;
    sums.numbers[allowed] = with.met;
    sums.numbers[sufficient] = times_power_of_two(without.met, change) + holding;
    sums.numbers[sole] = holding;
    return holding > smallest_sum && holding > usual_share * with.whole;
}

bool PlusOneSums::growing_sums(const std::uint64_t* sets, std::size_t stride, std::size_t count,
                               double* numbers, double* units) const {
    RowSums sums = sums_between(0, 0, true);
    if (!sums.digits) return false;
    numbers[0] = row(0)[0];
    units[0] = sums.unit;
    for (std::size_t i = 1; i < count; ++i) {
        const ParentBits allowed = sets + i * stride;
        const ParentBits required = allowed + stride / 2;
        bool any = false;
        if (inside_of(required) != 0) {
            sums = row_sums(allowed, required);
            if (!sums.digits) return false;
            numbers[i] = sums.met;
            any = true;
        } else {
            // Whatever has one of the required parents is in their entries.
            numbers[i] = 0.0;
            for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
                for (std::uint64_t left = entries_of(required, chunk); left != 0;
                     left &= left - 1) {
                    const auto bit = static_cast<std::size_t>(std::countr_zero(left));
                    numbers[i] += row(sums.set)[64 * chunk + bit];
                    any = true;
                }
            }
        }
        if (any && !(numbers[i] > smallest_sum)) return false;
        units[i] = sums.unit;
    }
    return numbers[0] == 0.0 || numbers[0] > smallest_sum;
}

}  // namespace arcwise
