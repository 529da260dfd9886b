// Searches for the families to remember, and draws beyond them.
#include "arcwise/spaces/family_draws.hpp"

#include <bit>
#include <cmath>

namespace arcwise {

FamilyDraws::FamilyDraws(const ScoreSums& sums) : sums_(sums) {
    for (int node = 0; node < sums.nodes(); ++node) {
        const bool by_rows = sums[node].rows() != nullptr;
        if (by_rows) inside_entries_.resize(std::size_t{1} << inside_entry_bits);
        if (sums[node].tabulated()) entries_.resize(std::size_t{1} << entry_bits);
    }
}

std::int64_t FamilyDraws::draw_by_sums(int node, ParentBits allowed, ParentBits required,
                                       Random& random) {
    return required != nullptr ? sums_[node].draw(allowed, required, memo_, random)
                               : sums_[node].draw(allowed, random);
}

std::int64_t FamilyDraws::draw_inside(int node, const PlusOneSums::InsideDraw& what,
                                      Random& random) {
    const PlusOneSums& rows = *sums_[node].rows();
    // Of many candidates, sets come back too rarely for the search to pay.
    constexpr int most_candidates = 7;
    if (std::popcount(what.set) > most_candidates) {
        return rows.place(rows.draw_inside(what, random), what.entry);
    }
    const Key key{static_cast<std::uint64_t>(node), std::uint64_t{what.set} << 32 | what.wanted,
                  what.entry};
    const std::uint64_t hash = key.hash();
    InsideEntry& entry = inside_entries_[hash >> (64 - inside_entry_bits)];
    if (entry.node != node || !(entry.what == what)) {
        rows.find_heaviest(what, entry.heaviest);
        entry.node = node;
        entry.what = what;
    }
    return rows.place(rows.draw_inside(what, entry.heaviest, random), what.entry);
}

std::int64_t FamilyDraws::draw_by_rows(int node, ParentBits allowed, ParentBits required,
                                       Random& random) {
    const NodeSums& of_node = sums_[node];
    if (!of_node.has_required_parents(allowed)) return -1;
    const bool met = required == nullptr || of_node.meets_required_parents(required);
    const auto drawn = of_node.rows()->draw_outside(allowed, met ? nullptr : required, random);
    return drawn ? draw_inside(node, *drawn, random)
                 : draw_by_sums(node, allowed, required, random);
}

void FamilyDraws::fill(Entry& entry, const Key& key, const SortedFamilies& families,
                       double log_sum) {
    entry.key = key;
    entry.count = 0;
    double sum = 0.0;
    for (std::size_t place = 0; place < families.count() && entry.count < most_kept; ++place) {
        if (!key.admits(*families.parents(place))) continue;
        const double share = std::exp(families.weight(place) - log_sum);
        entry.places[entry.count] = static_cast<std::uint32_t>(place);
        entry.shares[entry.count++] = share;
        sum += share;
        if (sum > enough) break;
    }
}

std::int64_t FamilyDraws::draw_further(const Entry& entry, const SortedFamilies& families,
                                       double log_sum, double left) {
    // Rounding can leave a remainder after the last family; the last one then takes it.
    std::size_t found = entry.count == 0 ? 0 : entry.places[entry.count - 1];
    for (std::size_t place = found + 1; place < families.count() && left >= 0.0; ++place) {
        if (!entry.key.admits(*families.parents(place))) continue;
        found = place;
        left -= std::exp(families.weight(place) - log_sum);
    }
    return static_cast<std::int64_t>(found);
}

}  // namespace arcwise
