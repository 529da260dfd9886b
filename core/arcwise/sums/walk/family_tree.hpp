// The families of one node that can matter, as a tree of prefixes whose leaves lie in a row.
//
// A family is read as a prefix and its smallest member. All families of one prefix are neighbours
// in memory, by their smallest member, so that a sum over those allowed is a masked sum of a row of
// numbers, and only prefixes of allowed members have to be visited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/support/archive.hpp"

namespace arcwise {

struct FamilyTree {
    // The families must be implied. Those that are light beside one of their own subsets, which is
    // allowed whenever they are, are left out: no sum over the families within any set loses more
    // than `tolerance` of itself. Throws `argument` for listed families.
    FamilyTree(const NodeFamilies& families, double tolerance);

    // Reads it as it was written.
    explicit FamilyTree(ArchiveReader& reader) { describe(*this, reader); }
    void write(ArchiveWriter& writer) const { describe(*this, writer); }
    void expect_sound(const ArchiveReader& reader, std::size_t candidates) const;

    // Members are renumbered by falling number of families they are in: rows are then dense at
    // their beginning and can be cut off early.
    Stored<int> candidate_at;  // by new number
    Stored<int> number_of;     // by candidate

    std::size_t words = 1;  // 64-bit words in a set of members
    int most_members = 0;   // in a family
    std::size_t count = 0;  // of families kept

    // For each prefix of fewer than `most_members` members; the empty one is the first.
    Stored<std::uint64_t> followers;     // `words` each: what members make a family with it
    Stored<std::uint64_t> branches;      // `words` each: what members make a longer prefix
    Stored<std::uint32_t> first_branch;  // that prefix; the others come after it by member
    Stored<std::uint32_t> row;           // where the families begin in `log_weights`

    // Row after row, by smallest member; between and behind families, minus infinity. Eight entries
    // at any place in a row may be read.
    Stored<double> log_weights;
    double log_weight_of_empty = 0.0;

  private:
    template <class Self, class Archive>
    static void describe(Self& self, Archive& archive) {
        archive.array(self.candidate_at);
        archive.array(self.number_of);
        archive.number(self.words);
        archive.number(self.most_members);
        archive.number(self.count);
        archive.array(self.followers);
        archive.array(self.branches);
        archive.array(self.first_branch);
        archive.array(self.row);
        archive.array(self.log_weights);
        archive.number(self.log_weight_of_empty);
    }
};

}  // namespace arcwise
