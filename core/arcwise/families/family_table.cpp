// Construction and look-up of one node's families.
#include "arcwise/families/family_table.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "arcwise/support/error.hpp"

namespace arcwise {

NodeFamilies::NodeFamilies(std::vector<int> candidates, std::vector<int> required, int max_free)
    : NodeFamilies(std::move(candidates), std::move(required), max_free, {}) {}

NodeFamilies::NodeFamilies(std::vector<int> candidates, std::vector<int> required, int max_free,
                           const std::vector<int>& outside)
    : candidates_(std::move(candidates)),
      required_(std::move(required)),
      inside_(candidates_.size()),
      layout_(static_cast<int>(inside_), std::min(max_free, static_cast<int>(inside_))) {
    if (max_free > 0 && !outside.empty()) {
        candidates_.insert(candidates_.end(), outside.begin(), outside.end());
        plus_one_ = SubsetLayout(static_cast<int>(inside_),
                                 std::min(max_free - 1, static_cast<int>(inside_)));
    }
    values_.assign(count(), 0.0);
}

NodeFamilies::NodeFamilies(std::vector<int> candidates, std::vector<int> required,
                           std::vector<std::uint16_t> members, std::vector<std::uint64_t> offsets)
    : candidates_(std::move(candidates)),
      required_(std::move(required)),
      inside_(candidates_.size()),
      members_(std::move(members)),
      offsets_(std::move(offsets)) {
    if (offsets_.empty() || offsets_.back() != members_.size()) {
        throw Error(ErrorKind::argument, "Listed families need offsets that end at their members.");
    }
    values_.assign(count(), 0.0);
}

std::int64_t NodeFamilies::find(std::span<const int> parents) const {
    // A set: a parent that is named twice is there once.
    std::vector<int> named(parents.begin(), parents.end());
    std::sort(named.begin(), named.end());
    named.erase(std::unique(named.begin(), named.end()), named.end());
    std::vector<int> members;
    std::size_t required_found = 0;
    for (const int parent : named) {
        if (std::binary_search(required_.begin(), required_.end(), parent)) {
            ++required_found;
            continue;
        }
        const auto border = candidates_.begin() + static_cast<std::ptrdiff_t>(inside_);
        auto place = std::lower_bound(candidates_.begin(), border, parent);
        if (place == border || *place != parent) {
            place = std::lower_bound(border, candidates_.end(), parent);
        }
        if (place == candidates_.end() || *place != parent) return -1;
        members.push_back(static_cast<int>(place - candidates_.begin()));
    }
    if (required_found != required_.size()) return -1;
    std::sort(members.begin(), members.end(), std::greater<>());
    if (!listed()) {
        const std::span<const int> all(members);
        if (members.empty() || members[0] < static_cast<int>(inside_)) {
            if (static_cast<int>(members.size()) > layout_.max_size()) return -1;
            return static_cast<std::int64_t>(layout_.rank(all));
        }
        const std::span<const int> rest = all.subspan(1);
        if (static_cast<int>(rest.size()) > plus_one_.max_size()) return -1;
        if (!rest.empty() && rest[0] >= static_cast<int>(inside_)) return -1;
        const auto position = static_cast<std::size_t>(members[0]) - inside_;
        return static_cast<std::int64_t>(layout_.count() + plus_one_.rank(rest) * outside() +
                                         position);
    }
    for (std::uint64_t index = 0; index < count(); ++index) {
        const auto first = members_.begin() + static_cast<std::ptrdiff_t>(offsets_[index]);
        const auto last = members_.begin() + static_cast<std::ptrdiff_t>(offsets_[index + 1]);
        if (std::equal(first, last, members.begin(), members.end())) {
            return static_cast<std::int64_t>(index);
        }
    }
    return -1;
}

std::vector<int> NodeFamilies::parents(std::span<const int> members) const {
    std::vector<int> result(required_);
    for (const int member : members) {
        result.push_back(candidates_[static_cast<std::size_t>(member)]);
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::vector<int> NodeFamilies::parents_of(std::uint64_t index) const {
    if (listed()) {
        const std::vector<int> set(
            members_.begin() + static_cast<std::ptrdiff_t>(offsets_[index]),
            members_.begin() + static_cast<std::ptrdiff_t>(offsets_[index + 1]));
        return parents(set);
    }
    if (index < layout_.count()) return parents(layout_.members(index));
    const std::uint64_t after = index - layout_.count();
    std::vector<int> members = plus_one_.members(after / outside());
    members.push_back(static_cast<int>(inside_ + after % outside()));
    return parents(members);
}

PlusOneBlock NodeFamilies::plus_one_block() {
    const std::span<const int> all(candidates_);
    return {all.first(inside_), required_, all.subspan(inside_), &plus_one_,
            values_.data() + layout_.count()};
}

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
