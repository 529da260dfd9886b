// For each node what makes its sums by layers fast, shared by all states of a space.
#pragma once

#include <optional>
#include <vector>

#include "arcwise/sums/layers/family_trie.hpp"
#include "arcwise/sums/layers/holder_table.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class LayerFamilies {
  public:
    explicit LayerFamilies(const ScoreSums& sums) {
        constexpr std::size_t most_numbers = std::size_t{1} << 25;  // 256 MiB for all nodes
        for (int node = 0; node < sums.nodes(); ++node) {
            tables_.emplace_back();
            tries_.emplace_back();
            const NodeSums& own = sums[node];
            const std::size_t candidates = candidates_of(own);
            const bool fits =
                candidates > 0 && HolderTable::size(candidates) <=
                                      most_numbers / static_cast<std::size_t>(sums.nodes());
            if (own.tabulated() && fits) {
                tables_.back().emplace(own);
            } else {
                tries_.back() = FamilyTrie::of(own, sums.possible_parents(node).size());
            }
        }
    }

    // Null where a node has none.
    const HolderTable* table(int node) const { return get(tables_, node); }
    const FamilyTrie* trie(int node) const { return get(tries_, node); }

  private:
    static std::size_t candidates_of(const NodeSums& sums) {
        return sums.tabulated() ? static_cast<std::size_t>(std::countr_zero(sums.table().size()))
                                : 0;
    }
    template <class Value>
    static const Value* get(const std::vector<std::optional<Value>>& values, int node) {
        const auto& value = values[static_cast<std::size_t>(node)];
        return value ? &*value : nullptr;
    }

    std::vector<std::optional<HolderTable>> tables_;
    std::vector<std::optional<FamilyTrie>> tries_;
};

}  // namespace arcwise
