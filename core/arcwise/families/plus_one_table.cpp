// Lays out families with one outside parent.
#include "arcwise/families/plus_one_table.hpp"

#include <algorithm>

namespace arcwise {

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

}  // namespace arcwise
