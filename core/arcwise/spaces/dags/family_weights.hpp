// The weight of any one family, by the bits of its parents among all nodes.
//
// Where a node has all sets of its candidates up to a size, or nearly all, weights lie by the rank
// of the set; where its sums are computed by rows, these have them; otherwise a hash table has the
// place of the family among the sorted ones.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "arcwise/families/subset_layout.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class FamilyWeights {
  public:
    explicit FamilyWeights(const ScoreSums& sums);

    const ScoreSums& sums() const { return sums_; }
    int nodes() const { return static_cast<int>(nodes_.size()); }
    std::size_t words() const { return words_; }  // in a set of nodes

    // The most parents that a family of any node has.
    int most_parents() const { return most_parents_; }

    // The log weight of a family; minus infinity if the model has none such.
    double find(int node, const std::uint64_t* parents) const;

    // The same, where a set that is no family counts as impossible the more often, the more edges
    // have to change to make it one, so that a chain finds its way from there; the lightest family
    // stands in for its weight.
    LogWeight weigh(int node, const std::uint64_t* parents) const;

    // Sets of nodes: the parents a family may have or not, and those it must have.
    const std::uint64_t* candidates(int node) const { return row(candidates_, node); }
    const std::uint64_t* required(int node) const { return row(required_, node); }

    // If all sets of candidates up to a size are families: then that size, else -1.
    int all_up_to(int node) const { return at(node).all_up_to; }

    // A set of nodes as bits of a node's possible parents, sums().words() of them; and a family, by
    // its place, as a set of nodes.
    void to_places(int node, const std::uint64_t* set, std::uint64_t* places) const;
    void parents_of(int node, std::int64_t family, std::uint64_t* set) const;

  private:
    struct OfNode {
        int all_up_to = -1;
        bool ranked = false;
        bool all_others = false;  // every other node is a candidate, and they fit a word
        SubsetLayout layout;
        std::vector<double> by_rank;
        std::vector<std::uint32_t> by_hash;  // place among the sorted families + 1, 0 for none
        int largest = 0;                     // candidates in a family
        double lightest = std::numeric_limits<double>::infinity();
    };

    const OfNode& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
    const std::uint64_t* row(const std::vector<std::uint64_t>& rows, int node) const {
        return rows.data() + static_cast<std::size_t>(node) * words_;
    }
    void fill(int node);
    void fill_ranks(OfNode& own, const SortedFamilies& families, int candidates) const;
    void fill_hashes(OfNode& own, const SortedFamilies& families) const;
    double find_by_places(int node, const std::uint64_t* parents) const;

    const ScoreSums& sums_;
    std::size_t words_;
    int most_parents_ = 0;
    std::vector<OfNode> nodes_;
    std::vector<std::uint64_t> candidates_;
    std::vector<std::uint64_t> required_;
};

}  // namespace arcwise
