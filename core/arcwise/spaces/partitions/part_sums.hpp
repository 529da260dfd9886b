// The weights of nodes that need a parent in the part before them, remembered.
//
// A chain comes back to the same sets again and again, and a look-up here is cheaper than one in a
// large table, let alone a sum over families. A sum is a function of the node and its sets alone:
// neither to remember it nor to forget it changes a result.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/spaces/partitions/parts.hpp"
#include "arcwise/support/compiler.hpp"

namespace arcwise {

class PartSums {
  public:
    // `most_entries` is a power of two.
    explicit PartSums(const NodeWeights& weights, std::size_t most_entries = std::size_t{1} << 15);

    // ln of the summed weights of the node's families within its sets; where the second one is
    // empty, no parent is needed.
    double log_sum(int node, PartSets sets) {
        const std::uint64_t* entry = entry_of(node, sets);
        return holds(entry, node, sets) ? std::bit_cast<double>(entry[0]) : add(node, sets);
    }

    // The same for many at a time, so that none waits for the memory of another: each weight is
    // there after `answer`, and its sets must stay until then. Only a node of the first part can do
    // without a parent.
    void ask(int node, PartSets sets, bool first, LogWeight& weight) {
        if (first || needs_parent(sets, words_)) {
            std::uint64_t* entry = entry_of(node, sets);
            prefetch(entry);
            questions_.push_back({node, sets, entry, &weight});
        } else {
            weight = {weights_.stand_in(node), 1};
        }
    }
    void answer();

    std::size_t entries() const { return table_.size() / stride(); }

  private:
    // An entry is the sum, the node and its sets; each sum has one place where it can be.
    static constexpr std::uint64_t no_node = ~std::uint64_t{0};
    std::size_t stride() const { return 2 * words_ + 2; }

    bool holds(const std::uint64_t* entry, int node, PartSets sets) const {
        std::uint64_t differing = entry[1] ^ static_cast<std::uint64_t>(node);
        if (words_ == 1) return (differing | (entry[2] ^ sets[0]) | (entry[3] ^ sets[1])) == 0;
        for (std::size_t i = 0; i < 2 * words_; ++i) differing |= entry[2 + i] ^ sets[i];
        return differing == 0;
    }

    std::uint64_t* entry_of(int node, PartSets sets) {
        const std::uint64_t* multipliers = multipliers_.data();
        std::uint64_t hash = multipliers[0] * static_cast<std::uint64_t>(node);
        if (words_ == 1) {
            hash += multipliers[1] * sets[0] + multipliers[2] * sets[1];
            return table_.data() + (hash >> shift_) * 4;
        }
        for (std::size_t i = 0; i < 2 * words_; ++i) hash += multipliers[1 + i] * sets[i];
        return table_.data() + (hash >> shift_) * stride();
    }

    // Adds up what is not there, and remembers it.
    double add(int node, PartSets sets);
    void resize(std::size_t count);
    void grow();

    void set(LogWeight& weight, int node, double sum) const {
        const bool possible = sum > minus_infinity;
        weight = possible ? LogWeight{sum, 0} : LogWeight{weights_.stand_in(node), 1};
    }

    const NodeWeights& weights_;
    std::size_t words_;
    std::size_t most_entries_;
    std::vector<std::uint64_t> multipliers_;
    int shift_ = 0;
    std::vector<std::uint64_t> table_;
    std::size_t added_ = 0;
    SumMemo memo_;

    struct Question {
        int node;
        PartSets sets;
        std::uint64_t* entry;
        LogWeight* weight;
    };
    std::vector<Question> questions_;
};

}  // namespace arcwise
