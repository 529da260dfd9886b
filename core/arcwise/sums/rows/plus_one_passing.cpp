// The sums of a node's families as one more parent comes to be possible.
//
// Where the parent is an outside one, all that changes is one entry of the row; where it is an
// inside one, another row takes the place of the first.
#include <algorithm>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/rows/plus_one_rows.hpp"
#include "arcwise/sums/rows/plus_one_sums.hpp"

namespace arcwise {

PlusOneSums::MetSums PlusOneSums::met_sums(Set set, ParentBits allowed, ParentBits required) const {
    const Set wanted = required == nullptr ? 0 : inside_of(required) & set;
    const Set rest = set & ~wanted;
    if (wide(set) || wide(rest)) return {};
    const TwoFactors factors(exponents_[rest] - exponents_[set]);
    MetSums sums;
    bool any = required == nullptr || wanted != 0;
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        const std::uint64_t entries = entries_within(allowed, chunk);
        const std::uint64_t met =
            required == nullptr ? ~std::uint64_t{0} : entries_of(required, chunk);
        any = any || (entries & met) != 0;
        const RowParts parts =
            sum_differences(row(set) + 64 * chunk, row(rest) + 64 * chunk, entries, entries & ~met,
                            factors.first, factors.second);
        sums.whole += parts.whole;
        sums.met += parts.difference;
    }
    if (!any) sums.met = 0.0;
    sums.digits = !any || (sums.met > smallest_sum && sums.met > usual_share * sums.whole);
    return sums;
}

PlusOneSums::PlainSum PlusOneSums::plain_sum(ParentBits allowed) const {
    const Set set = inside_of(allowed);
    if (wide(set)) return {.number = 1.0, .unit = log_sum(allowed)};
    const double sum =
        sum_of(set, [&](std::size_t chunk) { return entries_within(allowed, chunk); });
    return {.number = sum, .unit = heaviest_ + log_of_power(exponents_[set])};
}

bool PlusOneSums::pass(ParentBits allowed, ParentBits required, std::size_t parent,
                       PassedSums& sums) const {
    const Set set = inside_of(allowed);
    const MetSums now = met_sums(set, allowed, required);
    if (!now.digits) return false;
    const int exponent = exponents_[set];
    sums.unit = heaviest_ + log_of_power(exponent);
    sums.without = now.met;
    if (parent >= inside_) {
        const std::size_t at = parent - inside_ + 1;
        const Set rest = required == nullptr ? 0 : set & ~inside_of(required);
        const double all = row(set)[at];
        const double others = required == nullptr ? 0.0 : entry(rest, at, exponent);
        sums.unit_with = sums.unit;
        sums.alone = all;
        sums.with = now.met + std::max(0.0, all - others);
        sums.either = now.met + all;
        return all > smallest_sum;
    }
    const Set with = set | Set{1} << parent;
    const MetSums then = met_sums(with, allowed, required);
    if (!then.digits) return false;
    const int change = exponent - exponents_[with];
    sums.unit_with = heaviest_ + log_of_power(exponents_[with]);
    sums.with = then.met;
    sums.alone = then.whole - times_power_of_two(now.whole, change);
    sums.either = times_power_of_two(now.met, change) + sums.alone;
    return sums.alone > smallest_sum && sums.alone > usual_share * then.whole;
}

}  // namespace arcwise
