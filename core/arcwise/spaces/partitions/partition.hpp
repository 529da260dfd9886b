// One ordered partition, the score sums of its nodes, and the last move proposed to it.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "arcwise/spaces/partitions/family_draws.hpp"
#include "arcwise/spaces/partitions/part_sums.hpp"
#include "arcwise/spaces/partitions/partitions.hpp"

namespace arcwise {

class Partition final : public State {
  public:
    explicit Partition(const Partitions& space);

    void draw_uniform(Random& random) override;
    bool become_possible(Random& random) override;
    Proposal propose(const Temperature& temperature, Random& random) override;
    void accept() override;

    // The part of each node, the first part being 0.
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;

    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

  protected:
    std::span<LogWeight> exact_parts() override { return node_weights_; }

  private:
    using Word = std::uint64_t;
    using Parts = std::vector<int>;  // the part of each node

    // Moves between partitions, in partition_moves.cpp.
    Proposal propose_split(Random& random);
    Proposal propose_join(Random& random);
    Proposal propose_swap(Random& random, bool adjacent);

    // In partition_relocation.cpp. How a node in one of the parts left can see the node that is
    // moved: not before it, further before, in the part before, or alone right before.
    enum Way { not_before, before, in_part_before, alone_before, ways };
    struct Moved {
        int node;
        int home;    // its part
        bool alone;  // whether that goes with it
    };
    Proposal propose_relocation(const Temperature& temperature, Random& random);
    void ask_ways(const Moved& moved, int node, Way now, bool first);
    void weigh_ways(const Moved& moved);
    void join_ways();
    void ask_own(const Moved& moved);
    void relocate(const Moved& moved, std::size_t place);
    Way way_now(const Moved& moved, int part) const;
    // The part of another node among those left.
    int part_left(const Moved& moved, int node) const {
        const int part = part_of_[static_cast<std::size_t>(node)];
        return part - (moved.alone && part > moved.home ? 1 : 0);
    }
    void set_without(const Moved& moved, int node, Word* sets) const;
    Word* own_sets(std::size_t part) { return own_sets_ + part * 2 * words_; }

    // In partition_reversal.cpp.
    Proposal propose_reversal(Random& random);
    std::span<Word> row(int node);
    void draw_family(int node, PartSets sets, double log_sum, Random& random);
    void draw_family(int node, Random& random) {
        draw_family(node, sets(node), node_weights_[static_cast<std::size_t>(node)].value, random);
    }
    void find_descendants(int from, int to, Random& random);
    void enter_below(int node, unsigned char ends);
    void set_outside(int node, unsigned char ends, int needed, Word* sets) const;
    void put_after_parents(int node);
    void change_moved(std::span<const int> nodes);

    int parts() const { return static_cast<int>(starts_.size()) - 1; }
    std::size_t size(int part) const {
        const auto at = static_cast<std::size_t>(part);
        return starts_[at + 1] - starts_[at];
    }
    std::span<const int> members(int part) const {
        return {order_.data() + starts_[static_cast<std::size_t>(part)], size(part)};
    }

    // Sets of possible parents, see PartSets.
    Word* sets(int node) { return sets_.data() + static_cast<std::size_t>(node) * 2 * words_; }
    PartSets sets(int node) const {
        return sets_.data() + static_cast<std::size_t>(node) * 2 * words_;
    }
    // Room for sets until the next proposal.
    Word* new_sets(std::size_t count = 1) {
        Word* made = some_sets_.data() + sets_made_ * 2 * words_;
        sets_made_ += count;
        return made;
    }
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
    struct Change {
        int node;
        bool first;  // whether it would be in the first part
        LogWeight weight;
    };
    // The sets a node would have, to be changed from those it has.
    Word* begin_change(int node, bool first);
    Word* changed_sets(std::size_t change) { return changed_sets_.data() + change * 2 * words_; }
    void drop_change() { changes_.pop_back(); }
    void weigh_changes();
    void count_change(const Change& change);
    Proposal proposal(int move, double log_ratio) const;

    void become(Parts parts);
    void sort_nodes();

    const Partitions& space_;
    const NodeWeights& weights_;
    const std::size_t nodes_;
    const std::size_t words_;
    Parts part_of_;
    std::vector<int> order_;           // by part; those of one part ascend
    std::vector<std::size_t> starts_;  // where each part begins in it, and its end
    std::vector<Word> sets_;           // of each node
    std::vector<LogWeight> node_weights_;
    PartSums sums_;
    FamilyDraws draws_;

    // The last proposal.
    Parts proposed_parts_;
    std::vector<Change> changes_;
    std::vector<Word> changed_sets_;
    LogWeight proposed_;
    bool stays_ = false;  // what is proposed is the partition as it is

    std::vector<int> some_nodes_;
    std::vector<Word> some_sets_;  // for as many nodes as any move needs
    std::size_t sets_made_ = 0;

    // For relocation: the weights of nodes in each way, where they are not all the same, their sums
    // by part left, the moved node's own weight by the number of parts before it, and the weight of
    // all by place.
    std::vector<std::array<LogWeight, ways>> ways_;
    std::vector<std::array<LogWeight, ways>> part_ways_;
    std::vector<LogWeight> own_;
    Word* own_sets_ = nullptr;
    std::vector<LogWeight> later_;
    std::vector<double> choices_;
    std::vector<int> joined_nodes_;
    std::vector<double> joined_;
    std::vector<double> added_;

    // For reversal: the families drawn, as rows of nodes; which ends of the edge a node is below;
    // whether one of those can be its parent; and the nodes below, by part.
    std::vector<Word> rows_;
    std::vector<unsigned char> below_;
    std::vector<Word> touched_;
    std::vector<int> descendants_;
    std::vector<int> change_of_;  // by node, -1: none
};

}  // namespace arcwise
