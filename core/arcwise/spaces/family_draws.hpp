// Draws of families, with the heaviest ones within each set remembered.
//
// A scan by falling weight passes by many families that the sets exclude before it comes to one
// that may be drawn, and a draw from rows takes a sum for each candidate. A chain draws from the
// same sets again and again, mostly one of the heaviest. What is remembered is a function of the
// sets alone: neither to remember nor to forget it changes a draw.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class FamilyDraws {
  public:
    explicit FamilyDraws(const ScoreSums& sums);

    // A family of the node within `allowed` that meets `required` (null: any) in proportion to its
    // weight, as its place; `log_sum` is that of all such families, and there is one.
    std::int64_t draw(int node, ParentBits allowed, ParentBits required, double log_sum,
                      Random& random) {
        const NodeSums& of_node = sums_[node];
        if (of_node.rows() != nullptr) return draw_by_rows(node, allowed, required, random);
        const bool one_word = of_node.tabulated() && of_node.words() == 1;
        if (!one_word || random.scripted()) return draw_by_sums(node, allowed, required, random);
        const Key key{static_cast<std::uint64_t>(node), allowed[0],
                      required == nullptr ? 0 : required[0]};
        Entry& entry = entries_[key.hash() >> (64 - entry_bits)];
        if (!(entry.key == key)) fill(entry, key, of_node.families(), log_sum);
        double left = random.uniform();
        for (std::size_t i = 0; i < entry.count; ++i) {
            left -= entry.shares[i];
            if (left < 0.0) return entry.places[i];
        }
        return draw_further(entry, of_node.families(), log_sum, left);
    }

    // The same from rows whose sums are known, if they have digits.
    std::int64_t draw(int node, const PlusOneSums::RowSums& known, ParentBits allowed,
                      ParentBits required, Random& random) {
        if (!known.digits) return draw_by_sums(node, allowed, required, random);
        const PlusOneSums& rows = *sums_[node].rows();
        return draw_inside(node, rows.draw_outside(known, allowed, required, random), random);
    }

    // What is left of such a draw once the outside parent is known.
    std::int64_t draw_inside(int node, const PlusOneSums::InsideDraw& what, Random& random);

  private:
    static constexpr int entry_bits = 12;
    static constexpr int inside_entry_bits = 13;
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
    // Of rows, by what is left to draw once the outside parent is known.
    struct InsideEntry {
        int node = -1;
        PlusOneSums::InsideDraw what;
        PlusOneSums::InsideShares heaviest;
    };

    std::int64_t draw_by_sums(int node, ParentBits allowed, ParentBits required, Random& random);
    std::int64_t draw_by_rows(int node, ParentBits allowed, ParentBits required, Random& random);
    static void fill(Entry& entry, const Key& key, const SortedFamilies& families, double log_sum);
    static std::int64_t draw_further(const Entry& entry, const SortedFamilies& families,
                                     double log_sum, double left);

    const ScoreSums& sums_;
    std::vector<Entry> entries_;
    std::vector<InsideEntry> inside_entries_;
    SumMemo memo_;
};

}  // namespace arcwise
