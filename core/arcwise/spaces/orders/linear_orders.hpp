// Linear orders of the nodes; the weight of an order is the product of the nodes' score sums over
// their predecessors.
//
// Moves: swap of any two nodes, swap of two neighbours, and relocation of one node, which draws its
// place from the law given the order of the others. Any one of them alone reaches every order.
#pragma once

#include <memory>

#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/spaces/space.hpp"

namespace arcwise {

class LinearOrders final : public Space {
  public:
    // With maxima the weight of an order is that of the best DAG it allows.
    explicit LinearOrders(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares = {},
                          Semiring semiring = Semiring::sum);

    int nodes() const override { return weights_.nodes(); }
    std::unique_ptr<State> make_state() const override;
    double log_size() const override;
    // The autocorrelation times of edges are one to three steps for each node; a step is a few
    // look-ups.
    std::uint64_t steps_between_averages() const override {
        return 6 * static_cast<std::uint64_t>(nodes());
    }

    const NodeWeights& weights() const { return weights_; }

  private:
    NodeWeights weights_;
};

}  // namespace arcwise
