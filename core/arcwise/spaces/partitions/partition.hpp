// One ordered partition, the score sums of its nodes, and the change that is proposed to it.
//
// Its moves are objects of their own (partition_moves.cpp), which see the partition as it is and
// write down what would change: the part of every node, and the sets of those nodes that would then
// have other parts before them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/known_row_sums.hpp"
#include "arcwise/spaces/partitions/partitions.hpp"
#include "arcwise/spaces/partitions/parts.hpp"
#include "arcwise/sums/family_draws.hpp"
#include "arcwise/support/compiler.hpp"

namespace arcwise {

// Remembers the weights of nodes that need a parent in the part before them.
//
// A chain comes back to the same sets again and again, and a look-up here is cheaper than one in a
// large table, let alone a sum over families. A sum is a function of the node and its sets alone:
// neither to remember it nor to forget it changes a result.
class PartSums {
  public:
    // `most_entries` is a power of two.
    explicit PartSums(const NodeWeights& weights, std::size_t most_entries = std::size_t{1} << 15);

    // ln of the summed weights of the node's families within its sets; no parent is needed where
    // the second set is empty.
    double log_sum(int node, PartSets sets) {
        const std::uint64_t* entry = entry_of(node, sets);
        return holds(entry, node, sets) ? std::bit_cast<double>(entry[0]) : add(node, sets);
    }

    // The same for many at a time, so that none waits for the memory of another: each weight is
    // there after `answer`, and its sets must stay until then. Only a node of the first part can do
    // without a parent.
    void ask(int node, PartSets sets, bool first, LogWeight& weight) {
        if (first || needs_parent(sets, words_)) {
            std::uint64_t* entry = entry_of(node, sets);
            prefetch(entry);
            questions_.push_back({node, sets, entry, &weight});
        } else {
            weight = {weights_.stand_in(node), 1};
        }
    }
    void answer();

    std::size_t entries() const { return table_.size() / stride(); }

  private:
    // An entry is the sum, the node and its sets; each sum has one place where it can be.
    static constexpr std::uint64_t no_node = ~std::uint64_t{0};
    std::size_t stride() const { return 2 * words_ + 2; }

    bool holds(const std::uint64_t* entry, int node, PartSets sets) const {
        std::uint64_t differing = entry[1] ^ static_cast<std::uint64_t>(node);
        if (words_ == 1) return (differing | (entry[2] ^ sets[0]) | (entry[3] ^ sets[1])) == 0;
        for (std::size_t i = 0; i < 2 * words_; ++i) differing |= entry[2 + i] ^ sets[i];
        return differing == 0;
    }

    std::uint64_t* entry_of(int node, PartSets sets) {
        const std::uint64_t* multipliers = multipliers_.data();
        std::uint64_t hash = multipliers[0] * static_cast<std::uint64_t>(node);
        if (words_ == 1) {
            hash += multipliers[1] * sets[0] + multipliers[2] * sets[1];
            return table_.data() + (hash >> shift_) * 4;
        }
        for (std::size_t i = 0; i < 2 * words_; ++i) hash += multipliers[1 + i] * sets[i];
        return table_.data() + (hash >> shift_) * stride();
    }

    // Adds up a sum that is not remembered yet, and remembers it.
    double add(int node, PartSets sets);
    void resize(std::size_t count);
    void grow();

    void set(LogWeight& weight, int node, double sum) const {
        const bool possible = sum > minus_infinity;
        weight = possible ? LogWeight{sum, 0} : LogWeight{weights_.stand_in(node), 1};
    }

    const NodeWeights& weights_;
    std::size_t words_;
    std::size_t most_entries_;
    std::vector<std::uint64_t> multipliers_;
    int shift_ = 0;
    std::vector<std::uint64_t> table_;
    std::size_t added_ = 0;
    SumMemo memo_;

    struct Question {
        int node;
        PartSets sets;
        std::uint64_t* entry;
        LogWeight* weight;
    };
    std::vector<Question> questions_;
};

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

    // Becomes the partition with these parts; none may be empty.
    void become(std::vector<int> part_of);

    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

    // What moves see of the partition as it is.
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
    // The sums of a node as parents are added and removed; and, by rows, what is known of them
    // within its sets.
    const IncrementalSums& incremental(int node) const { return weights_.incremental(node); }
    const IncrementalSums::Known& known(int node) {
        return row_sums_.of(node, sets(node), required(sets(node), part_of(node) == 0));
    }
    PlainWeights& plain_weights() { return plain_weights_; }
    // What a node's families must meet: null, for nothing, in the first part.
    PartSets required(PartSets sets, bool first) const { return first ? nullptr : sets + words_; }

    // The functions below change sets of possible parents.
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
    // The node needs a parent in the given part, or none if there is no such part.
    void need(int part, Word* sets, int node) const {
        need_none(sets);
        if (part < 0) return;
        for (const int parent : members(part)) flip_needed(sets, node, parent);
    }

    // A move writes the change it proposes: it sets the part of every node
    std::vector<int>& proposed_parts() { return proposed_parts_; }

    // and begins a change for each node that gets other sets. They start as they are, to be
    // changed; `first` says that the node would be in the first part.
    Word* begin_change(int node, bool first);
    Word* changed_sets(std::size_t change) { return changed_sets_.data() + change * 2 * words_; }
    std::size_t changes() const { return changes_.size(); }
    int changed_node(std::size_t change) const { return changes_[change].node; }
    void drop_change() { changes_.pop_back(); }

    // Weighs the changed nodes: all of them by their sets, or the last one by a weight known
    // already.
    void weigh_changes();
    void weigh_last_change(const LogWeight& weight);

    // Proposes the partition as it is.
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

// The table of moves. Its shares gave the most effective samples of the weight per second on a
// network of 20 nodes, with and without candidates; relocation and reversal take longest and still
// pay.
const std::vector<MoveRow<Partition>>& partition_moves();

// Moves one node to a place drawn from its law given the partition of the others (relocation.cpp).
std::unique_ptr<Move> make_relocation(Partition& partition);

// Reverses an edge of a DAG drawn from the partition, with both ends' parents drawn anew
// (reversal.cpp).
std::unique_ptr<Move> make_reversal(Partition& partition);

}  // namespace arcwise
