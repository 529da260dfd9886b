// One layering, what it is worth, and the last move proposed to it.
#pragma once

#include <memory>
#include <vector>

#include "arcwise/spaces/layerings/layering_weights.hpp"
#include "arcwise/spaces/layerings/layerings.hpp"
#include "arcwise/spaces/partitions/partition.hpp"

namespace arcwise {

class Layering final : public State {
  public:
    explicit Layering(const Layerings& space);

    void draw_uniform(Random& random) override;
    bool become_possible(Random& random) override;
    Proposal propose(const Temperature& temperature, Random& random) override;
    void accept() override;

    // The layer of each node, the first layer being 0.
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;

    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

  private:
    // In layering_moves.cpp.
    Proposal propose_relocation(const Temperature& temperature, Random& random);
    Proposal propose_swap(const Temperature& temperature, Random& random, bool adjacent);
    Proposal propose_through_partition(int move, Partition& partition, int moves, Random& random);

    // Sets proposed_ to the layering of the partition in code_.
    void merge_parts();

    void become(std::vector<int> layer_of);
    void count_sizes();
    // Makes the proposal of proposed_, which must be a layering of the space.
    Proposal proposal(int move, const Temperature& temperature, double log_ratio);

    const Layerings& space_;
    const std::size_t nodes_;
    std::vector<int> layer_of_;
    std::vector<std::size_t> sizes_;  // of each layer
    std::shared_ptr<LayeringWeights> weights_;

    // The last proposal.
    std::vector<int> proposed_;
    LogWeight proposed_weight_;

    Partition partition_;
    Partition reversal_;
    std::vector<int> part_of_;
    std::vector<std::uint16_t> code_;
};

}  // namespace arcwise
