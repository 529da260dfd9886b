// Builds the tree of prefixes.
#include "arcwise/sums/walk/family_tree.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "arcwise/families/by_weight.hpp"
#include "arcwise/numerics/lanes.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/walk/tree_walk.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

constexpr std::size_t readable_at_once = 8;

// Fills the prefixes of a tree from weights by rank, where minus infinity is no family.
class TreeBuilder {
  public:
    TreeBuilder(FamilyTree& tree, const SubsetLayout& layout, std::span<const double> log_weights)
        : tree_(tree), layout_(layout), log_weights_(log_weights) {
        tree_.log_weight_of_empty = log_weights_[0];
        if (layout_.max_size() == 0) return;
        add_prefixes(1);
        fill(0, layout_.elements(), layout_.max_size(), 0);
        rows_.insert(rows_.end(), readable_at_once, minus_infinity);
        tree_.followers = std::move(followers_);
        tree_.branches = std::move(branches_);
        tree_.first_branch = std::move(first_branch_);
        tree_.row = std::move(row_);
        tree_.log_weights = std::move(rows_);
    }

  private:
    void add_prefixes(std::size_t count) {
        const std::size_t prefixes = row_.size() + count;
        followers_.resize(prefixes * tree_.words, 0);
        branches_.resize(prefixes * tree_.words, 0);
        first_branch_.resize(prefixes, 0);
        row_.resize(prefixes, 0);
    }

    void set_bit(std::vector<std::uint64_t>& sets, std::size_t prefix, int member) {
        put_member(sets.data() + prefix * tree_.words, member);
    }

    std::uint64_t extended(std::uint64_t rank, int member, int room) const {
        return rank + layout_.below(member, room);
    }

    // Whether a set with this rank, all members at least `limit` and room for more has a family
    // above it: they are ranked right after it.
    bool has_extensions(std::uint64_t rank, int limit, int room) const {
        const auto weights = log_weights_.subspan(rank + 1, layout_.below(limit, room) - 1);
        return std::any_of(weights.begin(), weights.end(),
                           [](double weight) { return weight != minus_infinity; });
    }

    void fill(std::size_t prefix, int limit, int room, std::uint64_t rank) {
        row_[prefix] = static_cast<std::uint32_t>(rows_.size());
        int last = -1;
        for (int member = 0; member < limit; ++member) {
            if (log_weights_[extended(rank, member, room)] == minus_infinity) continue;
            set_bit(followers_, prefix, member);
            last = member;
        }
        for (int member = 0; member <= last; ++member) {
            rows_.push_back(log_weights_[extended(rank, member, room)]);
        }
        if (room == 1) return;
        std::vector<int> branches;
        for (int member = 0; member < limit; ++member) {
            if (has_extensions(extended(rank, member, room), member, room - 1)) {
                branches.push_back(member);
                set_bit(branches_, prefix, member);
            }
        }
        const std::size_t first = row_.size();
        first_branch_[prefix] = static_cast<std::uint32_t>(first);
        add_prefixes(branches.size());
        for (std::size_t i = 0; i < branches.size(); ++i) {
            fill(first + i, branches[i], room - 1, extended(rank, branches[i], room));
        }
    }

    FamilyTree& tree_;
    const SubsetLayout& layout_;
    std::span<const double> log_weights_;
    std::vector<std::uint64_t> followers_;
    std::vector<std::uint64_t> branches_;
    std::vector<std::uint32_t> first_branch_;
    std::vector<std::uint32_t> row_;
    std::vector<double> rows_;
};

// One more than the largest member, 0 for the empty set.
std::size_t width_of(const std::uint64_t* set, std::size_t words) {
    for (std::size_t word = words; word-- > 0;) {
        if (set[word] != 0) return 64 * word + static_cast<std::size_t>(std::bit_width(set[word]));
    }
    return 0;
}

}  // namespace

FamilyTree::FamilyTree(const NodeFamilies& families, double tolerance) {
    if (families.listed() || families.outside() > 0) {
        throw Error(ErrorKind::argument,
                    "Only families that are all subsets of the candidates up to a size can be "
                    "walked, and others came; use the scan.");
    }
    const SubsetLayout& layout = families.layout();
    if (layout.count() >= std::uint64_t{1} << 32) {
        throw Error(ErrorKind::capacity,
                    "A node has " + std::to_string(layout.count()) +
                        " families, and fewer than 2^32 can be walked; give a lower bound on the "
                        "number of parents.");
    }
    const std::size_t candidates = families.candidates().size();
    words = std::max<std::size_t>(1, words_for(candidates));
    most_members = layout.max_size();
    const std::vector<std::uint8_t> kept =
        families_that_matter(layout, families.values(), tolerance);

    std::vector<std::size_t> times(candidates, 0);
    families.for_each([&](std::uint64_t rank, std::span<const int> members) {
        if (kept[rank] == 0) return;
        ++count;
        for (const int member : members) ++times[static_cast<std::size_t>(member)];
    });
    std::vector<int> by_times(candidates);
    std::iota(by_times.begin(), by_times.end(), 0);
    std::stable_sort(by_times.begin(), by_times.end(), [&](int a, int b) {
        return times[static_cast<std::size_t>(a)] > times[static_cast<std::size_t>(b)];
    });
    std::vector<int> numbers_of(candidates);
    for (std::size_t number = 0; number < candidates; ++number) {
        numbers_of[static_cast<std::size_t>(by_times[number])] = static_cast<int>(number);
    }
    candidate_at = std::move(by_times);
    number_of = std::move(numbers_of);

    std::vector<double> renumbered(families.values().size(), minus_infinity);
    std::vector<int> numbers;
    families.for_each([&](std::uint64_t rank, std::span<const int> members) {
        if (kept[rank] == 0) return;
        numbers.clear();
        for (const int member : members) {
            numbers.push_back(number_of[static_cast<std::size_t>(member)]);
        }
        std::sort(numbers.begin(), numbers.end(), std::greater<>());
        renumbered[layout.rank(numbers)] = families.values()[rank];
    });
    TreeBuilder(*this, layout, renumbered);
}

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
        // A whole vector is read even for no entry.
        const std::size_t read = std::max<std::size_t>(1, (entries + lanes - 1) / lanes) * lanes;
        reader.expect(log_weights.size() >= read && row[prefix] <= log_weights.size() - read);
        std::size_t branch = first_branch[prefix];
        for_each_member(longer, words, [&](int member) {
            reader.expect(branch > prefix && branch < prefixes && !reached[branch]);
            reached[branch] = true;
            limit[branch++] = static_cast<std::size_t>(member);
        });
    }
    for (const double weight : log_weights) reader.expect(weight < -minus_infinity);
    reader.expect(log_weight_of_empty < -minus_infinity);
}

}  // namespace arcwise
