// Filters a family table; what is left is listed, since it need not be a regular collection.
#include "arcwise/families/restrict.hpp"

#include <algorithm>

namespace arcwise {

FamilyTable restrict_families(const FamilyTable& table, std::span<const std::uint8_t> allowed,
                              std::span<const std::uint8_t> required,
                              std::span<const std::int64_t> max_indegree) {
    const std::size_t nodes = table.size();
    FamilyTable result;
    for (std::size_t node = 0; node < nodes; ++node) {
        const NodeFamilies& families = table[node];
        const auto holds = [&](std::span<const std::uint8_t> matrix, int parent) {
            return matrix[static_cast<std::size_t>(parent) * nodes + node] != 0;
        };
        std::vector<int> needed;
        for (int parent = 0; parent < static_cast<int>(nodes); ++parent) {
            if (holds(required, parent)) needed.push_back(parent);
        }
        std::vector<std::vector<int>> kept;  // free parents, descending
        std::vector<double> values;
        std::vector<int> candidates;
        families.for_each([&](std::uint64_t index, std::span<const int> members) {
            const std::vector<int> parents = families.parents(members);
            if (static_cast<std::int64_t>(parents.size()) > max_indegree[node] ||
                !std::includes(parents.begin(), parents.end(), needed.begin(), needed.end()) ||
                !std::all_of(parents.begin(), parents.end(),
                             [&](int parent) { return holds(allowed, parent); })) {
                return;
            }
            std::vector<int>& free = kept.emplace_back();
            std::set_difference(parents.begin(), parents.end(), needed.begin(), needed.end(),
                                std::back_inserter(free));
            std::reverse(free.begin(), free.end());
            candidates.insert(candidates.end(), free.begin(), free.end());
            std::sort(candidates.begin(), candidates.end());
            candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
            values.push_back(families.values()[index]);
        });
        std::vector<std::uint16_t> members;
        std::vector<std::uint64_t> offsets{0};
        for (const std::vector<int>& free : kept) {
            for (const int parent : free) {
                members.push_back(static_cast<std::uint16_t>(
                    std::lower_bound(candidates.begin(), candidates.end(), parent) -
                    candidates.begin()));
            }
            offsets.push_back(members.size());
        }
        NodeFamilies own(std::move(candidates), std::move(needed), std::move(members),
                         std::move(offsets));
        own.values() = std::move(values);
        result.push_back(std::move(own));
    }
    return result;
}

}  // namespace arcwise
