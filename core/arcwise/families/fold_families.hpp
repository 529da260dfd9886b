// Parent-only nodes summed out of family weights, and the way back.
//
// A parent-only node has children and no parents, and no place in any order: it closes no cycle. So
// the families of an ordinary node that have the same ordinary parents can be added up beforehand:
//
//   folded weight of (v, P)  =  sum over sets Q of parent-only nodes of the weight of (v, P + Q),
//
// and whatever runs over the folded families of the n ordinary nodes costs what it costs for n
// nodes, however many parent-only ones there are. Given the ordinary parents P of v, its
// parent-only ones are Q with probability (weight of (v, P + Q)) / (folded weight), independently
// for each v: that is the way back.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/support/archive.hpp"
#include "arcwise/support/random.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// Which family of one node folds into which. Ordinary nodes are numbered among themselves, in their
// order; all subsets up to a size fold to such, those with an outside parent to such, lists to
// lists.
class FamilyGroups {
  public:
    // `folded_number` has the number of each node among the ordinary ones, -1 for parent-only ones.
    FamilyGroups(const NodeFamilies& families, std::span<const int> folded_number);

    // The families with ordinary parents alone, and zeros.
    const NodeFamilies& folded() const { return folded_; }

    // The folded family that has these ordinary parents, as their numbers among the ordinary nodes.
    std::int64_t find(std::span<const int> parents) const;

    // Calls visit(index, group) for every family in storage order: its index, and that of the
    // folded one.
    template <class Visit>
    void for_each(const NodeFamilies& families, Visit&& visit) const {
        std::vector<int> ordinary;
        families.for_each([&](std::uint64_t index, std::span<const int> members) {
            visit(index, group_of(members, ordinary));
        });
    }

  private:
    void keep_ordinary(std::span<const int> members, std::vector<int>& ordinary) const;
    std::uint64_t group_of(std::span<const int> members, std::vector<int>& ordinary) const;

    NodeFamilies folded_;
    std::vector<int> folded_place_;  // by position among all candidates; -1: none
    std::map<std::vector<int>, std::uint64_t> listed_;  // members, descending, of lists only
};

// Shares of parent-only parents that were asked for before; belongs to one thread.
using ShareMemo = std::unordered_map<std::uint64_t, std::vector<double>>;

// The way back from ordinary parents to all parents.
//
// For each folded family it keeps the families that fold into it, heaviest first, with their shares
// of its weight; the lightest, which together are less than rounding, are left out.
class Unfolding {
  public:
    // As in `fold_families`, which makes it.
    Unfolding(const FamilyTable& table, std::span<const int> parent_only,
              const RunOptions& options);

    explicit Unfolding(ArchiveReader& reader);
    void write(ArchiveWriter& writer) const;

    // All nodes, and which of them are ordinary; both ascending.
    int nodes() const { return nodes_; }
    const std::vector<int>& ordinary() const { return ordinary_; }
    const std::vector<int>& parent_only() const { return parent_only_; }

    // DAGs over the ordinary nodes have a row of words_for(ordinary().size()) words for the parents
    // of each of them, DAGs over all nodes a row of words_for(nodes()). Draws the parent-only
    // parents, or takes the heaviest.
    void draw(const std::uint64_t* ordinary_dag, Random& random, std::uint64_t* dag) const;
    void take_best(const std::uint64_t* ordinary_dag, std::uint64_t* dag) const;

    // edges[z * nodes() + v] += P(z is a parent of v | ordinary parents) for parent-only z.
    void add_shares(const std::uint64_t* ordinary_dag, ShareMemo& memo, double* edges) const;

    // For the ordinary node at a number: which family folds into which, and the folded ones without
    // their weights.
    const FamilyGroups& groups(std::size_t v) const { return *by_node_[v].groups; }
    const NodeFamilies& folded(std::size_t v) const { return by_node_[v].groups->folded(); }

    // The families that fold into one of the ordinary node at a number, heaviest first, as indices
    // into the whole table; and their shares.
    std::span<const std::uint32_t> families(std::size_t v, std::uint64_t folded) const;
    std::span<const double> shares(std::size_t v, std::uint64_t folded) const;

  private:
    struct Node {
        NodeFamilies whole;  // without values
        std::shared_ptr<const FamilyGroups> groups;
        Stored<std::uint64_t> offsets;  // by folded family, into:
        Stored<std::uint32_t> families;
        Stored<double> shares;
    };

    void number_nodes();
    Node sorted(const NodeFamilies& families) const;
    std::uint64_t folded_family(std::size_t v, const std::uint64_t* parents) const;
    void put_parents(std::size_t v, std::uint32_t family, std::uint64_t* dag) const;
    template <class Choose>
    void unfold(const std::uint64_t* ordinary_dag, std::uint64_t* dag, Choose choose) const;

    int nodes_ = 0;
    std::vector<int> parent_only_;
    std::vector<int> ordinary_;
    std::vector<int> folded_number_;
    std::vector<Node> by_node_;  // of the ordinary nodes
};

struct FoldedFamilies {
    FamilyTable sums;    // over the ordinary nodes
    FamilyTable maxima;  // the weight of the heaviest family in place of the sum
    std::shared_ptr<const Unfolding> unfolding;
};

// Sums the parent-only nodes, given in ascending order, out of log weights. Families of
// parent-only nodes are not looked at.
FoldedFamilies fold_families(const FamilyTable& table, std::span<const int> parent_only,
                             const RunOptions& options);

// The probability of every family from that of every folded one: `weights` are those that were
// folded, and a parent-only node has the empty parent set with probability 1.
FamilyTable unfold_probabilities(const FamilyTable& weights, const FoldedFamilies& folded,
                                 const FamilyTable& folded_probabilities);

}  // namespace arcwise
