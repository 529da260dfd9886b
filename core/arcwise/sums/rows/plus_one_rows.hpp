// What sums, draws and probabilities share: rows of score sums under a mask of outside parents.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "arcwise/numerics/lanes.hpp"
#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/rows/plus_one_sums.hpp"

namespace arcwise {

// The sum of the row's entries whose bits are set.
double masked_sum(const double* row, const std::uint64_t* entries, std::size_t chunks);

// The largest of them, minus infinity if there is none.
double masked_max(const double* row, const std::uint64_t* entries, std::size_t chunks);

// numbers[i] = row[i] for the entries whose bits are set, less rest[i] times the factor for those
// whose bits are in `less`, and not below zero; zero for all others up to `count`, a multiple of
// eight. Returns the sums of the row and of the differences over the entries.
struct RowParts {
    double whole;
    double difference;
};
RowParts subtract_row(const double* row, const double* rest, std::uint64_t entries,
                      std::uint64_t less, double factor, double* numbers, std::size_t count);

// The same sums without the numbers.
RowParts sum_differences(const double* row, const double* rest, std::uint64_t entries,
                         std::uint64_t less, double factor);

// 2^exponent for -1022 <= exponent <= 1023.
inline double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// Two factors that make a power of two, for one beyond the range of numbers.
struct TwoFactors {
    explicit TwoFactors(int exponent) {
        exponent = std::clamp(exponent, -2044, 2046);
        first = power_of_two(exponent / 2);
        second = power_of_two(exponent - exponent / 2);
    }
    double first;
    double second;
};

// x 2^exponent. Rows of one node differ by less than the square of what a number can hold, or are
// kept as logarithms; what is smaller than any number becomes zero.
inline double times_power_of_two(double x, int exponent) {
    if (exponent >= -1022 && exponent <= 1023) return x * power_of_two(exponent);
    const TwoFactors factors(exponent);
    return x * factors.first * factors.second;
}

// ln 2^exponent.
inline double log_of_power(int exponent) {
    const auto times = static_cast<double>(exponent);
    return times * ln2_high + times * ln2_low;
}

// ln(x 2^exponent).
inline double log_of(double x, int exponent) {
    const auto times = static_cast<double>(exponent);
    return times * ln2_high + (std::log(x) + times * ln2_low);
}

// Folds the row's entries. Long rows are folded piece by piece.
template <class Entries, class Fold, class Join>
double PlusOneSums::folded(const double* row, Entries entries, Fold fold, Join join) const {
    constexpr std::size_t few = 4;
    std::array<std::uint64_t, few> bits;
    double result = 0.0;
    for (std::size_t first = 0; first < chunks_; first += few) {
        const std::size_t count = std::min(few, chunks_ - first);
        for (std::size_t i = 0; i < count; ++i) bits[i] = entries(first + i);
        const double piece = fold(row + 64 * first, bits.data(), count);
        result = first == 0 ? piece : join(result, piece);
    }
    return result;
}

template <class Entries>
double PlusOneSums::sum_of(Set set, Entries entries) const {
    return folded(row(set), entries, masked_sum, [](double a, double b) { return a + b; });
}

template <class Entries>
double PlusOneSums::log_sum_of(Set set, Entries entries) const {
    if (!wide(set)) {
        const double sum = sum_of(set, entries);
        return sum > 0.0 ? log_of(sum, exponents_[set]) : minus_infinity;
    }
    const double* logs = wide_row(set);
    double largest = minus_infinity;
    double sum = 0.0;
    for (const bool adding : {false, true}) {
        for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
            for (std::uint64_t left = entries(chunk); left != 0; left &= left - 1) {
                const double each =
                    logs[64 * chunk + static_cast<std::size_t>(std::countr_zero(left))];
                if (adding) {
                    if (each - largest > -farthest) sum += std::exp(each - largest);
                } else {
                    largest = std::max(largest, each);
                }
            }
        }
        if (largest == minus_infinity) return minus_infinity;
    }
    return largest + std::log(sum);
}

template <class Entries>
double PlusOneSums::sum_in_units(Set set, Entries entries, int exponent) const {
    if (wide(set)) return std::exp(log_sum_of(set, entries) - log_of(1.0, exponent));
    return times_power_of_two(sum_of(set, entries), exponents_[set] - exponent);
}

}  // namespace arcwise
