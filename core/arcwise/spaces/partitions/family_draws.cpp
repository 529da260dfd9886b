// Scans for the families to remember, and for those beyond them.
#include "arcwise/spaces/partitions/family_draws.hpp"

#include <cmath>

namespace arcwise {

std::int64_t FamilyDraws::draw_by_sums(int node, PartSets sets, Random& random) {
    return needs_parent(sets, words_) ? sums_[node].draw(sets, sets + words_, memo_, random)
                                      : sums_[node].draw(sets, random);
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
