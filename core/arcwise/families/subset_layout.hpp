// Numbers the subsets of {0, .., elements-1} with at most `max_size` members, without gaps.
//
// Sets are ranked as their bit masks are ranked as integers; with no bound on the size the rank
// *is* the mask. The rank is a sum with one term per member, so a depth-first walk that adds ever
// smaller members meets the sets in the order 0, 1, 2, ... and can write results one after the
// other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

class SubsetLayout {
  public:
    SubsetLayout() : SubsetLayout(0, 0) {}

    // Throws `capacity` when the sets cannot be counted in 62 bits.
    SubsetLayout(int elements, int max_size);

    int elements() const { return elements_; }
    int max_size() const { return max_size_; }
    std::uint64_t count() const { return below(elements_, max_size_); }

    // Number of sets with at most `size` members, all of them smaller than `element`.
    std::uint64_t below(int element, int size) const {
        return below_[static_cast<std::size_t>(size) * (static_cast<std::size_t>(elements_) + 1) +
                      static_cast<std::size_t>(element)];
    }

    // The rank of a set whose members are given in *descending* order. The largest member c, when s
    // members are still allowed, is preceded by the below(c, s) sets that stay under c.
    std::uint64_t rank(std::span<const int> descending_members) const {
        std::uint64_t result = 0;
        int room = max_size_;
        for (const int member : descending_members) result += below(member, room--);
        return result;
    }

    // The members of the set of a given rank, in descending order.
    std::vector<int> members(std::uint64_t rank) const {
        std::vector<int> result;
        int room = max_size_;
        int limit = elements_;
        while (rank > 0) {
            int member = limit - 1;
            while (below(member, room) > rank) --member;
            result.push_back(member);
            rank -= below(member, room--);
            limit = member;
        }
        return result;
    }

    // Calls visit(rank, members) for every set in rank order, members descending.
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::vector<int> members;
        members.reserve(static_cast<std::size_t>(max_size_));
        std::uint64_t rank = 0;
        walk(elements_, members, rank, visit);
    }

  private:
    template <class Visit>
    void walk(int limit, std::vector<int>& members, std::uint64_t& rank, Visit& visit) const {
        visit(rank++, std::span<const int>(members));
        if (static_cast<int>(members.size()) == max_size_) return;
        for (int member = 0; member < limit; ++member) {
            members.push_back(member);
            walk(member, members, rank, visit);
            members.pop_back();
        }
    }

    int elements_;
    int max_size_;
    std::vector<std::uint64_t> below_;
};

// The parent sets of a node, as rules: the required parents with the subsets of the candidates that
// one layout ranks, and with those that another one ranks joined by one of the outside parents.
// They are numbered in this order, the outside parents of one subset side by side.
struct ParentSets {
    std::span<const int> candidates;
    std::span<const int> required;
    std::span<const int> outside;
    const SubsetLayout* inside;    // null: no set without an outside parent
    const SubsetLayout* plus_one;  // not null where there are outside parents

    std::uint64_t count_inside() const { return inside == nullptr ? 0 : inside->count(); }
    std::uint64_t count_plus_one() const {
        return outside.empty() ? 0 : plus_one->count() * outside.size();
    }
    std::uint64_t count() const { return count_inside() + count_plus_one(); }
};

}  // namespace arcwise
