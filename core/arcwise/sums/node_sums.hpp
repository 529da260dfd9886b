// The score sums of one node: what every space, algorithm and exact computation stands on.
//
// There are five ways to add up a node's families. Four answer behind this interface:
//   table   holds the sum over every set of candidates (K 2^(K-1) additions fill it), so that a
//           question is one look-up;
//   rows    hold the same over the sets of inside candidates where a family may have one outside
//           parent besides, so that a question adds up a row under a mask;
//   walk    adds up the allowed families, prefix by prefix;
//   scan    adds up the families by falling weight, until those left cannot matter.
// The fifth, layers (sums/layers), stands on the other four: it gives the sums over all sets of
// members of a layer at once, by tables of its own or from the single families.
//
// Draws scan, except those from rows: heavy families come first, so a draw rarely looks at more
// than a few. Callers whose sets gain and lose one parent at a time ask IncrementalSums
// (incremental_sums.hpp), which keeps what is known of the sums before.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/sums/rows/plus_one_sums.hpp"
#include "arcwise/sums/scan/sorted_families.hpp"
#include "arcwise/sums/walk/family_walk.hpp"
#include "arcwise/support/archive.hpp"
#include "arcwise/support/set_memo.hpp"

namespace arcwise {

// How the weights of a node's families become one: by their sum, or as the largest of them.
enum class Semiring { sum, maximum };

enum class SumMethod { table, rows, walk, scan };

// What tables and rows hold. Rows of maxima alone answer no questions about sums.
enum class Tabulated { sums, maxima, both };

class NodeSums {
  public:
    // `tolerance` is the share of a sum that a walk or a scan may leave out.
    NodeSums(const NodeFamilies& families, int node, SumMethod method, double tolerance,
             Tabulated tabulated);

    // Reads them as they were written; all large parts stay where they lie in the file.
    explicit NodeSums(ArchiveReader& reader) { describe(*this, reader); }
    void write(ArchiveWriter& writer) const { describe(*this, writer); }

    // Throws `file_format` unless what was read can be the sums of this node with this many
    // possible parents, the first of them `inside`; whoever wrote it, no answer then leaves its
    // memory.
    void expect_sound(const ArchiveReader& reader, std::size_t node, std::size_t possible,
                      std::size_t inside) const;

    // 64-bit words in a set of possible parents.
    std::size_t words() const { return words_; }

    // How the sums are added up: by a table, by rows, or, where neither holds, by walk or scan.
    bool tabulated() const { return !sums_.empty(); }
    bool by_rows() const { return rows_.has_value(); }

    std::size_t candidates() const { return candidates_; }
    ParentBits required_bits() const { return required_bits_.data(); }

    // Whether every parent that must be in all families is allowed; whether one is in `required`.
    bool has_required_parents(ParentBits allowed) const;
    bool meets_required_parents(ParentBits required) const;

    // ln of the summed weights of the families within `allowed`.
    double log_sum(ParentBits allowed) const;

    // The same for the families that have at least one parent in `required` as well.
    double log_sum(ParentBits allowed, ParentBits required, SumMemo& memo) const;

    // ln of the summed weights of the families within `allowed`, relative to `sum_scale`, and the
    // share of that sum below which a difference of two such sums has less than nine digits.
    double relative_log_sum(ParentBits allowed) const;
    double sum_scale() const { return rows_ ? rows_->heaviest() : heaviest_; }
    double smallest_difference() const;

    // The log sum over the families within `allowed` that meet `required`, to nine digits: more are
    // rarely needed and often take long.
    double nearly_log_sum(ParentBits allowed, ParentBits required, SumMemo& memo) const;

    // The largest log weight of a family within `allowed`.
    double max(ParentBits allowed) const;

    // The heaviest family within `allowed` that meets `required` (null: any), or -1.
    std::int64_t best(ParentBits allowed, ParentBits required) const;

    // A family in proportion to its weight, known by its place; -1 if there is none.
    std::int64_t draw(ParentBits allowed, Random& random) const;
    std::int64_t draw(ParentBits allowed, ParentBits required, SumMemo& memo, Random& random) const;

    // out[Y] = log_sum(base + Y) for every set Y of the given places, by its bits: place i is bit
    // i. A place is a bit position of ParentBits; -1 stands for a node that cannot be a parent. The
    // places are not in `base`.
    void log_sums_over(ParentBits base, std::span<const int> places, double* out) const;

    // by_place[u] += sum over the families A within base + places that hold u of
    // e^(weight of A + log_factors[A's places]), for u in base and in places (bit positions). Every
    // term must be a probability.
    //
    // Where the factors never grow with the set of places, as those that sum over what comes after
    // the family, the tolerance bounds the error. A walk leaves out families that are light beside
    // their subsets, which with factors that grow may matter all the same; so with `any` factors
    // there is no walk.
    enum class Factors { falling, any };
    void add_parent_probabilities(ParentBits base, std::span<const int> places,
                                  const double* log_factors, double* by_place,
                                  Factors factors = Factors::falling) const;

    // by_place[u] += P(u is a parent | parents within `allowed`, one of them in `required`).
    void add_parent_probabilities(ParentBits allowed, ParentBits required, SumMemo& memo,
                                  double* by_place) const;

    std::uint64_t count() const { return rows_ ? rows_->count() : sorted_->count(); }

    // The log weight of the family at a place, and its parents as bits.
    double weight(std::int64_t place) const {
        return rows_ ? rows_->weight(place) : sorted_->weight(static_cast<std::size_t>(place));
    }
    void copy_parents(std::int64_t place, std::uint64_t* bits) const;

    // The families by falling weight; null where there are rows, which know no such order.
    const SortedFamilies* listed() const { return sorted_ ? &*sorted_ : nullptr; }

    // Calls visit(place, weight) for every family that has a weight.
    template <class Visit>
    void for_each(Visit visit) const {
        if (rows_) {
            const std::vector<std::uint64_t> all(words_, ~std::uint64_t{0});
            rows_->for_each(all.data(), nullptr, visit);
            return;
        }
        for (std::size_t place = 0; place < sorted_->count(); ++place) {
            visit(static_cast<std::int64_t>(place), sorted_->weight(place));
        }
    }

    // The place in the rows of the family with exactly these parents, or -1; by rows only.
    std::int64_t place_in_rows(ParentBits parents) const { return rows_->place_of(parents); }

    // How many families a walk keeps, or all of them where none is made.
    std::uint64_t families_kept() const { return walk_ ? walk_->families_kept() : count(); }

  private:
    // These classes of this room look up millions of times a second, or build on the tables.
    friend class IncrementalSums;
    friend class FamilyDraws;
    friend class HolderTable;

    template <class Self, class Archive>
    static void describe(Self& self, Archive& archive) {
        archive.number(self.node_);
        archive.number(self.candidates_);
        archive.number(self.required_count_);
        archive.number(self.words_);
        archive.optional(self.sorted_);
        archive.optional(self.rows_);
        archive.array(self.required_bits_);
        archive.number(self.heaviest_);
        archive.array(self.sums_);
        archive.array(self.maxima_);
        archive.optional(self.walk_);
    }

    // Does the look-ups of log_sums_over, without regard for required parents.
    void look_up_over(ParentBits base, std::span<const int> places, double* out) const;
    std::vector<std::uint64_t> with_places_in(std::size_t set, ParentBits base,
                                              std::span<const int> places) const;
    void add_row_probabilities(ParentBits base, std::span<const int> places,
                               const double* log_factors, double* by_place) const;
    void add_to_required(double amount, double* by_place) const;
    bool is_candidate(int place) const {
        return place >= 0 && static_cast<std::size_t>(place) < candidates_;
    }
    // relative_log_sum by table or walk, without regard for required parents.
    double tabulated_log_sum(ParentBits allowed) const;
    double log_sum_meeting(ParentBits allowed, ParentBits required, SumMemo& memo,
                           double smallest_gap, double smallest_share) const;

    std::uint64_t node_;
    std::size_t candidates_;
    std::size_t required_count_;
    std::size_t words_;
    std::optional<SortedFamilies> sorted_;
    std::optional<PlusOneSums> rows_;
    std::vector<std::uint64_t> required_bits_;  // the parents in every family
    // Sums are kept relative to the heaviest family: logarithms near zero have more digits after
    // the point, and a difference of two sums needs them.
    double heaviest_ = 0.0;
    Stored<double> sums_;  // by set of candidates; empty: no table
    Stored<double> maxima_;
    std::optional<FamilyWalk> walk_;
};

}  // namespace arcwise
