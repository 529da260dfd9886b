// One DAG, the weights of its families, and the last move proposed to it.
#pragma once

#include <vector>

#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/spaces/dags/dag_neighbours.hpp"
#include "arcwise/spaces/dags/dags.hpp"
#include "arcwise/spaces/dags/edge_reversal.hpp"
#include "arcwise/spaces/dags/family_weights.hpp"

namespace arcwise {

class DagState final : public State {
  public:
    explicit DagState(const Dags& space);

    void draw_uniform(Random& random) override;
    bool become_possible(Random& random) override;
    Proposal propose(const Temperature& temperature, Random& random) override;
    void accept() override;

    // The parents of each node as bits, sixteen nodes to a number.
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;

    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

  protected:
    std::span<LogWeight> exact_parts() override { return node_weights_; }

  private:
    // The moves, in dag_moves.cpp.
    Proposal propose_add(Random& random);
    Proposal propose_delete(Random& random);
    Proposal propose_reverse(Random& random);
    Proposal propose_reverse_path(Random& random);
    Proposal propose_parents(Random& random);
    Proposal propose_reverse_and_redraw(Random& random);

    // Notes other parents of a node: its present ones, which the caller changes and then weighs.
    std::uint64_t* begin_change(int node);
    void weigh_change(std::size_t index, const LogWeight& weight);
    void weigh_changes();
    Proposal proposal(int move, double log_ratio) const;
    void become(const std::vector<std::uint64_t>& parents);

    const Dags& space_;
    const FamilyWeights& weights_;
    const std::size_t words_;
    MutableDag dag_;
    std::vector<LogWeight> node_weights_;
    DagNeighbours neighbours_;
    EdgeReversal reversal_;
    SumMemo memo_;

    // The last proposal: nodes with other parents. Neighbours are renewed after a change
    // of one edge; after a redrawn family it is as cheap to look at them anew when they are needed.
    std::vector<int> changed_;
    bool renew_neighbours_ = false;
    std::vector<std::uint64_t> changed_parents_;
    std::vector<LogWeight> changed_weights_;
    LogWeight proposed_;

    std::vector<std::uint64_t> set_;
    std::vector<std::uint64_t> allowed_;
};

}  // namespace arcwise
