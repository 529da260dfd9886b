// Balanced bucket orders: buckets of a fixed size (the last may be smaller), any order within each.
//
// A bucket order's weight is the sum of the weights of its linear extensions, a product over the
// buckets of a recursion over each bucket's subsets. The move swaps two nodes of different buckets;
// only the buckets from the one to the other change.
#pragma once

#include <memory>

#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/spaces/space.hpp"

namespace arcwise {

class BucketOrders final : public Space {
  public:
    BucketOrders(std::shared_ptr<const ScoreSums> sums, int bucket_size);

    int nodes() const override { return weights_.nodes(); }
    std::unique_ptr<State> make_state() const override;
    double log_size() const override;
    // Edges take as long as half a step to thirty steps for each node, the most where weights are
    // spread over many families or sums are had from rows.
    std::uint64_t steps_between_averages() const override {
        return 64 * static_cast<std::uint64_t>(nodes());
    }

    const NodeWeights& weights() const { return weights_; }
    int bucket_size() const { return bucket_size_; }

  private:
    NodeWeights weights_;
    int bucket_size_;
};

}  // namespace arcwise
