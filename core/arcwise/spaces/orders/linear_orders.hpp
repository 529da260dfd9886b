// Linear orders of the nodes; the weight of an order is the product of the nodes' score sums over
// their predecessors.
//
// Moves: swap of any two nodes, swap of two neighbours, and relocation of one node, which draws its
// place from the law given the order of the others.
#pragma once

#include <array>
#include <memory>

#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/spaces/space.hpp"

namespace arcwise {

class LinearOrders final : public Space {
  public:
    static constexpr int swap = 0;
    static constexpr int adjacent = 1;
    static constexpr int relocate = 2;
    using MoveWeights = std::array<double, 3>;

    // In proportion to 1 / (score sums a move needs), so that all kinds take the same time.
    static MoveWeights balanced(int nodes);

    // With maxima the weight of an order is that of the best DAG it allows.
    LinearOrders(std::shared_ptr<const ScoreSums> sums, const MoveWeights& move_weights,
                 Semiring semiring = Semiring::sum);

    int nodes() const override { return weights_.nodes(); }
    std::unique_ptr<State> make_state() const override;
    double log_size() const override;
    std::vector<std::string> move_names() const override {
        return {"swap", "adjacent", "relocate"};
    }

    const NodeWeights& weights() const { return weights_; }
    const MoveWeights& move_weights() const { return move_weights_; }

  private:
    NodeWeights weights_;
    MoveWeights move_weights_;
};

}  // namespace arcwise
