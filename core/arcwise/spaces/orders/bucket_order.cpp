// The swap move of bucket orders, and the weight of a bucket.
#include "arcwise/spaces/orders/bucket_order.hpp"

#include <algorithm>
#include <numeric>

#include "arcwise/spaces/orders/given_buckets.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Roles of a node in the key of a bucket.
constexpr int before_it = 0;
constexpr int in_it = 1;

}  // namespace

BucketOrder::BucketOrder(const BucketOrders& space)
    : space_(space),
      weights_(space.weights()),
      nodes_(static_cast<std::size_t>(space.nodes())),
      size_(std::min(nodes_, static_cast<std::size_t>(space.bucket_size()))),
      keys_(space.nodes(), 2),
      order_(nodes_),
      bucket_weights_(buckets()),
      proposed_buckets_(buckets()),
      programme_(static_cast<int>(size_)),
      tables_(size_ << (size_ - 1)),
      table_of_(size_),
      base_bits_(weights_.words()) {
    std::iota(order_.begin(), order_.end(), 0);
    sum_up();
}

void BucketOrder::sum_up() {
    for (std::size_t bucket = 0; bucket < buckets(); ++bucket) {
        const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(bucket * size_);
        std::sort(begin, begin + static_cast<std::ptrdiff_t>(members_of(bucket)));
    }
    weigh(order_, 0, buckets() - 1, bucket_weights_);
    weight_ = {};
    for (const LogWeight& weight : bucket_weights_) weight_ = weight_ + weight;
}

LogWeight BucketOrder::recomputed_weight() const {
    BucketOrder fresh(space_);
    fresh.decode(encode());
    return fresh.log_weight();
}

void BucketOrder::draw_uniform(Random& random) {
    random.shuffle(std::span(order_));
    sum_up();
}

std::vector<std::uint16_t> BucketOrder::encode() const {
    return std::vector<std::uint16_t>(order_.begin(), order_.end());
}

void BucketOrder::decode(std::span<const std::uint16_t> code) {
    std::vector<int> order(code.begin(), code.end());
    std::sort(order.begin(), order.end());
    for (std::size_t node = 0; node < nodes_; ++node) {
        if (order.size() != nodes_ || order[node] != static_cast<int>(node)) {
            throw Error(ErrorKind::argument, "A bucket order must name every node once.");
        }
    }
    order_.assign(code.begin(), code.end());
    sum_up();
}

std::unique_ptr<GivenState> BucketOrder::given() const {
    std::vector<std::vector<int>> members;
    for (std::size_t bucket = 0; bucket < buckets(); ++bucket) {
        const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(bucket * size_);
        members.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(members_of(bucket)));
    }
    return std::make_unique<GivenBuckets>(weights_.sums(), std::move(members));
}

Proposal BucketOrder::propose(const Temperature&, Random& random) {
    // Every pair (one, other) of different buckets is as probable as any other: `one` in proportion
    // to the number of nodes outside its bucket, then one of those.
    const std::size_t full = nodes_ / size_ * size_;
    const std::size_t outside_full = nodes_ - size_;
    const std::size_t outside_last = full;
    const std::size_t pairs = full * outside_full + (nodes_ - full) * outside_last;
    if (pairs == 0) return {.possible = false};
    std::size_t pair = random.below(pairs);
    std::size_t one;
    if (pair < full * outside_full) {
        one = pair / outside_full;
        pair %= outside_full;
    } else {
        pair -= full * outside_full;
        one = full + pair / outside_last;
        pair %= outside_last;
    }
    const std::size_t bucket = one / size_;
    const std::size_t other = pair < bucket * size_ ? pair : pair + members_of(bucket);

    const std::size_t first = std::min(one, other) / size_;
    const std::size_t last = std::max(one, other) / size_;
    proposed_order_ = order_;
    std::swap(proposed_order_[one], proposed_order_[other]);
    for (const std::size_t changed : {first, last}) {
        const auto begin = proposed_order_.begin() + static_cast<std::ptrdiff_t>(changed * size_);
        std::sort(begin, begin + static_cast<std::ptrdiff_t>(members_of(changed)));
    }
    std::copy(bucket_weights_.begin(), bucket_weights_.end(), proposed_buckets_.begin());
    weigh(proposed_order_, first, last, proposed_buckets_);
    // Summed over all buckets, a handful of numbers, so that rounding cannot build up.
    proposed_ = {};
    for (const LogWeight& weight : proposed_buckets_) proposed_ = proposed_ + weight;
    return {.weight = proposed_};
}

void BucketOrder::accept() {
    order_.swap(proposed_order_);
    bucket_weights_.swap(proposed_buckets_);
    weight_ = proposed_;
}

void BucketOrder::weigh(const std::vector<int>& order, std::size_t first, std::size_t last,
                        std::vector<LogWeight>& weights) {
    SetKey before;
    for (std::size_t place = 0; place < first * size_; ++place) {
        before = before ^ keys_(before_it, order[place]);
    }
    for (std::size_t bucket = first; bucket <= last; ++bucket) {
        const int* members = order.data() + bucket * size_;
        const std::size_t count = members_of(bucket);
        SetKey key = before;
        for (std::size_t i = 0; i < count; ++i) {
            key = key ^ keys_(in_it, members[i]);
            before = before ^ keys_(before_it, members[i]);
        }
        const double score =
            memo_.get(key, [&] { return log_score(order.data(), bucket * size_, members, count); });
        if (score > -std::numeric_limits<double>::infinity()) {
            weights[bucket] = {score, 0};
        } else {
            weights[bucket] = {0.0, 1};
            for (std::size_t i = 0; i < count; ++i) {
                weights[bucket].value += weights_.stand_in(members[i]);
            }
        }
    }
}

double BucketOrder::log_score(const int* base, std::size_t base_size, const int* members,
                              std::size_t count) {
    const std::size_t table_size = std::size_t{1} << (count - 1);
    for (std::size_t i = 0; i < count; ++i) {
        const int node = members[i];
        std::fill(base_bits_.begin(), base_bits_.end(), 0);
        for (std::size_t place = 0; place < base_size; ++place) {
            weights_.flip(base_bits_.data(), node, base[place]);
        }
        places_.clear();
        for (std::size_t j = 0; j < count; ++j) {
            if (j != i) places_.push_back(weights_.sums().place(node, members[j]));
        }
        double* table = tables_.data() + i * table_size;
        weights_.sums()[node].log_sums_over(base_bits_.data(), places_, table);
        table_of_[i] = table;
    }
    return programme_.log_score({table_of_.data(), count});
}

}  // namespace arcwise
