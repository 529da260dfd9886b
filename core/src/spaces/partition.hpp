// One ordered partition, the score sums of its nodes, and the last move proposed to it.
#pragma once

#include <vector>

#include "arcwise/spaces/partitions.hpp"

namespace arcwise {

class Partition final : public State {
  public:
    explicit Partition(const Partitions& space);

    void draw_uniform(Random& random) override;
    Proposal propose(const Temperature& temperature, Random& random) override;
    void accept() override;

    // The part of each node, the first part being 0.
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;

    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

  private:
    using Parts = std::vector<int>;  // the part of each node

    // Moves between partitions, in partition_moves.cpp.
    Proposal propose_split(Random& random);
    Proposal propose_join(Random& random);
    Proposal propose_swap(Random& random, bool adjacent);
    Proposal propose_relocation(const Temperature& temperature, Random& random);
    // In partition_reversal.cpp.
    Proposal propose_reversal(Random& random);

    int parts() const { return static_cast<int>(sizes_.size()); }
    // The node that comes `index`-th among those of a part.
    int member(int part, std::size_t index) const;

    // The weight of a node whose parents lie in parts below `part`, one of them in `before`, where
    // part_of(parent) says in which they are; a node of the first part has none.
    template <class PartOf>
    LogWeight weigh_with(int node, int part, int before, bool first, PartOf part_of);
    LogWeight weigh(int node, const Parts& parts);
    // Notes the weight a node would have with the proposed parts.
    void change(int node);
    void change(int node, const LogWeight& weight);
    Proposal proposal(int move, double log_ratio) const;
    void become(Parts parts);

    const Partitions& space_;
    const NodeWeights& weights_;
    const std::size_t nodes_;
    Parts part_of_;
    std::vector<std::size_t> sizes_;  // of each part
    std::vector<LogWeight> node_weights_;
    unsigned accepted_ = 0;

    // The last proposal.
    Parts proposed_parts_;
    struct Change {
        int node;
        LogWeight weight;
    };
    std::vector<Change> changes_;
    LogWeight proposed_;

    // For relocation: weights of the nodes in each of four ways, their sums by part, and of all by
    // place.
    std::vector<LogWeight> ways_;
    std::vector<LogWeight> part_ways_;
    std::vector<LogWeight> later_;
    std::vector<LogWeight> totals_;
    std::vector<double> choices_;
    Parts others_;

    SumMemo memo_;
    std::vector<std::uint64_t> allowed_;
    std::vector<std::uint64_t> required_;
};

}  // namespace arcwise
