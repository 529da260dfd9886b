// Visits the prefixes of allowed members in a tree of families.
#pragma once

#include <bit>
#include <cstdint>

#include "arcwise/numerics/lanes.hpp"
#include "arcwise/sums/walk/family_tree.hpp"

namespace arcwise {

// Fewer than 2^32 families have no more than 32 members.
constexpr int deepest = 32;

// Calls visit(prefix, member) for all one-member extensions of a prefix that are prefixes
// themselves and whose new member is allowed.
template <bool one_word, class Visit>
ARCWISE_INLINE void for_each_branch(const FamilyTree& tree, std::size_t prefix,
                                    const std::uint64_t* allowed, Visit visit) {
    const std::size_t words = one_word ? 1 : tree.words;
    std::size_t first = tree.first_branch[prefix];
    for (std::size_t word = 0; word < words; ++word) {
        const std::uint64_t branches = tree.branches[prefix * words + word];
        for (std::uint64_t left = branches & allowed[word]; left != 0; left &= left - 1) {
            const std::uint64_t below = ~left & (left - 1);
            visit(first + static_cast<std::size_t>(std::popcount(branches & below)),
                  std::countr_zero(left) + static_cast<int>(64 * word));
        }
        first += static_cast<std::size_t>(std::popcount(branches));
    }
}

// Calls visitor.enter(depth, prefix, member) for every prefix of allowed members but the empty one,
// longer ones after what they extend, and visitor.leave(depth, member) after all those that extend
// it. The depth is the number of members, `member` the smallest. There is no recursion, so that all
// of it becomes part of one vector version.
template <bool one_word, class Visitor>
ARCWISE_INLINE void walk_tree(const FamilyTree& tree, const std::uint64_t* allowed,
                              Visitor& visitor) {
    struct Frame {
        std::uint64_t branches;  // of the word at hand
        std::uint64_t left;      // those of them still to be visited
        std::size_t first;       // the prefix of the first of them
        std::size_t prefix;
        std::size_t word;
        int member;
    };
    const std::size_t words = one_word ? 1 : tree.words;
    // Most prefixes are of the greatest length, and a loop of its own visits them.
    const int longest = tree.most_members - 1;
    const auto visit_longest = [&](std::size_t shorter) ARCWISE_INLINE_LAMBDA {
        for_each_branch<one_word>(tree, shorter, allowed,
                                  [&](std::size_t prefix, int member) ARCWISE_INLINE_LAMBDA {
                                      visitor.enter(longest, prefix, member);
                                      visitor.leave(longest, member);
                                  });
    };
    if (longest < 1) return;
    if (longest == 1) {
        visit_longest(0);
        return;
    }
    Frame frames[deepest];
    const auto start = [&](Frame& frame, std::size_t prefix, int member) ARCWISE_INLINE_LAMBDA {
        frame.prefix = prefix;
        frame.member = member;
        frame.word = 0;
        frame.branches = tree.branches[prefix * words];
        frame.left = frame.branches & allowed[0];
        frame.first = tree.first_branch[prefix];
    };
    int depth = 0;
    start(frames[0], 0, -1);
    for (;;) {
        Frame& frame = frames[depth];
        if (frame.left == 0) {
            if (frame.word + 1 < words) {
                frame.first += static_cast<std::size_t>(std::popcount(frame.branches));
                ++frame.word;
                frame.branches = tree.branches[frame.prefix * words + frame.word];
                frame.left = frame.branches & allowed[frame.word];
                continue;
            }
            if (depth == 0) return;
            visitor.leave(depth, frame.member);
            --depth;
            continue;
        }
        const std::uint64_t below = ~frame.left & (frame.left - 1);
        const int member = std::countr_zero(frame.left) + static_cast<int>(64 * frame.word);
        frame.left &= frame.left - 1;
        const std::size_t prefix =
            frame.first + static_cast<std::size_t>(std::popcount(frame.branches & below));
        visitor.enter(depth + 1, prefix, member);
        if (depth + 2 < longest) {
            start(frames[++depth], prefix, member);
        } else {
            visit_longest(prefix);
            visitor.leave(depth + 1, member);
        }
    }
}

}  // namespace arcwise
