// Sets of small whole numbers (nodes, places, members) as bits: 64 to a word, as many words as it
// takes.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace arcwise {

// The words that a set of numbers below `count` takes.
template <std::integral Count>
constexpr std::size_t words_for(Count count) {
    return (static_cast<std::size_t>(count) + 63) / 64;
}

// Sums of bits in pairs, fours, eights; the product adds up the eights. Where the processor is not
// known to count bits, std::popcount is a call and much slower.
inline int count_bits(std::uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<int>(word * 0x0101010101010101u >> 56);
}

// The set of all numbers below `count`, which is at most 64.
constexpr std::uint64_t first_bits(std::size_t count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// A set that does not hold a number, without the place for it: those above move down by one.
template <std::unsigned_integral Set, std::integral Number>
constexpr Set squeeze_bit(Set set, Number number) {
    const Set below = static_cast<Set>((Set{1} << number) - 1);
    return (set & below) | (set >> 1 & ~below);
}

// The way back: those from a number on move up by one, and the set does not hold it.
template <std::unsigned_integral Set, std::integral Number>
constexpr Set insert_bit(Set set, Number number) {
    const Set below = static_cast<Set>((Set{1} << number) - 1);
    return (set & below) | static_cast<Set>((set & ~below) << 1);
}

// Calls visit(number) for every member of a set, ascending.
template <class Visit>
void for_each_member(const std::uint64_t* set, std::size_t words, Visit&& visit) {
    for (std::size_t word = 0; word < words; ++word) {
        for (std::uint64_t left = set[word]; left != 0; left &= left - 1) {
            visit(static_cast<int>(word * 64) + std::countr_zero(left));
        }
    }
}

template <std::integral Number>
bool has_member(const std::uint64_t* set, Number number) {
    return (set[static_cast<std::size_t>(number) / 64] >> (number % 64) & 1) != 0;
}
template <std::integral Number>
void put_member(std::uint64_t* set, Number number) {
    set[static_cast<std::size_t>(number) / 64] |= std::uint64_t{1} << (number % 64);
}
template <std::integral Number>
void remove_member(std::uint64_t* set, Number number) {
    set[static_cast<std::size_t>(number) / 64] &= ~(std::uint64_t{1} << (number % 64));
}
template <std::integral Number>
void flip_member(std::uint64_t* set, Number number) {
    set[static_cast<std::size_t>(number) / 64] ^= std::uint64_t{1} << (number % 64);
}

inline std::size_t count_members(const std::uint64_t* set, std::size_t words) {
    std::size_t count = 0;
    for (std::size_t word = 0; word < words; ++word) {
        count += static_cast<std::size_t>(count_bits(set[word]));
    }
    return count;
}

// The member that comes `index`-th, ascending.
inline int member_at(const std::uint64_t* set, std::size_t index) {
    for (std::size_t word = 0;; ++word) {
        const auto here = static_cast<std::size_t>(count_bits(set[word]));
        if (index >= here) {
            index -= here;
            continue;
        }
        std::uint64_t left = set[word];
        for (; index > 0; --index) left &= left - 1;
        return static_cast<int>(word * 64) + std::countr_zero(left);
    }
}

}  // namespace arcwise
