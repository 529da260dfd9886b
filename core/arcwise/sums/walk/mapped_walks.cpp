// Whether a walk that was read from a file is one: a tree whose prefixes each extend one other, and
// rows that end before the numbers do.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "arcwise/numerics/lanes.hpp"
#include "arcwise/sums/walk/family_walk.hpp"
#include "arcwise/sums/walk/paired_families.hpp"
#include "arcwise/sums/walk/tree_walk.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// One more than the largest member, 0 for the empty set.
std::size_t width_of(const std::uint64_t* set, std::size_t words) {
    for (std::size_t word = words; word-- > 0;) {
        if (set[word] != 0) return 64 * word + static_cast<std::size_t>(std::bit_width(set[word]));
    }
    return 0;
}

void expect_numbers(const ArchiveReader& reader, const Stored<double>& numbers) {
    for (const double number : numbers) reader.expect(number < HUGE_VAL);
}

}  // namespace

void FamilyTree::expect_sound(const ArchiveReader& reader, std::size_t candidates) const {
    reader.expect(candidate_at.size() == candidates && number_of.size() == candidates);
    for (std::size_t i = 0; i < candidates; ++i) {
        const int number = number_of[i];
        reader.expect(number >= 0 && static_cast<std::size_t>(number) < candidates &&
                      candidate_at[static_cast<std::size_t>(number)] == static_cast<int>(i));
    }
    reader.expect(words == std::max<std::size_t>(1, words_for(candidates)));
    reader.expect(most_members >= 0 && most_members <= deepest &&
                  static_cast<std::size_t>(most_members) <= candidates);
    const std::size_t prefixes = row.size();
    const auto fits = [&](const Stored<std::uint64_t>& sets) {
        return sets.size() % words == 0 && sets.size() / words == prefixes;
    };
    reader.expect((most_members == 0) == (prefixes == 0) && first_branch.size() == prefixes &&
                  fits(followers) && fits(branches));
    // Members fall along a prefix, so what follows one is below its last member. Each prefix is
    // reached once: a walk takes no longer than there are prefixes.
    std::vector<std::size_t> limit(prefixes, 0);
    std::vector<bool> reached(prefixes, false);
    if (prefixes > 0) {
        limit[0] = candidates;
        reached[0] = true;
    }
    for (std::size_t prefix = 0; prefix < prefixes; ++prefix) {
        const std::uint64_t* after = followers.data() + prefix * words;
        const std::uint64_t* longer = branches.data() + prefix * words;
        const std::size_t entries = width_of(after, words);
        reader.expect(reached[prefix] && entries <= limit[prefix] &&
                      width_of(longer, words) <= limit[prefix]);
        // Whole vectors are read, be it for no entry.
        const std::size_t read = std::max<std::size_t>(1, (entries + lanes - 1) / lanes) * lanes;
        reader.expect(log_weights.size() >= read && row[prefix] <= log_weights.size() - read);
        std::size_t branch = first_branch[prefix];
        for_each_member(longer, words, [&](int member) {
            reader.expect(branch > prefix && branch < prefixes && !reached[branch]);
            reached[branch] = true;
            limit[branch++] = static_cast<std::size_t>(member);
        });
    }
    expect_numbers(reader, log_weights);
    reader.expect(log_weight_of_empty < HUGE_VAL);
}

void PairedFamilies::expect_sound(const ArchiveReader& reader) const {
    reader.expect(groups_.size() == std::size_t{64} * 64 && seconds_.size() == 64);
    reader.expect(others_.size() % lanes == 0 && lower_pairs_ <= 2 &&
                  lower_.size() == others_.size() * lower_pairs_);
    for (const Group& group : groups_) {
        const std::size_t whole = (std::size_t{group.count} + lanes - 1) / lanes * lanes;
        reader.expect(whole <= others_.size() && group.first <= others_.size() - whole);
    }
    for (const std::uint16_t pair : lower_) reader.expect(pair < 64 * 64);
}

void FamilyWalk::expect_sound(const ArchiveReader& reader, std::size_t candidates,
                              std::size_t required) const {
    reader.expect(required_ == required && std::isfinite(heaviest_));
    tree_.expect_sound(reader, candidates);
    if (paired_) {
        reader.expect(PairedFamilies::suits(tree_));
        paired_->expect_sound(reader);
    }
    for (const Window& window : windows_) {
        reader.expect(std::isfinite(window.scale) && window.weight_of_empty < HUGE_VAL);
        reader.expect(window.weights.size() == tree_.log_weights.size());
        reader.expect(window.paired_weights.size() == (paired_ ? paired_->size() : 0));
        expect_numbers(reader, window.weights);
        expect_numbers(reader, window.paired_weights);
    }
}

}  // namespace arcwise
