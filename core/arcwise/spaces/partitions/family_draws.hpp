// Draws of families, with the heaviest ones within each set remembered.
//
// A scan by falling weight passes by many families that the sets exclude before it comes to one
// that may be drawn. A chain draws from the same sets again and again, mostly one of the heaviest.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arcwise/spaces/partitions/parts.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class FamilyDraws {
  public:
    explicit FamilyDraws(const ScoreSums& sums)
        : sums_(sums), words_(sums.words()), entries_(std::size_t{1} << entry_bits) {}

    // A family of the node within its sets in proportion to its weight, as its place; `log_sum` is
    // that of all such families, and there is one.
    std::int64_t draw(int node, PartSets sets, double log_sum, Random& random) {
        const NodeSums& of_node = sums_[node];
        const bool one_word = of_node.tabulated() && of_node.words() == 1;
        if (!one_word || random.scripted()) return draw_by_sums(node, sets, random);
        const Key key{static_cast<std::uint64_t>(node), sets[0], sets[words_]};
        Entry& entry = entries_[key.hash() >> (64 - entry_bits)];
        if (!(entry.key == key)) fill(entry, key, of_node.families(), log_sum);
        double left = random.uniform();
        for (std::size_t i = 0; i < entry.count; ++i) {
            left -= entry.shares[i];
            if (left < 0.0) return entry.places[i];
        }
        return draw_further(entry, of_node.families(), log_sum, left);
    }

  private:
    static constexpr int entry_bits = 12;
    static constexpr std::size_t most_kept = 5;
    static constexpr double enough = 0.999;  // of the shares

    struct Key {
        std::uint64_t node = ~std::uint64_t{0};
        std::uint64_t allowed = 0;
        std::uint64_t needed = 0;

        bool operator==(const Key&) const = default;
        std::uint64_t hash() const {
            return node * 0x9E3779B97F4A7C15ULL + allowed * 0xD2E7470EE14C6C93ULL +
                   needed * 0xCA5A826395121157ULL;
        }
        bool admits(std::uint64_t parents) const {
            return (parents & ~allowed) == 0 && (needed == 0 || (parents & needed) != 0);
        }
    };
    struct Entry {
        Key key;
        std::uint32_t count = 0;
        std::array<std::uint32_t, most_kept> places{};
        std::array<double, most_kept> shares{};
    };

    std::int64_t draw_by_sums(int node, PartSets sets, Random& random);
    static void fill(Entry& entry, const Key& key, const SortedFamilies& families, double log_sum);
    static std::int64_t draw_further(const Entry& entry, const SortedFamilies& families,
                                     double log_sum, double left);

    const ScoreSums& sums_;
    std::size_t words_;
    std::vector<Entry> entries_;
    SumMemo memo_;
};

}  // namespace arcwise
