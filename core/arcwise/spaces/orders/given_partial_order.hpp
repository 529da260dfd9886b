// The posterior of DAGs given any partial order: all its linear extensions, together.
//
// Theorems 15 to 17 of Niinimaki, Parviainen and Koivisto (2016): the weight phi(P), DAGs drawn in
// proportion to phi(A) l(A u P), and the probabilities of all edges (algorithm ALLARCS).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arcwise/spaces/orders/downset_lattice.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

// Score sums for the transitions of a lattice on whose positions nodes sit.
class TransitionSums {
  public:
    // The sums must outlive this; there are as many nodes as positions.
    TransitionSums(const ScoreSums& sums, std::shared_ptr<const DownsetLattice> lattice);

    void place(std::vector<int> node_at);
    const std::vector<int>& node_at() const { return node_at_; }
    const DownsetLattice& lattice() const { return *lattice_; }

    // The nodes on a set of positions, as bits of the possible parents of the node at a position.
    std::uint64_t parent_bits(int position, std::uint64_t set) const;

    double log_sum(const DownsetLattice::Transition& transition) const;

  private:
    const ScoreSums& sums_;
    std::shared_ptr<const DownsetLattice> lattice_;
    std::vector<int> node_at_;
    std::vector<int> places_;  // by position and other position
};

class GivenPartialOrder final : public GivenState {
  public:
    // node_at: the node at each position. The sums must outlive this.
    GivenPartialOrder(const ScoreSums& sums, std::shared_ptr<const DownsetLattice> lattice,
                      std::vector<int> node_at);

    // ln phi(P); minus infinity if no DAG agrees with the order, and then nothing else may be
    // asked.
    double log_weight() const { return forward_.back(); }

    void add_edge_probabilities(double scale, double* edges) override;
    void draw(Random& random, std::uint64_t* parents) override;

  private:
    void add_position(int position, double scale, const std::vector<double>& backward,
                      double* edges) const;

    const ScoreSums& sums_;
    std::shared_ptr<const DownsetLattice> lattice_;
    TransitionSums alpha_;
    LatticeRecursion recursion_;
    std::vector<double> log_sums_;  // by transition
    std::vector<double> forward_;   // by down-set
};

}  // namespace arcwise
