// One number per family with exactly one outside parent: for each node, all subsets of its
// candidates, each joined by the required parents and by one of the outside ones in turn.
//
// The numbers of one subset lie side by side, which is how a walk over sets meets them.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/families/subset_layout.hpp"

namespace arcwise {

class PlusOneFamilies {
  public:
    // Subsets of `candidates` with at most `max_free` members; candidates, required and outside
    // parents are different nodes. No outside parents, no families.
    PlusOneFamilies(std::vector<int> candidates, std::vector<int> required,
                    std::vector<int> outside, int max_free);

    const std::vector<int>& candidates() const { return candidates_; }
    const std::vector<int>& required() const { return required_; }
    const std::vector<int>& outside() const { return outside_; }
    const SubsetLayout& layout() const { return layout_; }
    std::uint64_t count() const { return values_.size(); }

    // The family of the subset of rank r and the outside parent at place p is at
    // r * outside().size() + p.
    std::vector<double>& values() { return values_; }
    const std::vector<double>& values() const { return values_; }

    ParentSets parent_sets() const { return {candidates_, required_, outside_, nullptr, &layout_}; }

    // Calls visit(parents) for every family in storage order, parents as ascending node numbers.
    template <class Visit>
    void for_each(Visit&& visit) const {
        if (outside_.empty()) return;
        layout_.for_each([&](std::uint64_t, std::span<const int> members) {
            for (const int parent : outside_) visit(parents(members, parent));
        });
    }

  private:
    std::vector<int> parents(std::span<const int> members, int outside) const;

    std::vector<int> candidates_;
    std::vector<int> required_;
    std::vector<int> outside_;
    SubsetLayout layout_;
    std::vector<double> values_;
};

// Those of all nodes; node v is at index v.
using PlusOneTable = std::vector<PlusOneFamilies>;

}  // namespace arcwise
