// One layering, what it is worth, and the change that is proposed to it.
#pragma once

#include <memory>
#include <vector>

#include "arcwise/spaces/layerings/layering_weights.hpp"
#include "arcwise/spaces/layerings/layerings.hpp"
#include "arcwise/spaces/partitions/parts.hpp"

namespace arcwise {

class Layering final : public State {
  public:
    explicit Layering(const Layerings& space);

    void draw_uniform(Random& random) override;
    bool start_from_orders(std::uint64_t steps, Random& random, TaskContext* context) override;
    bool start_at(const SomeDag& dag) override;
    Proposal propose(const Temperature& temperature, Random& random) override;
    void accept() override;

    // The layer of each node, the first layer being 0.
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;

    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

    // The layering as it is.
    const Layerings& space() const { return space_; }
    const Parts& layers() const { return layers_; }
    LayeringWeights& weights() { return *weights_; }

    // The change proposed: the layer of each node, which a move sets so that it is a layering of
    // the space. With a temperature it may turn out too light to be worth its exact weight.
    std::vector<int>& proposed_layers() { return proposed_; }
    Proposal proposal(const Temperature& temperature, double log_ratio);

    // By a law that is in balance at the posterior itself: the ratio undoes the change of weight.
    Proposal proposal_in_balance();

  private:
    void become(std::vector<int> layer_of);

    const Layerings& space_;
    Parts layers_;
    std::shared_ptr<LayeringWeights> weights_;

    std::vector<int> proposed_;
    LogWeight proposed_weight_;

    Moves moves_;
};

// The table of the space. Its shares brought edges closest to exact ones in a given time on 14 and
// 20 nodes. Staying costs a step in a hundred and makes the chain aperiodic whatever the weights
// are.
const std::vector<MoveRow<Layering>>& layering_moves();

}  // namespace arcwise
