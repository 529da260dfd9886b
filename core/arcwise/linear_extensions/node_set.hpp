// Sets of up to 64 * Words nodes as bits; with one word they are as fast as the word itself.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

template <int Words>
class NodeSet {
  public:
    static NodeSet one(int v) {
        NodeSet set;
        set.words_[static_cast<std::size_t>(v >> 6)] = std::uint64_t{1} << (v & 63);
        return set;
    }

    // Nodes 0 to count - 1.
    static NodeSet first(int count) {
        NodeSet set;
        for (int w = 0; w < Words; ++w) {
            const int here = count - 64 * w;
            if (here <= 0) break;
            set.words_[static_cast<std::size_t>(w)] = first_bits(static_cast<std::size_t>(here));
        }
        return set;
    }

    NodeSet operator|(const NodeSet& other) const {
        return combined(other, [](std::uint64_t a, std::uint64_t b) { return a | b; });
    }
    NodeSet operator&(const NodeSet& other) const {
        return combined(other, [](std::uint64_t a, std::uint64_t b) { return a & b; });
    }
    NodeSet without(const NodeSet& other) const {
        return combined(other, [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
    }
    // Not as the array compares, which calls a function even for one word.
    bool operator==(const NodeSet& other) const {
        std::uint64_t apart = 0;
        for (std::size_t w = 0; w < Words; ++w) apart |= words_[w] ^ other.words_[w];
        return apart == 0;
    }
    bool comes_before(const NodeSet& other) const { return words_ < other.words_; }

    bool empty() const {
        std::uint64_t any = 0;
        for (const std::uint64_t word : words_) any |= word;
        return any == 0;
    }
    bool contains(int v) const {
        return (words_[static_cast<std::size_t>(v >> 6)] >> (v & 63) & 1) != 0;
    }
    bool meets(const NodeSet& other) const { return !(*this & other).empty(); }

    int size() const {
        int count = 0;
        for (const std::uint64_t word : words_) count += count_bits(word);
        return count;
    }

    // The smallest member; the set is not empty.
    int lowest() const {
        for (int w = 0; w < Words - 1; ++w) {
            if (words_[static_cast<std::size_t>(w)] != 0) {
                return 64 * w + std::countr_zero(words_[static_cast<std::size_t>(w)]);
            }
        }
        return 64 * (Words - 1) + std::countr_zero(words_[Words - 1]);
    }

    // The largest member; -1 where there is none.
    int highest() const {
        for (int w = Words - 1; w >= 0; --w) {
            const std::uint64_t word = words_[static_cast<std::size_t>(w)];
            if (word != 0) return 64 * w + 63 - std::countl_zero(word);
        }
        return -1;
    }

    // Calls visit(v) for each member, in ascending order.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (int w = 0; w < Words; ++w) {
            for (std::uint64_t left = words_[static_cast<std::size_t>(w)]; left != 0;
                 left &= left - 1) {
                visit(64 * w + std::countr_zero(left));
            }
        }
    }

    std::uint64_t hash() const {
        std::uint64_t mixed = 0;
        for (const std::uint64_t word : words_) {
            mixed = (mixed ^ word) * 0x9e3779b97f4a7c15u;
            mixed ^= mixed >> 32;
        }
        return mixed;
    }

  private:
    template <class Operation>
    NodeSet combined(const NodeSet& other, Operation operation) const {
        NodeSet result;
        for (std::size_t w = 0; w < Words; ++w) {
            result.words_[w] = operation(words_[w], other.words_[w]);
        }
        return result;
    }

    std::array<std::uint64_t, static_cast<std::size_t>(Words)> words_{};
};

// Calls visit with the number of words, as a constant, that sets of so many nodes are kept in.
template <class Visit>
void with_words_for(int nodes, Visit&& visit) {
    if (nodes <= 64) return visit(std::integral_constant<int, 1>{});
    if (nodes <= 128) return visit(std::integral_constant<int, 2>{});
    if (nodes <= 256) return visit(std::integral_constant<int, 4>{});
    if (nodes <= 1024) return visit(std::integral_constant<int, 16>{});
    throw Error(ErrorKind::capacity,
                "A component has " + std::to_string(nodes) +
                    " nodes; linear extensions of a component are counted for up to 1024.");
}

}  // namespace arcwise
