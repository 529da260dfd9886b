// Balanced bucket orders: buckets of a fixed size (the last may be smaller), any order within each;
// and the posterior of DAGs given any sequence of buckets.
//
// A bucket order's weight is the sum of the weights of its linear extensions, a product over the
// buckets of a recursion over each bucket's subsets. The move swaps two nodes of different buckets;
// only the buckets from the one to the other change.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/spaces/orders/bucket_recursion.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class BucketOrders final : public Space {
  public:
    BucketOrders(std::shared_ptr<const ScoreSums> sums, int bucket_size);

    int nodes() const override { return weights_.nodes(); }
    std::unique_ptr<State> make_state() const override;
    double log_size() const override;
    // The autocorrelation times of edges are half a step to thirty steps for each node, the most
    // where weights are spread over many families or sums are computed by rows.
    std::uint64_t steps_between_averages() const override {
        return 64 * static_cast<std::uint64_t>(nodes());
    }

    const NodeWeights& weights() const { return weights_; }
    int bucket_size() const { return bucket_size_; }

  private:
    NodeWeights weights_;
    int bucket_size_;
};

// The posterior of DAGs given a sequence of buckets: all orders that keep the sequence, together. A
// linear order is a sequence of buckets of one node each, which cost one score sum.
class GivenBuckets final : public GivenState {
  public:
    // Every node is in one bucket, and no bucket is larger than most_bucket_members. The sums must
    // outlive this.
    GivenBuckets(const ScoreSums& sums, std::vector<std::vector<int>> buckets);

    // ln of the summed weights of all pairs of a DAG and an order that keep the sequence and agree
    // with each other; minus infinity if there is none, and nothing else may be asked then.
    double log_weight() const { return log_weight_; }

    void add_edge_probabilities(double scale, double* edges) override;
    void draw(Random& random, std::uint64_t* parents) override;

  private:
    struct Bucket {
        std::vector<int> members;
        std::vector<std::vector<std::uint64_t>> base;  // by member: the earlier nodes as its bits
        std::vector<std::vector<int>> places;          // by member: where the others are
        std::vector<double> log_sums;                  // the members' tables, or one number
        std::optional<BucketOrderLaw> law;             // made when it is needed

        std::vector<const double*> tables() const;
    };

    void add_bucket(Bucket& bucket, double scale, double* edges);
    const BucketOrderLaw& law(Bucket& bucket);

    const ScoreSums& sums_;
    std::vector<Bucket> buckets_;
    BucketRecursion recursion_;
    double log_weight_ = 0.0;
};

}  // namespace arcwise
