// Walks for one sum, for sums by the part of a family that lies among given places, and for
// probabilities.
#include "arcwise/sums/walk/family_walk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"
#include "arcwise/sums/walk/paired_families.hpp"
#include "arcwise/sums/walk/tree_walk.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// Each window is a copy of all weights.
constexpr std::size_t most_windows = 8;

// A window holds numbers down to e^-700, and is relied on for those down to this.
constexpr double nats_below_scale = 600.0;

// A set of members by their numbers in the tree; short ones need no memory of their own.
class MemberSet {
  public:
    explicit MemberSet(const FamilyTree& tree) {
        if (tree.words > few_.size()) many_.resize(tree.words, 0);
    }

    void insert(int number) { put_member(data(), number); }

    void insert_candidates(const FamilyTree& tree, ParentBits bits) {
        const std::size_t candidates = tree.number_of.size();
        for (std::size_t word = 0; word * 64 < candidates; ++word) {
            std::uint64_t left = bits[word];
            left &= first_bits(candidates - word * 64);
            for (; left != 0; left &= left - 1) {
                insert(
                    tree.number_of[word * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
            }
        }
    }

    std::uint64_t* data() { return many_.empty() ? few_.data() : many_.data(); }

  private:
    std::array<std::uint64_t, 4> few_{};
    std::vector<std::uint64_t> many_;
};

// All allowed families but the empty one.
template <bool one_word>
struct SumVisitor {
    const FamilyTree& tree;
    const double* weights;
    const std::uint64_t* allowed;
    static constexpr std::size_t ways = 4;  // sums that need not wait for each other
    LaneSums sums[ways];

    ARCWISE_INLINE void enter(int, std::size_t prefix, int) {
        const std::size_t words = one_word ? 1 : tree.words;
        const double* row = weights + tree.row[prefix];
        for (std::size_t word = 0; word < words; ++word, row += 64) {
            const std::uint64_t bits = tree.followers[prefix * words + word] & allowed[word];
            // A row may end before a later word begins.
            if (one_word || bits != 0) add_row(sums[prefix % ways], row, bits);
        }
    }
    ARCWISE_INLINE void leave(int, int) {}
};

template <bool one_word>
ARCWISE_INLINE double walk_sum(const FamilyTree& tree, const double* weights,
                               const std::uint64_t* allowed) {
    SumVisitor<one_word> visitor{tree, weights, allowed, {}};
    visitor.enter(0, 0, -1);
    walk_tree<one_word>(tree, allowed, visitor);
    for (std::size_t i = 1; i < visitor.ways; ++i) add_lanes(visitor.sums[0], visitor.sums[i]);
    return total(visitor.sums[0]);
}

// A set of members split in two, for walks that distinguish the part of a family that is among
// places.
struct Members {
    const std::uint64_t* base;
    const std::uint64_t* among;      // places
    const std::uint64_t* all;        // both
    const std::uint32_t* place_bit;  // by member: its bit in a set of places, 0 for those in `base`
};

// Sums of families by the places in their prefix, and by their smallest member. That member may be
// a place too, but sorting that out once in the end is cheaper than for each prefix.
class PrefixBins {
  public:
    PrefixBins(const FamilyTree& tree, std::size_t places)
        : width_((tree.number_of.size() + lanes - 1) / lanes),
          row_of_(std::size_t{1} << places, none) {
        // A prefix has at most this many places.
        const SubsetLayout sets(static_cast<int>(places), std::max(tree.most_members - 1, 0));
        bins_.reserve(sets.count());
        sums_.resize(sets.count() * width_);
    }

    // The sums for a set of places, by smallest member.
    double* row(std::uint32_t bin) {
        if (row_of_[bin] == none) {
            row_of_[bin] = static_cast<std::uint32_t>(bins_.size());
            bins_.push_back(bin);
        }
        return sums_[row_of_[bin] * width_].lane;
    }

    // Adds to out[Y] the sum of the families whose places are Y, and resets the sums.
    ARCWISE_INLINE void empty_into(double* out, const FamilyTree& tree, const Members& members) {
        for (std::size_t i = 0; i < bins_.size(); ++i) {
            const double* sums = sums_[i * width_].lane;
            LaneSums in_base{};
            for (std::size_t word = 0; word < tree.words; ++word) {
                if (members.base[word] != 0) {
                    add_row(in_base, sums + 64 * word, members.base[word]);
                }
                for (std::uint64_t left = members.among[word]; left != 0; left &= left - 1) {
                    const std::size_t member =
                        64 * word + static_cast<std::size_t>(std::countr_zero(left));
                    // Members fall: a prefix has none below it.
                    out[bins_[i] | members.place_bit[member]] += sums[member];
                }
            }
            out[bins_[i]] += total(in_base);
        }
        std::fill(sums_.begin(), sums_.end(), LaneSums{});
    }

  private:
    static constexpr std::uint32_t none = 0xFFFFFFFFu;
    std::size_t width_;  // of a row, in eights, so that none crosses a line of the cache
    std::vector<std::uint32_t> row_of_;  // by set of places
    std::vector<std::uint32_t> bins_;    // the sets that have a row
    std::vector<LaneSums> sums_;
};

// Adds each allowed family but the empty one to the sums of its prefix's places.
template <bool one_word>
struct BinVisitor {
    const FamilyTree& tree;
    const double* weights;
    const Members& members;
    PrefixBins& bins;
    std::uint32_t bin[deepest] = {};  // by depth, as are:
    double* sums[deepest] = {};

    ARCWISE_INLINE void enter(int depth, std::size_t prefix, int member) {
        if (depth == 0) {
            sums[0] = bins.row(0);
        } else {
            const std::uint32_t bit = members.place_bit[member];
            bin[depth] = bin[depth - 1] | bit;
            sums[depth] = bit == 0 ? sums[depth - 1] : bins.row(bin[depth]);
        }
        const std::size_t words = one_word ? 1 : tree.words;
        const double* row = weights + tree.row[prefix];
        for (std::size_t word = 0; word < words; ++word, row += 64) {
            const std::uint64_t bits = tree.followers[prefix * words + word] & members.all[word];
            if (one_word || bits != 0) add_row(sums[depth] + 64 * word, row, bits);
        }
    }
    ARCWISE_INLINE void leave(int, int) {}
};

// Adds the probability of each allowed family to its members.
template <bool one_word>
struct ProbabilityVisitor {
    const FamilyTree& tree;
    const double* weights;
    const Members& members;
    const double* factors;  // by bin
    double* by_member;
    std::size_t bin[deepest] = {};     // by depth, as are:
    double probability[deepest] = {};  // of the families that extend the prefix

    ARCWISE_INLINE void enter(int depth, std::size_t prefix, int member) {
        if (depth > 0) bin[depth] = bin[depth - 1] | members.place_bit[member];
        const double factor = factors[bin[depth]];
        double extending = 0.0;
        LaneSums sums{};
        const std::size_t words = one_word ? 1 : tree.words;
        const double* row = weights + tree.row[prefix];
        double* to = by_member;
        for (std::size_t word = 0; word < words; ++word, row += 64, to += 64) {
            const std::uint64_t followers = tree.followers[prefix * words + word];
            const std::uint64_t bits = followers & members.base[word];
            if (one_word || bits != 0) add_row_times(to, sums, row, bits, factor);
            const std::uint32_t* place_bit = members.place_bit + 64 * word;
            for (std::uint64_t left = followers & members.among[word]; left != 0;
                 left &= left - 1) {
                const auto follower = static_cast<std::size_t>(std::countr_zero(left));
                const double each = factors[bin[depth] | place_bit[follower]] * row[follower];
                to[follower] += each;
                extending += each;
            }
        }
        probability[depth] = extending + total(sums);
    }

    ARCWISE_INLINE void leave(int depth, int member) {
        by_member[member] += probability[depth];
        probability[depth - 1] += probability[depth];
    }
};

template <bool one_word>
ARCWISE_INLINE void walk_bins(const FamilyTree& tree, const double* weights, const Members& members,
                              PrefixBins& bins) {
    BinVisitor<one_word> visitor{tree, weights, members, bins};
    visitor.enter(0, 0, -1);
    walk_tree<one_word>(tree, members.all, visitor);
}

template <bool one_word>
ARCWISE_INLINE double walk_probabilities(const FamilyTree& tree, const double* weights,
                                         const Members& members, std::size_t bin_of_empty,
                                         const double* factors, double* by_member) {
    ProbabilityVisitor<one_word> visitor{tree, weights, members, factors, by_member};
    visitor.bin[0] = bin_of_empty;
    visitor.enter(0, 0, -1);
    walk_tree<one_word>(tree, members.all, visitor);
    return visitor.probability[0];
}

ARCWISE_VECTOR_VERSIONS
double sum_of_allowed(const FamilyTree& tree, const double* weights, const std::uint64_t* allowed) {
    return tree.words == 1 ? walk_sum<true>(tree, weights, allowed)
                           : walk_sum<false>(tree, weights, allowed);
}

// Adds to out[Y] the sum of the families whose places are Y, all but the empty one.
ARCWISE_VECTOR_VERSIONS
void add_by_places(const FamilyTree& tree, const double* weights, const Members& members,
                   PrefixBins& bins, double* out) {
    tree.words == 1 ? walk_bins<true>(tree, weights, members, bins)
                    : walk_bins<false>(tree, weights, members, bins);
    bins.empty_into(out, tree, members);
}

// Returns the probability of all families but the empty one.
ARCWISE_VECTOR_VERSIONS
double add_probabilities(const FamilyTree& tree, const double* weights, const Members& members,
                         std::size_t bin_of_empty, const double* factors, double* by_member) {
    return tree.words == 1
               ? walk_probabilities<true>(tree, weights, members, bin_of_empty, factors, by_member)
               : walk_probabilities<false>(tree, weights, members, bin_of_empty, factors,
                                           by_member);
}

// The members of a base and of places, and what keeps them.
class SplitMembers {
  public:
    SplitMembers(const FamilyTree& tree, ParentBits base, std::span<const int> places)
        : base_(tree), among_(tree), all_(tree), place_bit_(64 * tree.words, 0) {
        base_.insert_candidates(tree, base);
        all_.insert_candidates(tree, base);
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i] < 0 || static_cast<std::size_t>(places[i]) >= tree.number_of.size()) {
                continue;
            }
            const int number = tree.number_of[static_cast<std::size_t>(places[i])];
            among_.insert(number);
            all_.insert(number);
            place_bit_[static_cast<std::size_t>(number)] = std::uint32_t{1} << i;
        }
    }

    Members members() { return {base_.data(), among_.data(), all_.data(), place_bit_.data()}; }

  private:
    MemberSet base_;
    MemberSet among_;
    MemberSet all_;
    std::vector<std::uint32_t> place_bit_;
};

void expect_numbers(const ArchiveReader& reader, const Stored<double>& numbers) {
    for (const double number : numbers) reader.expect(number < -minus_infinity);
}

}  // namespace

FamilyWalk::FamilyWalk(const NodeFamilies& families, double tolerance)
    : tree_(families, tolerance), required_(families.required().size()) {
    double largest = tree_.log_weight_of_empty;
    double smallest = largest == minus_infinity ? -minus_infinity : largest;
    for (const double weight : tree_.log_weights) {
        largest = std::max(largest, weight);
        if (weight != minus_infinity) smallest = std::min(smallest, weight);
    }
    if (largest == minus_infinity) return;
    heaviest_ = largest;
    if (PairedFamilies::suits(tree_)) paired_ = std::make_shared<const PairedFamilies>(tree_);
    const double depth = largest - smallest;
    double scale = window_scale(0.0, -depth);
    for (;; scale -= nats_per_window) {
        if (windows_.size() == most_windows) {
            complete_ = false;
            return;
        }
        Window& window = windows_.emplace_back();
        window.scale = scale;
        std::vector<double> weights(tree_.log_weights.size());
        scaled_exp(weights.data(), tree_.log_weights.data(), heaviest_ + scale, weights.size());
        if (paired_) window.paired_weights = paired_->arranged(weights);
        window.weights = std::move(weights);
        scaled_exp(&window.weight_of_empty, &tree_.log_weight_of_empty, heaviest_ + scale, 1);
        if (-depth >= scale - nats_below_scale) return;
    }
}

FamilyWalk::FamilyWalk(ArchiveReader& reader) : tree_(reader) {
    std::optional<PairedFamilies> paired;
    reader.optional(paired);
    if (paired) paired_ = std::make_shared<const PairedFamilies>(std::move(*paired));
    describe(*this, reader);
}

void FamilyWalk::write(ArchiveWriter& writer) const {
    tree_.write(writer);
    writer.number(paired_ != nullptr);
    if (paired_) paired_->write(writer);
    describe(*this, writer);
}

double FamilyWalk::sum_in(const Window& window, const std::uint64_t* members) const {
    if (paired_) return paired_->sum(window.paired_weights.data(), members[0]);
    return sum_of_allowed(tree_, window.weights.data(), members);
}

double FamilyWalk::log_sum(ParentBits allowed) const {
    MemberSet members(tree_);
    members.insert_candidates(tree_, allowed);
    double result = minus_infinity;
    for (const Window& window : windows_) {
        double sum = window.weight_of_empty;
        if (tree_.most_members > 0) {
            sum += sum_in(window, members.data());
        }
        // What vanished lies below e^-700. What lies above e^600 in a lower window, and counts as
        // less than it is, would have made the sum final before.
        fill_with_scaled_log(&result, &sum, window.scale, smallest_final_sum, 1);
        if (result != minus_infinity) break;
    }
    return result;
}

void FamilyWalk::log_sums_over(ParentBits base, std::span<const int> places, double* out) const {
    SplitMembers split(tree_, base, places);
    const Members members = split.members();
    const std::size_t count = std::size_t{1} << places.size();
    std::fill_n(out, count, minus_infinity);
    std::optional<PrefixBins> bins;
    if (!paired_) bins.emplace(tree_, places.size());
    std::vector<double> sums(count);
    for (const Window& window : windows_) {
        std::fill(sums.begin(), sums.end(), 0.0);
        sums[0] = window.weight_of_empty;
        if (paired_) {
            paired_->add_by_places(window.paired_weights.data(), members.all[0], members.place_bit,
                                   places.size(), sums.data());
        } else if (tree_.most_members > 0) {
            add_by_places(tree_, window.weights.data(), members, *bins, sums.data());
        }
        sum_over_subsets(sums.data(), static_cast<int>(places.size()));
        fill_with_scaled_log(out, sums.data(), window.scale, smallest_final_sum, count);
        // The smallest sum is that over the base alone.
        if (out[0] != minus_infinity) break;
    }
}

void FamilyWalk::add_parent_probabilities(ParentBits base, std::span<const int> places,
                                          const double* log_factors, double* by_place) const {
    SplitMembers split(tree_, base, places);
    const Members members = split.members();
    const std::size_t candidates = tree_.number_of.size();
    std::size_t bin_of_empty = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] >= static_cast<int>(candidates)) bin_of_empty |= std::size_t{1} << i;
    }
    const std::size_t count = std::size_t{1} << places.size();
    std::vector<double> factors(count);
    std::vector<double> by_member(64 * tree_.words, 0.0);
    double probability = 0.0;
    // A family that is a probability in bin Y weighs at most e^-log_factors[Y]. Each bin is done in
    // the highest window in which e^600 bounds its factor: families that vanish there, below
    // e^-700, have a probability below e^-100, and none of the bin's is above e^600 in a lower
    // window.
    for (std::size_t i = 0; i < windows_.size(); ++i) {
        const Window& window = windows_[i];
        const double scale = heaviest_ + window.scale;
        const double scale_above = i == 0 ? 0.0 : heaviest_ + windows_[i - 1].scale;
        scaled_exp(factors.data(), log_factors, -scale, count);
        bool any = false;
        for (std::size_t bin = 0; bin < count; ++bin) {
            const bool here = log_factors[bin] + scale <= nats_below_scale &&
                              (i == 0 || log_factors[bin] + scale_above > nats_below_scale);
            factors[bin] = here ? factors[bin] : 0.0;
            any = any || factors[bin] > 0.0;
        }
        if (!any) continue;
        probability += window.weight_of_empty * factors[bin_of_empty];
        if (tree_.most_members > 0) {
            probability += add_probabilities(tree_, window.weights.data(), members, bin_of_empty,
                                             factors.data(), by_member.data());
        }
    }
    for (std::size_t number = 0; number < candidates; ++number) {
        by_place[static_cast<std::size_t>(tree_.candidate_at[number])] += by_member[number];
    }
    for (std::size_t i = 0; i < required_; ++i) by_place[candidates + i] += probability;
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
        reader.expect(std::isfinite(window.scale) && window.weight_of_empty < -minus_infinity);
        reader.expect(window.weights.size() == tree_.log_weights.size());
        reader.expect(window.paired_weights.size() == (paired_ ? paired_->size() : 0));
        expect_numbers(reader, window.weights);
        expect_numbers(reader, window.paired_weights);
    }
}

}  // namespace arcwise
