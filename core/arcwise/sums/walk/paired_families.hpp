// The families of a tree by their two largest members, for the sums that samplers take by the
// million.
//
// All families with the same two largest members are neighbours. Only pairs of allowed members are
// looked at, and each of their families takes a few cycles. Sums are taken in a fixed order, so
// that every vector unit gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/sums/walk/family_tree.hpp"
#include "arcwise/support/archive.hpp"

namespace arcwise {

class PairedFamilies {
  public:
    // Members must fit a word with one bit to spare, and a family must have at most three pairs of
    // them.
    static bool suits(const FamilyTree& tree) {
        return tree.words == 1 && tree.number_of.size() < 64 && tree.most_members > 0 &&
               tree.most_members <= 6;
    }
    explicit PairedFamilies(const FamilyTree& tree);

    // Reads it as it was written.
    explicit PairedFamilies(ArchiveReader& reader) { describe(*this, reader); }
    void write(ArchiveWriter& writer) const { describe(*this, writer); }
    void expect_sound(const ArchiveReader& reader) const;
    std::size_t size() const { return others_.size(); }  // with what fills the groups

    // The tree's weights in the order of this table, which must not have been read from a file.
    std::vector<double> arranged(std::span<const double> tree_weights) const;

    // The summed weights of the families within `allowed`, all but the empty one.
    double sum(const double* weights, std::uint64_t allowed) const;

    // Adds to out[Y] the summed weights of the families whose places are Y, all but the empty one.
    // place_bit has the bit of each member in a set of places, 0 for those of the base.
    void add_by_places(const double* weights, std::uint64_t allowed, const std::uint32_t* place_bit,
                       std::size_t places, double* out) const;

    // Families lie in groups of whole vectors; what is added to fill them weighs nothing.
    struct Group {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
    };

  private:
    static constexpr std::size_t none = 63;  // stands for a member that is not there

    template <class Self, class Archive>
    static void describe(Self& self, Archive& archive) {
        archive.array(self.groups_);
        archive.array(self.seconds_);
        archive.array(self.others_);
        archive.number(self.lower_pairs_);
        archive.array(self.lower_);
    }

    Stored<Group> groups_;                      // by 64 * largest + second largest, or none
    Stored<std::uint64_t> seconds_;             // by largest: the second largest there are
    Stored<std::uint64_t> others_;              // of each family: the members below the two
    std::size_t lower_pairs_;                   // pairs of members below the two
    Stored<std::uint16_t> lower_;               // these, as 64 * one + other, or none
    std::vector<std::uint32_t> place_in_tree_;  // for `arranged`, which is done when it is made
};

}  // namespace arcwise
