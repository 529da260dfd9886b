// Ordered partitions of the nodes; every node has a parent in the part before its own.
//
// Every DAG belongs to exactly one partition: its sources come first, and each node comes right
// after the last of its parents (Kuipers and Moffa 2017, "Partition MCMC for inference on acyclic
// digraphs"). So the weight of a partition is the sum of the weights of its DAGs, and its states
// follow the modular posterior: no DAG counts more than once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

class Partitions final : public Space {
  public:
    // The kind of move that turns an edge, for spaces that make it apart from the others.
    static constexpr const char* reversal = "reverse edge";

    explicit Partitions(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares = {});

    int nodes() const override { return weights_.nodes(); }
    std::unique_ptr<State> make_state() const override;

    // The ordered Bell number.
    double log_size() const override { return log_counts_.back(); }
    // Edges take as long as a tenth of a step to two steps for each node; states nearer to each
    // other differ little.
    std::uint64_t steps_between_averages() const override {
        return 4 * static_cast<std::uint64_t>(nodes());
    }

    const NodeWeights& weights() const { return weights_; }

    // ln of the number of ordered partitions of so many nodes.
    double log_count(std::size_t nodes) const { return log_counts_[nodes]; }

    // ln of a whole number from 1 to the number of nodes.
    double log_number(std::size_t number) const { return log_numbers_[number]; }

    // ln of the number of ways to split so many nodes in two, times those to take the first size.
    double log_splits(std::size_t nodes, std::size_t first) const {
        return log_numbers_[nodes - 1] + log_factorials_[nodes] - log_factorials_[first] -
               log_factorials_[nodes - first];
    }

    // The nodes that a node can be a parent of, as bits of nodes.
    std::span<const std::uint64_t> possible_children(int node) const {
        const std::size_t words = words_for(nodes());
        return {children_.data() + static_cast<std::size_t>(node) * words, words};
    }
    bool can_be_parent(int node, int child) const {
        return has_member(possible_children(node).data(), child);
    }

  private:
    NodeWeights weights_;
    std::vector<double> log_counts_;
    std::vector<double> log_numbers_;
    std::vector<double> log_factorials_;
    std::vector<std::uint64_t> children_;
};

}  // namespace arcwise
