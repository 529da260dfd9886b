// Layerings of the nodes: a row of layers, any two neighbours of which have more than M nodes.
//
// The M-layering of an ordered partition merges its parts into layers, first to last, as long as
// they have at most M nodes together (Viinikka and Koivisto 2020, "Layering-MCMC for structure
// learning in Bayesian networks", definition 2). So every partition, and with it every DAG, belongs
// to exactly one layering. The weight of a layering is the sum of the weights of its partitions,
// and its states follow the modular posterior.
#pragma once

#include <memory>
#include <vector>

#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/spaces/partitions/partitions.hpp"
#include "arcwise/spaces/space.hpp"

namespace arcwise {

// A layer of up to M nodes takes 3^M numbers for each node, and 4^M products.
constexpr int most_layer_members = 12;

class LayerFamilies;
class PairLayouts;

class Layerings final : public Space {
  public:
    // The largest size from 4 to 8 by which the recursion over all layers, 4^M n / M products,
    // costs no more than going once through all families.
    static int usual_size(const ScoreSums& sums);

    // The number of moves of a re-partition before it comes back to a layering: most single ones
    // stay in the same. At other temperatures than the posterior's there is one, as large changes
    // are rarely accepted there.
    static constexpr int usual_partition_moves = 10;

    Layerings(std::shared_ptr<const ScoreSums> sums, int max_size, const MoveShares& shares = {},
              int partition_moves = usual_partition_moves);

    int nodes() const override { return weights_.nodes(); }
    std::unique_ptr<State> make_state() const override;
    double log_size() const override { return log_count(weights_.nodes(), nodes()); }
    // Edges take as long as up to half a step for each node.
    std::uint64_t steps_between_averages() const override {
        return 2 * static_cast<std::uint64_t>(nodes());
    }

    const NodeWeights& weights() const { return weights_; }
    // What the states share to score themselves.
    const LayerFamilies& families() const { return *families_; }
    const PairLayouts& layouts() const { return *layouts_; }
    int max_size() const { return max_size_; }
    int partition_moves() const { return partition_moves_; }

    // What the moves that draw a partition do with it.
    const Partitions& partitions() const { return partitions_; }
    const Partitions& reversals() const { return reversals_; }

    // Whether layers of these sizes can be neighbours.
    bool fit(std::size_t size, std::size_t other) const {
        return size + other > static_cast<std::size_t>(max_size_);
    }

    // The layering of a partition: parts are merged, first to last, while they fit together.
    void merge_parts(const std::vector<int>& part_of, std::vector<int>& layer_of) const;

    // ln of the number of ways to put `nodes` nodes into layers after one of size `before`.
    double log_count(int left, int before) const;

  private:
    NodeWeights weights_;
    std::shared_ptr<const LayerFamilies> families_;
    std::shared_ptr<const PairLayouts> layouts_;
    int max_size_;
    int partition_moves_;
    Partitions partitions_;
    Partitions reversals_;
    std::vector<double> log_counts_;  // (nodes + 1) x (max_size + 1)
};

}  // namespace arcwise
