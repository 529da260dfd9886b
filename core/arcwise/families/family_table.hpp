// One number per family: for each node, its allowed parent sets and a value for each of them.
//
// Every family of a node contains the node's `required` parents and any of its *free* parents, the
// `candidates`. Which free sets are families is either implied (all subsets of the candidates up to
// a size, numbered by SubsetLayout; or, with outside candidates, those that have at most one of
// them) or listed (files of pruned scores). Members of a free set are positions in `candidates`, so
// a node's families cost 8 bytes each however many nodes there are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arcwise/families/subset_layout.hpp"
#include "arcwise/support/archive.hpp"

namespace arcwise {

class NodeFamilies {
  public:
    NodeFamilies() = default;

    // All subsets of `candidates` with at most `max_free` members, each joined by `required`.
    NodeFamilies(std::vector<int> candidates, std::vector<int> required, int max_free);

    // The same, and each of those sets of fewer than `max_free` members joined by one of `outside`.
    // The outside parents come last among the candidates; each part is ascending. Without values it
    // only says which families there are, however many.
    NodeFamilies(std::vector<int> candidates, std::vector<int> required, int max_free,
                 const std::vector<int>& outside, bool with_values = true);

    // Exactly the free sets listed: `members` holds candidate positions, those of family i, in
    // descending order, between offsets[i] and offsets[i + 1].
    NodeFamilies(std::vector<int> candidates, std::vector<int> required,
                 std::vector<std::uint16_t> members, std::vector<std::uint64_t> offsets);

    // Which families there are, without their values, in a file and back. Throws `file_format`
    // unless they can be those of this node among `nodes`.
    void write_sets(ArchiveWriter& writer) const;
    static NodeFamilies read_sets(ArchiveReader& reader, std::size_t node, std::size_t nodes);

    const std::vector<int>& candidates() const { return candidates_; }
    const std::vector<int>& required() const { return required_; }
    bool listed() const { return !offsets_.empty(); }
    std::uint64_t count() const {
        return listed() ? offsets_.size() - 1 : layout_.count() + outside() * plus_one_.count();
    }

    // The candidates of which any number may come together, the first ones, and how many others
    // there are, of which a family has at most one.
    std::size_t inside() const { return inside_; }
    std::size_t outside() const { return candidates_.size() - inside_; }

    // The subsets of the inside candidates, whose families are stored first; and those of them that
    // come with an outside parent as well, stored after them, the outside parents of one set side
    // by side.
    const SubsetLayout& layout() const { return layout_; }
    ParentSets parent_sets() const;

    // Free parents in the largest implied family.
    int max_free() const {
        return outside() > 0 ? std::max(layout_.max_size(), plus_one_.max_size() + 1)
                             : layout_.max_size();
    }

    std::vector<double>& values() { return values_; }
    const std::vector<double>& values() const { return values_; }

    // Calls visit(index, members) for every family in storage order; members are the positions of
    // the free parents, descending.
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::vector<int> set;
        if (!listed()) {
            layout_.for_each(visit);
            if (outside() == 0) return;
            std::uint64_t index = layout_.count();
            plus_one_.for_each([&](std::uint64_t, std::span<const int> members) {
                set.assign(1, 0);
                set.insert(set.end(), members.begin(), members.end());
                for (std::size_t position = inside_; position < candidates_.size(); ++position) {
                    set[0] = static_cast<int>(position);
                    visit(index++, std::span<const int>(set));
                }
            });
            return;
        }
        for (std::uint64_t index = 0; index < count(); ++index) {
            set.assign(members_.begin() + static_cast<std::ptrdiff_t>(offsets_[index]),
                       members_.begin() + static_cast<std::ptrdiff_t>(offsets_[index + 1]));
            visit(index, std::span<const int>(set));
        }
    }

    // Storage index of the family whose parents (node numbers, any order) are given, or -1.
    std::int64_t find(std::span<const int> parents) const;

    // The same of the family whose free parents are given as descending positions.
    std::int64_t index_of(std::span<const int> members) const;

    // The free ones among these parents, as descending positions; none if these are the parents of
    // no family, whichever may be listed.
    std::optional<std::vector<int>> members_of(std::span<const int> parents) const;

    // All parents of a family, as ascending node numbers.
    std::vector<int> parents(std::span<const int> members) const;

    // The same for the family at a storage index.
    std::vector<int> parents_of(std::uint64_t index) const;

  private:
    std::vector<int> candidates_;
    std::vector<int> required_;
    std::size_t inside_ = 0;
    SubsetLayout layout_;
    SubsetLayout plus_one_;
    std::vector<std::uint16_t> members_;
    std::vector<std::uint64_t> offsets_;
    std::vector<double> values_;
};

// The families of all nodes; node v is at index v.
using FamilyTable = std::vector<NodeFamilies>;

// Keeps the families of `table` whose parents are all allowed, include the required ones and are at
// most max_indegree; matrices are nodes x nodes, [parent][node]. A node may be left with none.
FamilyTable restrict_families(const FamilyTable& table, std::span<const std::uint8_t> allowed,
                              std::span<const std::uint8_t> required,
                              std::span<const std::int64_t> max_indegree);

// One number per family with exactly one outside parent: for each node, all subsets of its
// candidates, each joined by the required parents and by one of the outside ones in turn.
//
// The numbers of one subset lie side by side, which is how a walk over sets meets them.
class PlusOneFamilies {
  public:
    // Subsets of `candidates` with at most `max_free` members; candidates, required and outside
    // parents are different nodes. No outside parents, no families.
    PlusOneFamilies(std::vector<int> candidates, std::vector<int> required,
                    std::vector<int> outside, int max_free);

    const std::vector<int>& candidates() const { return candidates_; }
    const std::vector<int>& required() const { return required_; }
    const std::vector<int>& outside() const { return outside_; }
    const SubsetLayout& layout() const { return layout_; }
    std::uint64_t count() const { return values_.size(); }

    // The family of the subset of rank r and the outside parent at place p is at
    // r * outside().size() + p.
    std::vector<double>& values() { return values_; }
    const std::vector<double>& values() const { return values_; }

    ParentSets parent_sets() const { return {candidates_, required_, outside_, nullptr, &layout_}; }

    // Calls visit(parents) for every family in storage order, parents as ascending node numbers.
    template <class Visit>
    void for_each(Visit&& visit) const {
        if (outside_.empty()) return;
        layout_.for_each([&](std::uint64_t, std::span<const int> members) {
            for (const int parent : outside_) visit(parents(members, parent));
        });
    }

  private:
    std::vector<int> parents(std::span<const int> members, int outside) const;

    std::vector<int> candidates_;
    std::vector<int> required_;
    std::vector<int> outside_;
    SubsetLayout layout_;
    std::vector<double> values_;
};

// Those of all nodes; node v is at index v.
using PlusOneTable = std::vector<PlusOneFamilies>;

// Adds a modular structure prior to family weights.
//
//   ln kappa_v(P) = constant[v] + size[v][|P|] + sum over u in P of edge[u][v]
struct PriorTerms {
    std::span<const double> constant;  // nodes
    std::span<const double> size;      // nodes x nodes, [node][number of parents]
    std::span<const double> edge;      // nodes x nodes, [parent][node]
};

void add_prior(const PriorTerms& terms, FamilyTable& table);

}  // namespace arcwise
