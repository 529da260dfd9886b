// Construction and look-up of one node's families.
#include "arcwise/families/family_table.hpp"

#include <functional>
#include <iterator>

#include "arcwise/support/error.hpp"

namespace arcwise {

NodeFamilies::NodeFamilies(std::vector<int> candidates, std::vector<int> required, int max_free)
    : NodeFamilies(std::move(candidates), std::move(required), max_free, {}) {}

NodeFamilies::NodeFamilies(std::vector<int> candidates, std::vector<int> required, int max_free,
                           const std::vector<int>& outside, bool with_values)
    : candidates_(std::move(candidates)),
      required_(std::move(required)),
      inside_(candidates_.size()),
      layout_(static_cast<int>(inside_), std::min(max_free, static_cast<int>(inside_))) {
    if (max_free > 0 && !outside.empty()) {
        candidates_.insert(candidates_.end(), outside.begin(), outside.end());
        plus_one_ = SubsetLayout(static_cast<int>(inside_),
                                 std::min(max_free - 1, static_cast<int>(inside_)));
    }
    if (with_values) values_.assign(count(), 0.0);
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

std::optional<std::vector<int>> NodeFamilies::members_of(std::span<const int> parents) const {
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
        if (place == candidates_.end() || *place != parent) return std::nullopt;
        members.push_back(static_cast<int>(place - candidates_.begin()));
    }
    if (required_found != required_.size()) return std::nullopt;
    std::sort(members.begin(), members.end(), std::greater<>());
    return members;
}

std::int64_t NodeFamilies::find(std::span<const int> parents) const {
    const std::optional<std::vector<int>> members = members_of(parents);
    return members ? index_of(*members) : -1;
}

std::int64_t NodeFamilies::index_of(std::span<const int> members) const {
    if (!listed()) {
        if (members.empty() || members[0] < static_cast<int>(inside_)) {
            if (static_cast<int>(members.size()) > layout_.max_size()) return -1;
            return static_cast<std::int64_t>(layout_.rank(members));
        }
        const std::span<const int> rest = members.subspan(1);
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

ParentSets NodeFamilies::parent_sets() const {
    const std::span<const int> all(candidates_);
    return {all.first(inside_), required_, all.subspan(inside_), &layout_, &plus_one_};
}

void NodeFamilies::write_sets(ArchiveWriter& writer) const {
    writer.array(candidates_);
    writer.array(required_);
    writer.number(static_cast<std::uint64_t>(inside_));
    writer.number(static_cast<std::int64_t>(listed() ? 0 : layout_.max_size()));
    writer.number(static_cast<std::int64_t>(listed() ? 0 : plus_one_.max_size()));
    writer.array(members_);
    writer.array(offsets_);
}

NodeFamilies NodeFamilies::read_sets(ArchiveReader& reader, std::size_t node, std::size_t nodes) {
    NodeFamilies result;
    std::uint64_t inside = 0;
    std::int64_t sizes[2] = {0, 0};
    reader.array(result.candidates_);
    reader.array(result.required_);
    reader.number(inside);
    for (std::int64_t& size : sizes) reader.number(size);
    reader.array(result.members_);
    reader.array(result.offsets_);
    std::vector<bool> seen(nodes, false);
    seen[node] = true;
    for (const auto* parents : {&result.candidates_, &result.required_}) {
        for (const int parent : *parents) {
            reader.expect(parent >= 0 && static_cast<std::size_t>(parent) < nodes &&
                          !seen[static_cast<std::size_t>(parent)]);
            seen[static_cast<std::size_t>(parent)] = true;
        }
    }
    const std::size_t all = result.candidates_.size();
    reader.expect(inside <= all);
    const auto border = result.candidates_.begin() + static_cast<std::ptrdiff_t>(inside);
    reader.expect(std::is_sorted(result.candidates_.begin(), border) &&
                  std::is_sorted(border, result.candidates_.end()) &&
                  std::is_sorted(result.required_.begin(), result.required_.end()));
    result.inside_ = inside;
    const std::vector<std::uint64_t>& offsets = result.offsets_;
    if (!offsets.empty()) {
        reader.expect(inside == all && offsets.front() == 0 &&
                      offsets.back() == result.members_.size() &&
                      std::is_sorted(offsets.begin(), offsets.end()));
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
            for (std::uint64_t j = offsets[i]; j < offsets[i + 1]; ++j) {
                reader.expect(result.members_[j] < all &&
                              (j == offsets[i] || result.members_[j] < result.members_[j - 1]));
            }
        }
        return result;
    }
    for (const std::int64_t size : sizes) {
        reader.expect(size >= 0 && size <= static_cast<std::int64_t>(inside));
    }
    result.layout_ = SubsetLayout(static_cast<int>(inside), static_cast<int>(sizes[0]));
    if (inside < all) {
        result.plus_one_ = SubsetLayout(static_cast<int>(inside), static_cast<int>(sizes[1]));
    }
    return result;
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

PlusOneFamilies::PlusOneFamilies(std::vector<int> candidates, std::vector<int> required,
                                 std::vector<int> outside, int max_free)
    : candidates_(std::move(candidates)),
      required_(std::move(required)),
      outside_(std::move(outside)),
      layout_(static_cast<int>(candidates_.size()), max_free),
      values_(static_cast<std::size_t>(layout_.count()) * outside_.size()) {}

std::vector<int> PlusOneFamilies::parents(std::span<const int> members, int outside) const {
    std::vector<int> result(required_);
    for (const int member : members) {
        result.push_back(candidates_[static_cast<std::size_t>(member)]);
    }
    result.push_back(outside);
    std::sort(result.begin(), result.end());
    return result;
}

void add_prior(const PriorTerms& terms, FamilyTable& table) {
    const std::size_t nodes = table.size();
    std::vector<double> edge;
    for (std::size_t node = 0; node < nodes; ++node) {
        NodeFamilies& families = table[node];
        const std::size_t required = families.required().size();
        double always = terms.constant[node];
        for (const int parent : families.required()) {
            always += terms.edge[static_cast<std::size_t>(parent) * nodes + node];
        }
        edge.clear();
        for (const int parent : families.candidates()) {
            edge.push_back(terms.edge[static_cast<std::size_t>(parent) * nodes + node]);
        }
        std::vector<double>& values = families.values();
        families.for_each([&](std::uint64_t index, std::span<const int> members) {
            double sum = always + terms.size[node * nodes + required + members.size()];
            for (const int member : members) sum += edge[static_cast<std::size_t>(member)];
            values[index] += sum;
        });
    }
}

}  // namespace arcwise
