// The score sums of one node whose families are the subsets of its inside candidates, each alone or
// joined by one of the outside ones.
//
// For every subset S of the inside candidates there is a row of numbers: the sum over the families
// within S without an outside parent, then one for each outside parent, over the families within S
// that have it. A sum over the families within any set is a row added up under a mask. Rows hold
// plain numbers, each with a power of two of its own, so that a step takes no exponentials; a row
// whose weights lie too far apart for that is kept as logarithms.
//
// A family is known by its place: the inside subset times the length of a row, plus the entry in
// the row. Sets of possible parents are bits: inside candidates, outside ones, required parents;
// callers check that the required ones are there.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/scan/sorted_families.hpp"
#include "arcwise/support/archive.hpp"
#include "arcwise/support/set_memo.hpp"

namespace arcwise {

class PlusOneSums {
  public:
    // Fills rows of sums, of maxima, or of both. Without sums, only `max`, `best` without required
    // parents, `count` and the questions about a place are answered. Throws `capacity` beyond 30
    // inside candidates.
    PlusOneSums(const NodeFamilies& families, int node, bool with_sums, bool with_max);

    // Reads them as they were written.
    explicit PlusOneSums(ArchiveReader& reader) {
        describe(*this, reader);
        copy_first_column();
    }
    void write(ArchiveWriter& writer) const { describe(*this, writer); }

    // Throws `file_format` unless what was read can be the rows of a node with this many candidates
    // and required parents.
    void expect_sound(const ArchiveReader& reader, std::uint64_t node, std::size_t candidates,
                      std::size_t required) const;

    std::size_t inside() const { return inside_; }

    // These are all as in NodeSums.
    double log_sum(ParentBits allowed) const;
    double log_sum(ParentBits allowed, ParentBits required, SumMemo& memo,
                   double smallest_share = usual_share) const;
    double max(ParentBits allowed) const;
    std::int64_t draw(ParentBits allowed, ParentBits required, Random& random) const;

    using Set = std::uint32_t;  // of inside candidates

    // The sum over the families within `allowed` that have a parent in `required` (null: any), as
    // plain numbers in units of e^unit. A state keeps it for each node, and has at once what one
    // outside parent more or less would make of it.
    struct RowSums {
        Set set = 0;
        Set rest = 0;        // of it, without those in `required`
        double ratio = 0.0;  // of the row of `rest` in units of the other; zero if all are met
        double whole = 0.0;  // whatever is required
        double met = 0.0;
        double unit = 0.0;
        bool digits = false;  // whether `met` has enough of them; else nothing is known
    };
    RowSums row_sums(ParentBits allowed, ParentBits required) const;
    // The same for other sets, from what is known of the first ones where that is quicker.
    RowSums changed_sums(const RowSums& now, ParentBits allowed, ParentBits required,
                         ParentBits allowed_then, ParentBits required_then) const;

    // A draw in two stages, for callers who remember the second one, in which the same questions
    // come back. The first stage draws the outside parent, as an entry of the row; what is left to
    // draw is a subset of `set` that meets `wanted` (0: any), by the weights of the families with
    // that entry. Returns nothing where numbers have too few digits for it; `draw` then makes the
    // draw.
    struct InsideDraw {
        Set set = 0;
        Set wanted = 0;
        std::uint32_t entry = 0;
        bool operator==(const InsideDraw&) const = default;
    };
    std::optional<InsideDraw> draw_outside(ParentBits allowed, ParentBits required,
                                           Random& random) const;
    // The same by sums that are known and have digits.
    InsideDraw draw_outside(const RowSums& known, ParentBits allowed, ParentBits required,
                            Random& random) const;
    // The pieces of this draw. A number below `known.met` is drawn; it is used up first by the sum
    // over the families without an outside parent, then by one entry after the other: those of the
    // outside parents in `some`, or all others. find_entry returns the entry that uses up the rest
    // of the number, `left`, or 0 with what is then left; `last` becomes the last entry that has a
    // weight.
    double without_outside(const RowSums& known, ParentBits required) const {
        return part(known, 0, required == nullptr);
    }
    std::size_t find_entry(const RowSums& known, ParentBits allowed, ParentBits required,
                           ParentBits some, bool among, double& left, std::size_t& last) const;
    InsideDraw inside_draw(ParentBits allowed, ParentBits required, std::size_t at) const;
    Set draw_inside(const InsideDraw& what, Random& random) const;
    std::int64_t place(Set set, std::size_t at) const {
        return static_cast<std::int64_t>(set * length_ + at);
    }

    // The row of a set that is not kept as logarithms, and an outside parent's entry in it.
    const double* row(Set set) const { return rows_.data() + set * length_; }
    std::size_t entry_at(std::size_t parent) const { return parent - inside_ + 1; }
    // What an entry adds to a sum, if its outside parent is a required one or not.
    double part(const RowSums& sums, std::size_t at, bool met) const {
        const double all = row(sums.set)[at];
        if (met) return all;
        const double part = all - sums.ratio * row(sums.rest)[at];
        return part > 0.0 ? part : 0.0;
    }

    // The heaviest of the subsets with their shares of the whole, and a draw that tries them first.
    struct InsideShares {
        static constexpr std::size_t most = 6;
        std::uint32_t count = 0;
        std::array<Set, most> sets;
        std::array<double, most> shares;
    };
    void find_heaviest(const InsideDraw& what, InsideShares& heaviest) const {
        std::vector<Interval> rest;
        find_heaviest(what, heaviest, rest);
    }
    Set draw_inside(const InsideDraw& what, const InsideShares& heaviest, Random& random) const {
        if (random.scripted()) return draw_scripted(what, heaviest, random);
        double left = random.uniform();
        for (std::size_t i = 0; i < heaviest.count; ++i) {
            left -= heaviest.shares[i];
            if (left < 0.0) return heaviest.sets[i];
        }
        return draw_beyond(what, random);
    }

    bool is_outside(std::size_t parent) const { return parent >= inside_; }

    // The log sum relative to the heaviest family, which has the log weight `heaviest`.
    double relative_log_sum(ParentBits allowed) const;
    double heaviest() const { return heaviest_; }

    // A sum with required parents is a difference of two rows of plain numbers. Where it is a
    // smaller share of the whole than this, the families are added up.
    static constexpr double usual_share = 0x1p-12;
    // The same where numbers are so small that digits were lost.
    static constexpr double smallest_sum = 0x1p-960;

    // The place of the heaviest family within `allowed` that meets `required` (null: any), or -1.
    std::int64_t best(ParentBits allowed, ParentBits required) const;

    // by_place[u] += factor * P(u is a parent | parents within `allowed`, one of them in
    // `required`, if that is not null).
    void add_parent_probabilities(ParentBits allowed, ParentBits required, double factor,
                                  SumMemo& memo, double* by_place) const;

    std::uint64_t count() const { return count_; }
    // The log weight of the family at a place; where there are only maxima, that of the heaviest
    // one within it.
    double weight(std::int64_t place) const {
        return (raw_.empty() ? maxima_ : raw_)[static_cast<std::size_t>(place)];
    }

    // The place of the family with exactly these parents, whatever the required ones; -1 if more
    // than one is outside.
    std::int64_t place_of(ParentBits parents) const;

    // Adds the family's parents except the required ones.
    void add_parents(std::int64_t place, std::uint64_t* bits) const;

    // Calls visit(place, weight) for all families within `allowed` that meet `required` (null: any)
    // and have a weight.
    template <class Visit>
    void for_each(ParentBits allowed, ParentBits required, Visit visit) const;

  private:
    friend class IncrementalSums;

    // The sets between two, and the weight of their families.
    struct Interval {
        Set included;
        Set set;
        double weight;
    };
    class RowNumbers;

    template <class Self, class Archive>
    static void describe(Self& self, Archive& archive) {
        archive.number(self.node_);
        archive.number(self.count_);
        archive.number(self.words_);
        archive.number(self.inside_);
        archive.number(self.entries_);
        archive.number(self.chunks_);
        archive.number(self.length_);
        archive.number(self.all_);
        archive.array(self.raw_);
        archive.number(self.heaviest_);
        archive.array(self.rows_);
        archive.array(self.exponents_);
        archive.array(self.wide_sets_);
        archive.array(self.wide_rows_);
        archive.array(self.maxima_);
    }

    Set inside_of(ParentBits bits) const { return static_cast<Set>(bits[0]) & all_; }

    // Which entries of a row the outside parents among `bits` are, 64 at a time.
    std::uint64_t entries_of(ParentBits bits, std::size_t chunk) const;
    // The row's entries within `allowed`, the one without an outside parent among them.
    std::uint64_t entries_within(ParentBits allowed, std::size_t chunk) const {
        return entries_of(allowed, chunk) | (chunk == 0 ? 1U : 0U);
    }

    [[noreturn]] static void refuse_without_sums();

    void fill_sums();
    void copy_first_column();
    void fill_maxima();
    // Turns the logarithms of a row into plain numbers; false, and nothing is done, where they are
    // too far apart.
    bool fill_row(double* numbers, int& exponent) const;
    bool wide(Set set) const { return exponents_[set] == kept_as_logarithms; }
    const double* wide_row(Set set) const {
        const Set* found = std::lower_bound(wide_sets_.begin(), wide_sets_.end(), set);
        return wide_rows_.data() + static_cast<std::size_t>(found - wide_sets_.begin()) * length_;
    }

    template <class Entries, class Fold, class Join>
    double folded(const double* row, Entries entries, Fold fold, Join join) const;
    // The sum of a row's entries as a plain number, to be multiplied by the row's power of two.
    template <class Entries>
    double sum_of(Set set, Entries entries) const;
    template <class Entries>
    double log_sum_of(Set set, Entries entries) const;
    // The same in units of 2^exponent, of any row.
    template <class Entries>
    double sum_in_units(Set set, Entries entries, int exponent) const;
    // The sum over the families that meet `required` as a plain number, in units of the power of
    // two of the row of `allowed`; zero if the difference would be too small.
    double sum_meeting(ParentBits allowed, ParentBits required, double smallest_share) const;
    // The entry of a row in units of 2^exponent.
    double entry(Set set, std::size_t at, int exponent) const;

    double add_up(ParentBits allowed, ParentBits required) const;
    std::int64_t choose(ParentBits allowed, ParentBits required, Random& random) const;
    RowSums sums_between(Set set, Set rest, bool all_met) const;
    // The weights of the row's entries in a draw, in units of its power of two, and their sum: zero
    // where the difference would be too small or a row is kept as logarithms.
    double entry_weights(ParentBits allowed, ParentBits required, double* numbers) const;
    // Draws a subset of `set` with all of `included`, by the weights of the families with the
    // entry. Rows of subsets may be kept as logarithms, that of the set drawn within may not.
    Set draw_between(Set included, Set set, std::size_t at, Random& random) const;
    // Divides the families to draw from until the heaviest ones are found; all others are in the
    // intervals that are left. Returns the weight of all.
    double find_heaviest(const InsideDraw& what, InsideShares& heaviest,
                         std::vector<Interval>& rest) const;
    // Draws a family that is not one of the heaviest.
    Set draw_beyond(const InsideDraw& what, Random& random) const;
    Set draw_scripted(const InsideDraw& what, const InsideShares& heaviest, Random& random) const;
    double family_in_units(Set set, std::size_t at, int exponent) const;
    // The weight of the families between two sets, by inclusion and exclusion.
    double between(Set included, Set set, std::size_t at, int exponent) const;

    static constexpr int kept_as_logarithms = std::numeric_limits<int>::min();

    std::uint64_t node_;
    std::uint64_t count_;
    std::size_t words_;   // of a set of possible parents
    std::size_t inside_;  // candidates
    std::size_t entries_;
    std::size_t chunks_;  // of 64 entries in a row
    std::size_t length_;  // of a row: the entries, and zeros up to a multiple of eight
    Set all_;
    Stored<double> raw_;     // the log weight of each family
    double heaviest_ = 0.0;  // of them; rows are relative to it
    Stored<double> rows_;    // sums over subsets
    Stored<int> exponents_;  // of two, by row
    Stored<Set> wide_sets_;  // those whose rows are kept as logarithms, ascending
    Stored<double> wide_rows_;
    Stored<double> maxima_;  // over subsets; empty if not asked for
    // By set, the entries without an outside parent, of rows and of families: most draws take them,
    // and rows are far apart in memory.
    std::vector<double> first_column_;
    std::vector<double> first_families_;
};

inline std::uint64_t PlusOneSums::entries_of(ParentBits bits, std::size_t chunk) const {
    // Entry 1 is the first bit after the inside candidates; entry 0 takes the bit before it, which
    // is cleared.
    std::uint64_t result = 0;
    const std::size_t start = inside_ + 64 * chunk;
    if (start == 0) {
        result = bits[0] << 1;
    } else {
        const std::size_t word = (start - 1) / 64;
        const std::size_t shift = (start - 1) % 64;
        if (word >= words_) return 0;
        result = bits[word] >> shift;
        if (shift > 0 && word + 1 < words_) result |= bits[word + 1] << (64 - shift);
    }
    const std::size_t left = entries_ - 64 * chunk;
    result &= first_bits(left);
    return chunk == 0 ? result & ~std::uint64_t{1} : result;
}

inline std::int64_t PlusOneSums::place_of(ParentBits parents) const {
    std::size_t at = 0;
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        const std::uint64_t entries = entries_of(parents, chunk);
        if (entries == 0) continue;
        if (at != 0 || !std::has_single_bit(entries)) return -1;
        at = 64 * chunk + static_cast<std::size_t>(std::countr_zero(entries));
    }
    return place(inside_of(parents), at);
}

template <class Visit>
void PlusOneSums::for_each(ParentBits allowed, ParentBits required, Visit visit) const {
    if (raw_.empty()) refuse_without_sums();
    const Set within = inside_of(allowed);
    const Set wanted = required == nullptr ? 0 : inside_of(required);
    // All subsets of `within`, the empty one first.
    Set set = 0;
    do {
        const bool met = required == nullptr || (set & wanted) != 0;
        for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
            std::uint64_t left = entries_within(allowed, chunk);
            if (!met) left &= entries_of(required, chunk);
            for (; left != 0; left &= left - 1) {
                const std::int64_t at =
                    place(set, 64 * chunk + static_cast<std::size_t>(std::countr_zero(left)));
                const double of_family = weight(at);
                if (of_family > minus_infinity) visit(at, of_family);
            }
        }
        set = (set - within) & within;
    } while (set != 0);
}

}  // namespace arcwise
