// One ordered partition, the score sums of its nodes, and the change that is proposed to it.
//
// Its moves are objects of their own (partition_moves.hpp), which see the partition as it is and
// write down what would change: the part of every node, and the sets of those nodes that see others
// before them then.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/spaces/family_draws.hpp"
#include "arcwise/spaces/known_row_sums.hpp"
#include "arcwise/spaces/partitions/part_sums.hpp"
#include "arcwise/spaces/partitions/partitions.hpp"
#include "arcwise/spaces/partitions/parts.hpp"

namespace arcwise {

class Partition final : public State {
  public:
    using Word = std::uint64_t;

    explicit Partition(const Partitions& space);

    void draw_uniform(Random& random) override;
    bool start_from_orders(std::uint64_t steps, Random& random, TaskContext* context) override;
    bool start_at(const SomeDag& dag) override;
    Proposal propose(const Temperature& temperature, Random& random) override;
    void accept() override;

    // The part of each node, the first part being 0.
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;

    // Becomes the partition with these parts, none of which is empty.
    void become(std::vector<int> part_of);

    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

    // The partition as it is.
    const Partitions& space() const { return space_; }
    const NodeWeights& weights() const { return weights_; }
    std::size_t nodes() const { return node_weights_.size(); }
    const Parts& by_part() const { return parts_; }
    int parts() const { return static_cast<int>(parts_.count()); }
    std::size_t size(int part) const { return parts_.size(static_cast<std::size_t>(part)); }
    std::span<const int> members(int part) const {
        return parts_.members(static_cast<std::size_t>(part));
    }
    int part_of(int node) const { return parts_.part_of(node); }
    PartSets sets(int node) const {
        return sets_.data() + static_cast<std::size_t>(node) * 2 * words_;
    }
    const LogWeight& weight_of(int node) const {
        return node_weights_[static_cast<std::size_t>(node)];
    }
    PartSums& sums() { return sums_; }
    FamilyDraws& draws() { return *draws_; }
    // The rows of a node, or null; and their sums within its sets.
    const PlusOneSums* rows(int node) const { return row_sums_.rows(node); }
    const PlusOneSums::RowSums& row_sums(int node) {
        return row_sums_.of(node, sets(node), required(sets(node), part_of(node) == 0));
    }
    PlainWeights& plain_weights() { return plain_weights_; }
    // What a node must meet: nothing in the first part.
    PartSets required(PartSets sets, bool first) const { return first ? nullptr : sets + words_; }

    // Sets of possible parents, to be changed.
    std::size_t words() const { return words_; }
    void copy_sets(PartSets from, Word* to) const {
        if (words_ == 1) {
            to[0] = from[0];
            to[1] = from[1];
        } else {
            std::copy_n(from, 2 * words_, to);
        }
    }
    bool flip_allowed(Word* sets, int node, int parent) const {
        return weights_.flip(sets, node, parent);
    }
    bool flip_needed(Word* sets, int node, int parent) const {
        return weights_.flip(sets + words_, node, parent);
    }
    void need_none(Word* sets) const {
        if (words_ == 1) {
            sets[1] = 0;
        } else {
            std::fill_n(sets + words_, words_, 0);
        }
    }
    // One in the given part; none if there is no such part.
    void need(int part, Word* sets, int node) const {
        need_none(sets);
        if (part < 0) return;
        for (const int parent : members(part)) flip_needed(sets, node, parent);
    }

    // The change proposed: the part of every node, all of which a move sets,
    std::vector<int>& proposed_parts() { return proposed_parts_; }

    // and nodes with other sets: those of a node start as they are, to be changed; `first` if it
    // would be in the first part.
    Word* begin_change(int node, bool first);
    Word* changed_sets(std::size_t change) { return changed_sets_.data() + change * 2 * words_; }
    std::size_t changes() const { return changes_.size(); }
    int changed_node(std::size_t change) const { return changes_[change].node; }
    void drop_change() { changes_.pop_back(); }

    // What the nodes would be worth: all of them looked up, or the last one known already.
    void weigh_changes();
    void weigh_last_change(const LogWeight& weight);

    // To be where it is.
    void stay() { stays_ = true; }

    const LogWeight& proposed_weight() const { return proposed_; }
    Proposal proposal(double log_ratio) const {
        return {.weight = proposed_, .log_ratio = log_ratio};
    }

  protected:
    std::span<LogWeight> exact_parts() override { return node_weights_; }

  private:
    struct Change {
        int node;
        bool first;
        LogWeight weight;
    };

    Word* own_sets(int node) { return sets_.data() + static_cast<std::size_t>(node) * 2 * words_; }
    void count_change(const Change& change);

    const Partitions& space_;
    const NodeWeights& weights_;
    const std::size_t words_;
    Parts parts_;
    std::vector<Word> sets_;  // of each node
    std::vector<LogWeight> node_weights_;
    PartSums sums_;
    std::shared_ptr<FamilyDraws> draws_;
    KnownRowSums row_sums_;
    PlainWeights plain_weights_;

    std::vector<int> proposed_parts_;
    std::vector<Change> changes_;
    std::vector<Word> changed_sets_;
    LogWeight proposed_;
    bool stays_ = false;  // what is proposed is the partition as it is

    Moves moves_;
};

// The table of the space. Its shares gave most effective samples of the weight per second on a
// network of 20 nodes, with and without candidates: relocation and reversal are the dearest, and
// worth it.
const std::vector<MoveRow<Partition>>& partition_moves();

// In relocation.cpp: one node, to a place drawn from its law given the partition of the others.
std::unique_ptr<Move> make_relocation(Partition& partition);

// In reversal.cpp: an edge of a DAG drawn from the partition, with both ends' parents drawn anew.
std::unique_ptr<Move> make_reversal(Partition& partition);

}  // namespace arcwise
