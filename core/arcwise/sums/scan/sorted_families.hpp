// The families of one node by falling weight: sums, maxima and draws by a scan that stops early.
//
// A scan adds the allowed families and stops as soon as all families it has not seen, allowed or
// not, could move the sum by no more than a stated relative tolerance. Sums are scaled by the
// heaviest *allowed* family, so weights may differ by any number of nats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/support/archive.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

// A set of possible parents of one node, as bits over its candidates and then its required parents.
using ParentBits = const std::uint64_t*;

// 64-bit words in a set of a node's possible parents.
inline std::size_t parent_words(const NodeFamilies& families) {
    const std::size_t possible = families.candidates().size() + families.required().size();
    return std::max<std::size_t>(1, words_for(possible));
}

// `base`, a set of this many words, with the given places; -1 stands for a node that cannot be a
// parent.
std::vector<std::uint64_t> with_places(ParentBits base, std::span<const int> places,
                                       std::size_t words);

class SortedFamilies {
  public:
    SortedFamilies(const NodeFamilies& families, double tolerance);

    // Reads them as they were written.
    explicit SortedFamilies(ArchiveReader& reader) { describe(*this, reader); }
    void write(ArchiveWriter& writer) const { describe(*this, writer); }

    // Throws `file_format` unless what was read can be the families of a node with this many
    // possible parents: no answer then reads or writes beyond its memory.
    void expect_sound(const ArchiveReader& reader, std::size_t possible) const;

    // 64-bit words in a set of possible parents.
    std::size_t words() const { return words_; }
    std::size_t count() const { return weights_.size(); }
    double weight(std::size_t place) const { return weights_[place]; }
    ParentBits parents(std::size_t place) const { return bits_.data() + place * words_; }

    // ln of the summed weights of families within `allowed` that meet `required` (null: any
    // family); minus infinity if there is none.
    double log_sum(ParentBits allowed, ParentBits required) const;

    // Place of the heaviest such family, or -1.
    std::int64_t best(ParentBits allowed, ParentBits required) const;

    // Place of the family at which the running share of the log sum first exceeds `share`; or -1 if
    // there is none. With a uniform share, a family in proportion to its weight.
    std::int64_t place_at(ParentBits allowed, ParentBits required, double log_sum,
                          double share) const;

    // As in NodeSums. `lowest` is the set of places that are in every family. Families are left out
    // when they cannot move any of the sums by more than the tolerance, or all probabilities
    // together by more than 1e-15.
    void log_sums_over(ParentBits base, std::span<const int> places, std::size_t lowest,
                       double* out) const;
    void add_parent_probabilities(ParentBits base, std::span<const int> places,
                                  const double* log_factors, double* by_place) const;

    // by_place[u] += sum of e^(weight + log_factor) over the families within `allowed` that meet
    // `required` and hold u; every term is a probability.
    void add_parent_probabilities(ParentBits allowed, ParentBits required, double log_factor,
                                  double* by_place) const;

    // A family in proportion to its weight by Random::choose, which can be scripted; or -1.
    std::int64_t choose(ParentBits allowed, ParentBits required, Random& random) const;

  private:
    template <class Self, class Archive>
    static void describe(Self& self, Archive& archive) {
        archive.number(self.words_);
        archive.number(self.log_tolerance_);
        archive.array(self.weights_);
        archive.array(self.bits_);
        archive.array(self.log_remaining_);
    }

    // The places a family has, as bits.
    std::size_t places_of(std::size_t family, std::span<const int> places) const;

    void add_to_parents(std::size_t family, double amount, double* by_place) const;

    // Visits the families within `allowed` that meet `required` by falling weight, block by block:
    // enter_block(block) before each block, visit(place) for each family; either stops the scan by
    // returning false.
    template <class EnterBlock, class Visit>
    void scan(ParentBits allowed, ParentBits required, EnterBlock enter_block, Visit visit) const;

    std::size_t words_;
    double log_tolerance_;
    Stored<double> weights_;        // falling
    Stored<std::uint64_t> bits_;    // words_ for each family
    Stored<double> log_remaining_;  // by block: ln of all weights from its first family on
};

}  // namespace arcwise
