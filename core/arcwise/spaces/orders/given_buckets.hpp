// The posterior of DAGs given a sequence of buckets: all orders that keep the sequence, together.
//
// A linear order is a sequence of buckets of one node each; such buckets cost one score sum.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arcwise/spaces/orders/bucket_recursion.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class GivenBuckets final : public GivenState {
  public:
    // Every node is in one bucket, and no bucket is larger than most_bucket_members. The sums must
    // outlive this.
    GivenBuckets(const ScoreSums& sums, std::vector<std::vector<int>> buckets);

    // ln of the summed weights of all pairs of a DAG and an order that both keep the sequence and
    // each other; minus infinity if there is none, and then nothing else may be asked.
    double log_weight() const { return log_weight_; }

    void add_edge_probabilities(double scale, double* edges) override;
    void draw(Random& random, std::uint64_t* parents) override;

  private:
    struct Bucket {
        std::vector<int> members;
        std::vector<std::vector<std::uint64_t>> base;  // by member: the earlier nodes as its bits
        std::vector<std::vector<int>> places;          // by member: where the others are
        std::vector<double> log_sums;                  // the members' tables, or one number
        std::optional<BucketOrderLaw> law;             // once it is needed

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
