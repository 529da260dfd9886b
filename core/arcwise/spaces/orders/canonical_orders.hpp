// Linear orders that follow the modular posterior: each stands for the DAGs whose canonical order
// it is.
//
// Let the nodes be numbered, in any way. The canonical order of a DAG takes, at each step, the node
// with the smallest number of those whose parents have been taken. An order v_1 .. v_n is that of a
// DAG if and only if every v_j with some larger number before it has a parent at or after the last
// of these: with i = max {i < j : number(v_i) > number(v_j)}, one in recent_j = {v_i, .., v_(j-1)}.
// (If it had none, v_j could have been taken before v_i; if all have one, the node taken is always
// the smallest.) The weight of an order is the product over its nodes of R_j, the summed weights of
// the families within the predecessors that meet recent_j, or of all of them if no larger number
// comes before; summed over all orders that is the sum over all DAGs.
//
// The bridge: with Q_j the families that do not meet recent_j, the weights R_j + (1 - t) Q_j lead
// from those of linear orders (t = 0), among which chains mix well, to these (t = 1).
//
// Moves: those of linear orders, and new numberings, which may then be part of the state. At the
// posterior a new numbering keeps a DAG drawn given the order, and the order becomes its canonical
// one: numbering and DAG are independent, so uniform numberings are left uniform. Elsewhere the
// order stays, and the weights decide.
#pragma once

#include <memory>
#include <vector>

#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/spaces/space.hpp"

namespace arcwise {

class CanonicalOrders final : public Space {
  public:
    // The number of each node, from 0 on, where states start that are never numbered anew; none for
    // that of the node itself.
    explicit CanonicalOrders(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares = {},
                             std::vector<int> numbering = {});

    int nodes() const override { return weights_.nodes(); }
    std::unique_ptr<State> make_state() const override;
    double log_size() const override;
    // Edges take as long as half a step to two steps for each node.
    std::uint64_t steps_between_averages() const override {
        return 4 * static_cast<std::uint64_t>(nodes());
    }

    const NodeWeights& weights() const { return weights_; }
    const std::vector<int>& numbering() const { return numbering_; }

    // Whether states have numberings of their own.
    bool renumbers() const { return renumbers_; }

    static constexpr const char* renumbering = "renumber";

  private:
    NodeWeights weights_;
    std::vector<int> numbering_;
    bool renumbers_;
};

}  // namespace arcwise
