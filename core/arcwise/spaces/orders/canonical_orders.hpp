// Linear orders that follow the modular posterior: each represents the DAGs whose canonical order
// it is.
//
// Let the nodes be numbered, in any way. The canonical order of a DAG takes, at each step, the node
// with the smallest number of those whose parents have been taken. For an order v_1 .. v_n let
//
//   A_j = {v_1, .., v_(j-1)}                     the predecessors of v_j,
//   i = max {h < j : number(v_h) > number(v_j)}  the place of the last larger one, if any,
//   E_j = {v_1, .., v_(i-1)}                     the earlier ones of the predecessors,
//   recent_j = A_j - E_j = {v_i, .., v_(j-1)}    and the others,
//
// and let v_j be bound if there is a larger one. The order is that of a DAG if and only if every
// bound v_j has a parent in recent_j. (If it had none, v_j could have been taken before v_i; if all
// have one, the node taken is always the smallest.) With S(A) the summed weights of a node's
// families within A, the weight of an order is the product over its nodes of R_j = S(A_j) - S(E_j),
// those of the families that meet recent_j, or of S(A_j) where v_j is not bound; summed over all
// orders that is the sum over all DAGs.
//
// The bridge: with Q_j = S(E_j), the weights R_j + (1 - t) Q_j of bound nodes lead from those of
// linear orders (t = 0), among which chains mix well, to these (t = 1).
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
    // States start with this number of each node, from 0 on, and keep it unless moves renumber
    // them; with no numbering given, the number of a node is the node.
    explicit CanonicalOrders(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares = {},
                             std::vector<int> numbering = {});

    int nodes() const override { return weights_.nodes(); }
    std::unique_ptr<State> make_state() const override;
    double log_size() const override;
    // The autocorrelation times of edges are half a step to two steps for each node.
    std::uint64_t steps_between_averages() const override {
        return 4 * static_cast<std::uint64_t>(nodes());
    }

    const NodeWeights& weights() const { return weights_; }
    const std::vector<int>& numbering() const { return numbering_; }

    // Whether the numbering is part of a state.
    bool renumbers() const { return renumbers_; }

    static constexpr const char* renumbering = "renumber";

  private:
    NodeWeights weights_;
    std::vector<int> numbering_;
    bool renumbers_;
};

}  // namespace arcwise
