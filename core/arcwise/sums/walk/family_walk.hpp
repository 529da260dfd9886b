// Score sums of one node by a walk over the tree of its families, with plain numbers instead of
// logarithms.
//
// A double spans 1,400 nats, so weights further apart are kept in several windows, each scaled
// anew. A sum is taken in the top window; where it comes out so small that what vanished there
// could matter, it is taken again in the next one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/sums/scan/sorted_families.hpp"
#include "arcwise/sums/walk/family_tree.hpp"
#include "arcwise/support/archive.hpp"

namespace arcwise {

class PairedFamilies;

class FamilyWalk {
  public:
    // `tolerance` is the share of a sum over all families within a set that may be left out.
    FamilyWalk(const NodeFamilies& families, double tolerance);

    // Reads it as it was written.
    explicit FamilyWalk(ArchiveReader& reader);
    void write(ArchiveWriter& writer) const;

    // Throws `file_format` unless what was read can be the walk of a node with this many candidates
    // and required parents.
    void expect_sound(const ArchiveReader& reader, std::size_t candidates,
                      std::size_t required) const;

    // Whether the windows reach down to the lightest family. Where they do not, a sum that comes
    // out as minus infinity may be that of lighter families.
    bool complete() const { return complete_; }

    std::size_t families_kept() const { return tree_.count; }

    // As in NodeSums, but relative to the heaviest family and without regard for required parents.
    double log_sum(ParentBits allowed) const;
    void log_sums_over(ParentBits base, std::span<const int> places, double* out) const;

    // As in NodeSums, where all required parents are in the base or among the places; the walk must
    // be complete.
    void add_parent_probabilities(ParentBits base, std::span<const int> places,
                                  const double* log_factors, double* by_place) const;

  private:
    struct Window {
        Window() = default;
        explicit Window(ArchiveReader& reader) { describe(*this, reader); }
        void write(ArchiveWriter& writer) const { describe(*this, writer); }

        template <class Self, class Archive>
        static void describe(Self& self, Archive& archive) {
            archive.number(self.scale);
            archive.array(self.weights);
            archive.number(self.weight_of_empty);
            archive.array(self.paired_weights);
        }

        double scale = 0.0;      // relative to the heaviest family
        Stored<double> weights;  // e^(log weight - heaviest - scale)
        double weight_of_empty = 0.0;
        Stored<double> paired_weights;  // the same in the order of paired_
    };

    template <class Self, class Archive>
    static void describe(Self& self, Archive& archive) {
        archive.number(self.required_);
        archive.number(self.heaviest_);
        archive.list(self.windows_);
        archive.number(self.complete_);
    }

    double sum_in(const Window& window, const std::uint64_t* members) const;

    FamilyTree tree_;
    std::shared_ptr<const PairedFamilies> paired_;  // null: all sums are walks
    std::size_t required_;  // parents in every family, whose bits come after the candidates'
    double heaviest_ = 0.0;
    std::vector<Window> windows_;
    bool complete_ = true;
};

}  // namespace arcwise
