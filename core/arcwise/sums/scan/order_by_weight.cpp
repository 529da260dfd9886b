// A radix sort: six passes over digits of eleven bits, from the lowest digit to the highest.
//
// A comparison sort of 2^K weights looks each of them up about K times, at random places, which
// takes ten times as long as filling the table of their sums.
#include "arcwise/sums/scan/order_by_weight.hpp"

#include <array>
#include <bit>
#include <limits>

namespace arcwise {
namespace {

constexpr unsigned digit_bits = 11;
constexpr std::size_t digits = (64 + digit_bits - 1) / digit_bits;
constexpr std::size_t buckets = std::size_t{1} << digit_bits;

// An integer that falls as the weight rises: the bits of a double rise with its size, so those of a
// negative number are right as they are and those of a positive one are turned round.
std::uint64_t key_of(double weight) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(weight + 0.0);  // -0 becomes 0
    return (bits & sign) != 0 ? bits : ~bits & ~sign;
}

std::size_t digit_of(std::uint64_t key, std::size_t digit) {
    return key >> (digit * digit_bits) & (buckets - 1);
}

}  // namespace

std::vector<std::uint32_t> order_by_weight(std::span<const double> weights) {
    std::vector<std::uint64_t> keys(weights.size());
    std::vector<std::uint32_t> order;
    order.reserve(weights.size());
    std::vector<std::array<std::uint32_t, buckets>> counts(digits);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] == -std::numeric_limits<double>::infinity()) continue;
        keys[i] = key_of(weights[i]);
        order.push_back(static_cast<std::uint32_t>(i));
        for (std::size_t digit = 0; digit < digits; ++digit) {
            ++counts[digit][digit_of(keys[i], digit)];
        }
    }
    if (order.empty()) return order;
    std::vector<std::uint32_t> sorted(order.size());
    for (std::size_t digit = 0; digit < digits; ++digit) {
        std::array<std::uint32_t, buckets>& places = counts[digit];
        if (places[digit_of(keys[order.front()], digit)] == order.size()) continue;  // all alike
        std::uint32_t before = 0;
        for (std::uint32_t& place : places) {
            const std::uint32_t own = place;
            place = before;
            before += own;
        }
        for (const std::uint32_t index : order) {
            sorted[places[digit_of(keys[index], digit)]++] = index;
        }
        order.swap(sorted);
    }
    return order;
}

}  // namespace arcwise
