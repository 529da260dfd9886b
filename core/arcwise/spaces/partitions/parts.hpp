// Nodes in parts that come one after the other, the parts of a partition or the layers of a
// layering; and what a partition allows a node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

class Parts {
  public:
    Parts() = default;
    // Takes the part of each node, the first part being 0; no part may be empty.
    explicit Parts(std::vector<int> part_of) : part_of_(std::move(part_of)) { sort(); }

    // Takes other parts, and leaves its own in their place.
    void exchange(std::vector<int>& part_of) {
        part_of_.swap(part_of);
        sort();
    }

    const std::vector<int>& part_of() const { return part_of_; }
    int part_of(int node) const { return part_of_[static_cast<std::size_t>(node)]; }

    std::size_t nodes() const { return order_.size(); }
    std::size_t count() const { return starts_.size() - 1; }
    std::size_t size(std::size_t part) const { return starts_[part + 1] - starts_[part]; }

    // The nodes of a part, ascending; those of some parts, one after the other, up to one that is
    // left out; and those of all parts before one.
    std::span<const int> members(std::size_t part) const { return from_to(part, part + 1); }
    std::span<const int> from_to(std::size_t first, std::size_t end) const {
        return {order_.data() + starts_[first], starts_[end] - starts_[first]};
    }
    std::span<const int> before(std::size_t part) const { return from_to(0, part); }

  private:
    void sort() {
        const int last = part_of_.empty() ? -1 : std::ranges::max(part_of_);
        starts_.assign(static_cast<std::size_t>(last) + 2, 0);
        for (const int part : part_of_) ++starts_[static_cast<std::size_t>(part) + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        // Each start moves to the next one as its part is filled; afterwards all are shifted back.
        order_.resize(part_of_.size());
        for (std::size_t node = 0; node < part_of_.size(); ++node) {
            order_[starts_[static_cast<std::size_t>(part_of_[node])]++] = static_cast<int>(node);
        }
        std::copy_backward(starts_.begin(), starts_.end() - 1, starts_.end());
        starts_[0] = 0;
    }

    std::vector<int> part_of_;
    std::vector<int> order_;                 // part by part
    std::vector<std::size_t> starts_ = {0};  // where each part begins in it, and its end
};

struct EarlyAndLate {
    int early;
    int late;
};

// Draws two nodes of different parts, or of neighbouring ones, uniformly; nothing where there are
// no such pairs.
inline std::optional<EarlyAndLate> choose_pair(const Parts& parts, bool adjacent, Random& random) {
    // How many nodes the members of a part can be paired with: those right before it.
    const auto partners = [&](std::size_t part) {
        if (part == 0) return std::size_t{0};
        return adjacent ? parts.size(part - 1) : parts.before(part).size();
    };
    std::size_t pairs = 0;
    for (std::size_t part = 0; part < parts.count(); ++part) {
        pairs += parts.size(part) * partners(part);
    }
    if (pairs == 0) return std::nullopt;
    std::size_t index = random.below(pairs);
    std::size_t part = 0;
    for (; index >= parts.size(part) * partners(part); ++part) {
        index -= parts.size(part) * partners(part);
    }
    const std::size_t count = partners(part);
    return EarlyAndLate{parts.before(part).last(count)[index % count],
                        parts.members(part)[index / count]};
}

// A partition allows a node two sets of parents.
//
// They are bits of its possible parents: first the words with those in earlier parts, then as many
// words with those in the part right before, one of which it needs. Both sets of a node in the
// first part are empty.
using PartSets = const std::uint64_t*;

// Nearly always there is one word, and a loop would take longer than all else.
inline bool needs_parent(PartSets sets, std::size_t words) {
    if (words == 1) return sets[1] != 0;
    std::uint64_t any = 0;
    for (std::size_t word = words; word < 2 * words; ++word) any |= sets[word];
    return any != 0;
}

// Sets the sets of a node when the part of every node is given.
inline void set_by_parts(const ScoreSums& sums, const std::vector<int>& part_of, int node,
                         std::uint64_t* sets) {
    const std::size_t words = sums.words();
    const int part = part_of[static_cast<std::size_t>(node)];
    const std::vector<int>& possible = sums.possible_parents(node);
    std::fill_n(sets, 2 * words, 0);
    for (std::size_t place = 0; place < possible.size(); ++place) {
        const int of_parent = part_of[static_cast<std::size_t>(possible[place])];
        sets[place / 64] |= std::uint64_t{of_parent < part} << (place % 64);
        sets[words + place / 64] |= std::uint64_t{of_parent == part - 1} << (place % 64);
    }
}

// The sets of all nodes.
inline std::vector<std::uint64_t> sets_by_parts(const ScoreSums& sums,
                                                const std::vector<int>& part_of) {
    const std::size_t stride = 2 * sums.words();
    std::vector<std::uint64_t> sets(part_of.size() * stride);
    for (std::size_t node = 0; node < part_of.size(); ++node) {
        set_by_parts(sums, part_of, static_cast<int>(node), sets.data() + node * stride);
    }
    return sets;
}

}  // namespace arcwise
