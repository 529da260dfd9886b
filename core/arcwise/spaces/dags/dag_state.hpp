// One DAG, the weights of its families, and the change that is proposed to it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/spaces/dags/dag_neighbours.hpp"
#include "arcwise/spaces/dags/dags.hpp"
#include "arcwise/spaces/dags/family_weights.hpp"

namespace arcwise {

class DagState final : public State {
  public:
    explicit DagState(const Dags& space);

    void draw_uniform(Random& random) override;
    bool start_from_orders(std::uint64_t steps, Random& random, TaskContext* context) override;
    bool start_at(const SomeDag& dag) override;
    Proposal propose(const Temperature& temperature, Random& random) override;
    void accept() override;

    // The parents of each node as bits, sixteen nodes to a number.
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;

    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

    // The DAG as it is; a move may change it for a while.
    MutableDag& dag() { return dag_; }
    const FamilyWeights& weights() const { return weights_; }
    const Neighbourhoods& neighbourhoods() const { return *neighbourhoods_; }
    void open_windows_in(std::shared_ptr<const Neighbourhoods> neighbourhoods) {
        neighbourhoods_ = std::move(neighbourhoods);
    }
    const LogWeight& weight_of(int node) const {
        return node_weights_[static_cast<std::size_t>(node)];
    }

    // The nodes that can be parents of one without closing a cycle, as bits of its possible
    // parents.
    void find_parents_without_cycle(int node, std::uint64_t* places);

    // For moves that change one edge: its neighbours, which are then kept up to date. After a
    // redrawn family it is as cheap to look at them anew when they are needed.
    DagNeighbours& look_at_neighbours(NeighbourRule rule);

    // The change proposed: nodes with other parents. Those of a node start as they are, to be
    // changed and then weighed.
    std::uint64_t* begin_change(int node);
    void drop_changes() { changed_.clear(); }
    void drop_last_change() { changed_.pop_back(); }  // before it is weighed
    const std::vector<int>& changed_nodes() const { return changed_; }
    const std::uint64_t* changed_parents() const { return changed_parents_.data(); }
    void weigh_change(std::size_t index, const LogWeight& weight);
    void weigh_changes();

    // How much weight is gained.
    double gain() const { return proposed_.value - weight_.value; }
    Proposal proposal(double log_ratio) const {
        return {.weight = proposed_, .log_ratio = log_ratio};
    }

  protected:
    std::span<LogWeight> exact_parts() override { return node_weights_; }

  private:
    void become(const std::vector<std::uint64_t>& parents);

    const Dags& space_;
    const FamilyWeights& weights_;
    std::shared_ptr<const Neighbourhoods> neighbourhoods_;
    const std::size_t words_;
    MutableDag dag_;
    std::vector<LogWeight> node_weights_;
    DagNeighbours neighbours_;

    std::vector<int> changed_;
    bool renew_neighbours_ = false;
    std::vector<std::uint64_t> changed_parents_;
    std::vector<LogWeight> changed_weights_;
    LogWeight proposed_;
    std::vector<std::uint64_t> set_;  // scratch

    Moves moves_;
};

// The table of the space, in dag_moves.cpp. Its shares were chosen by trials on one network of 20
// nodes, where reversals of paths helped most and shares near these differed by less than their
// noise. Single edges are very few because each needs its neighbours counted anew after a redrawn
// family, which does the same at the posterior: with 80 nodes and one more parent allowed that
// takes 200 times as long. Windows take about half of the time. An edge is added as often as one is
// deleted, so that chains do not spend their time on the many edges a sparse DAG has not.
const std::vector<MoveRow<DagState>>& dag_moves();

// The first three moves of the table change one edge; the others below turn paths, reverse edges
// with new parents, and open windows, which are the dearest of the draws that are of little use at
// other temperatures.
constexpr std::size_t one_edge_moves = 3;
constexpr std::size_t path_move = 3;
constexpr std::size_t reversal_move = 5;
constexpr std::size_t window_move = 6;

// In window.cpp: the parents of several nodes near each other are drawn anew together.
std::unique_ptr<Move> make_window(DagState& state);

// In markov_blanket.cpp: the parents of a node are drawn anew, and the other ones of its children.
std::unique_ptr<Move> make_markov_blanket(DagState& state);

// In edge_reversal.cpp: an edge is turned, and both ends' parents are drawn anew.
std::unique_ptr<Move> make_edge_reversal(DagState& state);

}  // namespace arcwise
