// Sums by rows as one parent changes its role.
//
// Where the parent is an outside one, one entry of a row changes; where it is an inside one,
// another row takes the place of the first. Sums that are known are only ever one such change away
// from what was added up, so errors do not build up.
#include "arcwise/sums/incremental_sums.hpp"

#include <bit>

#include "arcwise/sums/rows/plus_one_rows.hpp"

namespace arcwise {

IncrementalSums::IncrementalSums(const NodeSums& sums, Semiring semiring)
    : sums_(&sums), by_(semiring == Semiring::sum ? By::sums : By::maxima) {
    const bool summed = semiring == Semiring::sum;
    const Stored<double>& table = summed ? sums.sums_ : sums.maxima_;
    if (!table.empty() && sums.words() == 1) {
        by_ = By::table;
        table_ = table.data();
        mask_ = static_cast<std::uint32_t>(table.size() - 1);
        required_ = sums.required_bits()[0];
        if (summed) heaviest_ = sums.heaviest_;
    } else if (summed && sums.by_rows() && sums.required_count_ == 0) {
        by_ = By::rows;
        rows_ = &*sums.rows_;
    }
}

bool IncrementalSums::pass_outside(const Known& now, std::uint32_t entry, Role role,
                                   RoleSums& sums) const {
    using enum Role;
    const auto [holding, meeting] = holders(now, entry);
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
    return has_digits(holding) && has_digits(least, highest);
}

bool IncrementalSums::pass_inside(const Known& without, const Known& with, RoleSums& sums) const {
    using enum Role;
    if (!without.digits || !with.digits) return false;
    const int change = rows_->exponents_[without.set] - rows_->exponents_[with.set];
    const double holding = with.whole - times_power_of_two(without.whole, change);
    sums.unit_absent = without.unit;
    sums.unit_present = with.unit;
    sums.numbers[absent] = without.met;
    sums.numbers[allowed] = with.met;
    sums.numbers[sufficient] = times_power_of_two(without.met, change) + holding;
    sums.numbers[sole] = holding;
    return has_digits(holding, with.whole);
}

bool IncrementalSums::growing_sums(const std::uint64_t* sets, std::size_t stride, std::size_t count,
                                   double* numbers, double* units) const {
    if (!by_rows()) return false;
    Known sums = rows_->sums_between(0, 0, true);
    if (!sums.digits) return false;
    numbers[0] = rows_->row(0)[0];
    units[0] = sums.unit;
    for (std::size_t i = 1; i < count; ++i) {
        const ParentBits allowed = sets + i * stride;
        const ParentBits required = allowed + stride / 2;
        bool any = false;
        if (rows_->inside_of(required) != 0) {
            sums = rows_->row_sums(allowed, required);
            if (!sums.digits) return false;
            numbers[i] = sums.met;
            any = true;
        } else {
            // The families with one of the required parents are in the entries of these.
            numbers[i] = 0.0;
            for (std::size_t chunk = 0; chunk < rows_->chunks_; ++chunk) {
                for (std::uint64_t left = rows_->entries_of(required, chunk); left != 0;
                     left &= left - 1) {
                    const auto bit = static_cast<std::size_t>(std::countr_zero(left));
                    numbers[i] += rows_->row(sums.set)[64 * chunk + bit];
                    any = true;
                }
            }
        }
        if (any && !has_digits(numbers[i])) return false;
        units[i] = sums.unit;
    }
    return numbers[0] == 0.0 || has_digits(numbers[0]);
}

}  // namespace arcwise
