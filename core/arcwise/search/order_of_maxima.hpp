// A linear order weighed by the best DAG it allows, which knows what each node is worth elsewhere.
//
// Only where a node stands among its *neighbours* matters, the nodes that can be its parents or
// have it as theirs. So a node has as many places as there are gaps between its neighbours, however
// many nodes there are: with K candidate parents a relocation looks up some 4 K weights.
#pragma once

#include <vector>

#include "arcwise/spaces/node_weights.hpp"

namespace arcwise {

// Who is whose neighbour; shared by all orders.
class Neighbours {
  public:
    explicit Neighbours(const NodeWeights& weights);

    const std::vector<int>& of(int node) const { return of_[static_cast<std::size_t>(node)]; }

    // Those of them that are more to each other than outside parents.
    const std::vector<int>& near(int node) const { return near_[static_cast<std::size_t>(node)]; }
    bool are(int node, int other) const {
        return pairs_[static_cast<std::size_t>(node) * of_.size() +
                      static_cast<std::size_t>(other)] != 0;
    }

  private:
    std::vector<std::vector<int>> of_;
    std::vector<std::vector<int>> near_;
    std::vector<char> pairs_;  // n x n
};

class OrderOfMaxima {
  public:
    OrderOfMaxima(const NodeWeights& weights, const Neighbours& neighbours);

    void shuffle(Random& random);
    void become(const std::vector<int>& order);

    const std::vector<int>& order() const { return order_; }
    const LogWeight& weight() const { return weight_; }

    // Finds how the weight changes with the node in each gap between its neighbours, from the one
    // before them all to the one after them all. No change stands at its present gap.
    const std::vector<LogWeight>& look_around(int node);
    std::size_t present_gap() const { return present_; }

    // Puts the node that looked around last into a gap, at a random place of it.
    void move_to(std::size_t gap, Random& random);

  private:
    void find_neighbours(int node);
    void sum_up();
    std::uint64_t* predecessors(int node) {
        return predecessors_.data() + static_cast<std::size_t>(node) * words_;
    }

    const NodeWeights& weights_;
    const Neighbours& neighbours_;
    const std::size_t nodes_;
    const std::size_t words_;
    std::vector<int> order_;
    std::vector<int> place_of_;
    std::vector<std::uint64_t> predecessors_;  // words_ for each node
    std::vector<LogWeight> node_weights_;
    LogWeight weight_;
    unsigned moves_ = 0;

    // These are for the node that looked around last: the places of its neighbours, ascending; the
    // weight of each neighbour once passed; the weight of the node itself, and the change, by gap.
    int moved_ = -1;
    std::size_t present_ = 0;
    std::vector<int> neighbour_places_;
    std::vector<LogWeight> passed_weights_;
    std::vector<LogWeight> own_weights_;
    std::vector<LogWeight> changes_;
    std::vector<std::uint64_t> scratch_;
};

}  // namespace arcwise
