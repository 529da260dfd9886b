// The score sums of nodes that need a parent in the part before them, remembered.
//
// A chain comes back to the same sets again and again, and a look-up here is cheaper than one in a
// large table, let alone a sum over families. A sum is a function of the node and its sets alone:
// neither to remember it nor to forget it changes a result.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

// What a partition allows a node, as bits of its possible parents: first those in earlier parts,
// then as many words with those in the part right before, of which it needs one. A node of the
// first part has neither.
using PartSets = const std::uint64_t*;

class PartSums {
  public:
    explicit PartSums(const ScoreSums& sums, std::size_t most_entries = std::size_t{1} << 16)
        : sums_(sums), words_(sums.words()), most_entries_(most_entries) {
        Random random(0x9a275e75, 0);
        for (std::size_t i = 0; i < key_words(); ++i) multipliers_.push_back(random.bits() | 1);
        resize(std::min(most_entries_, std::size_t{1} << 8));
    }

    // ln of the summed weights of the node's families within its sets; where the second one is
    // empty, no parent is needed.
    double operator()(int node, PartSets sets) {
        std::uint64_t* entry = entry_of(node, sets);
        if (holds(entry, node, sets)) return std::bit_cast<double>(entry[0]);
        if (++added_ > entries() && entries() < most_entries_) {
            grow();
            entry = entry_of(node, sets);
        }
        const double sum = needs_parent(sets) ? sums_[node].log_sum(sets, sets + words_, memo_)
                                              : sums_[node].log_sum(sets);
        entry[0] = std::bit_cast<std::uint64_t>(sum);
        entry[1] = static_cast<std::uint64_t>(node);
        std::copy_n(sets, 2 * words_, entry + 2);
        return sum;
    }

    // A family in proportion to its weight, as its place; -1 if there is none.
    std::int64_t draw(int node, PartSets sets, Random& random) {
        return needs_parent(sets) ? sums_[node].draw(sets, sets + words_, memo_, random)
                                  : sums_[node].draw(sets, random);
    }

    bool needs_parent(PartSets sets) const {
        std::uint64_t any = 0;
        for (std::size_t word = words_; word < 2 * words_; ++word) any |= sets[word];
        return any != 0;
    }

    std::size_t entries() const { return table_.size() / stride(); }

  private:
    // An entry is the sum, the node and its sets; each sum has one place where it can be.
    static constexpr std::uint64_t no_node = ~std::uint64_t{0};
    std::size_t key_words() const { return 2 * words_ + 1; }
    std::size_t stride() const { return key_words() + 1; }

    bool holds(const std::uint64_t* entry, int node, PartSets sets) const {
        std::uint64_t differing = entry[1] ^ static_cast<std::uint64_t>(node);
        for (std::size_t i = 0; i < 2 * words_; ++i) differing |= entry[2 + i] ^ sets[i];
        return differing == 0;
    }

    std::uint64_t* entry_of(int node, PartSets sets) {
        std::uint64_t hash = multipliers_[0] * static_cast<std::uint64_t>(node);
        for (std::size_t i = 0; i < 2 * words_; ++i) hash += multipliers_[1 + i] * sets[i];
        return table_.data() + (hash >> shift_) * stride();
    }

    void resize(std::size_t count) {
        shift_ = 64 - std::countr_zero(count);
        table_.assign(count * stride(), no_node);
        added_ = 0;
    }

    void grow() {
        const std::vector<std::uint64_t> old = std::move(table_);
        resize(std::min(most_entries_, 4 * (old.size() / stride())));
        for (std::size_t i = 0; i < old.size(); i += stride()) {
            if (old[i + 1] == no_node) continue;
            std::copy_n(old.data() + i, stride(),
                        entry_of(static_cast<int>(old[i + 1]), old.data() + i + 2));
        }
    }

    const ScoreSums& sums_;
    std::size_t words_;
    std::size_t most_entries_;  // a power of two
    std::vector<std::uint64_t> multipliers_;
    int shift_ = 0;
    std::vector<std::uint64_t> table_;
    std::size_t added_ = 0;
    SumMemo memo_;
};

}  // namespace arcwise
