// What a DAG says about DAGs: itself, and the law of each node's parents given the other families.
#pragma once

#include <vector>

#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/spaces/dags/family_weights.hpp"
#include "arcwise/spaces/space.hpp"

namespace arcwise {

class GivenDag final : public GivenState {
  public:
    // The weights must outlive this.
    GivenDag(const FamilyWeights& weights, const MutableDag& dag) : weights_(weights), dag_(dag) {}

    // An edge's probability is that given the parents of all nodes but its head: its mean over DAGs
    // that follow the posterior is that of the edge itself, and it varies less.
    void add_edge_probabilities(double scale, double* edges) override;

    // The DAG itself.
    void draw(Random& random, std::uint64_t* parents) override;

  private:
    const FamilyWeights& weights_;
    MutableDag dag_;
};

}  // namespace arcwise
