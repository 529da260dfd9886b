// One bucket order, the weights of its buckets, and the last swap proposed to it.
#pragma once

#include <vector>

#include "arcwise/spaces/orders/bucket_orders.hpp"
#include "arcwise/spaces/orders/bucket_programme.hpp"
#include "arcwise/spaces/orders/weight_memo.hpp"

namespace arcwise {

class BucketOrder final : public State {
  public:
    explicit BucketOrder(const BucketOrders& space);

    void draw_uniform(Random& random) override;
    Proposal propose(const Temperature& temperature, Random& random) override;
    void accept() override;
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;
    LogWeight recomputed_weight() const override;
    std::unique_ptr<GivenState> given() const override;

  private:
    std::size_t buckets() const { return (nodes_ + size_ - 1) / size_; }
    std::size_t members_of(std::size_t bucket) const {
        return std::min(size_, nodes_ - bucket * size_);
    }

    // The weight of each bucket from `first` to `last` if the nodes stood as in `order`, which has
    // the members of a bucket in ascending order.
    void weigh(const std::vector<int>& order, std::size_t first, std::size_t last,
               std::vector<LogWeight>& weights);
    double log_score(const int* base, std::size_t base_size, const int* members, std::size_t count);
    void sum_up();

    const BucketOrders& space_;
    const NodeWeights& weights_;
    const std::size_t nodes_;
    const std::size_t size_;
    NodeKeys keys_;
    std::vector<int> order_;  // bucket by bucket, each ascending
    std::vector<LogWeight> bucket_weights_;

    // The last proposal.
    std::vector<int> proposed_order_;
    std::vector<LogWeight> proposed_buckets_;
    LogWeight proposed_;

    WeightMemo memo_;
    BucketProgramme programme_;
    std::vector<double> tables_;
    std::vector<const double*> table_of_;
    std::vector<int> places_;
    std::vector<std::uint64_t> base_bits_;
};

}  // namespace arcwise
