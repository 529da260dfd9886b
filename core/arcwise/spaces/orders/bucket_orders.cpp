// The space of balanced bucket orders, and one of them: the weights of its buckets, and its swaps.
#include "arcwise/spaces/orders/bucket_orders.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/orders/bucket_recursion.hpp"
#include "arcwise/spaces/orders/given_buckets.hpp"
#include "arcwise/spaces/registry.hpp"
#include "arcwise/support/error.hpp"
#include "arcwise/support/set_memo.hpp"

namespace arcwise {
namespace {

// Roles of a node in the key of a bucket.
constexpr int before_it = 0;
constexpr int in_it = 1;

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

    std::size_t nodes() const { return nodes_; }
    std::size_t bucket_size() const { return size_; }

    // Proposes to swap the nodes at two places of different buckets.
    Proposal swap(std::size_t one, std::size_t other);

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

    // The change proposed.
    std::vector<int> proposed_order_;
    std::vector<LogWeight> proposed_buckets_;
    LogWeight proposed_;

    SumMemo memo_;
    BucketRecursion recursion_;
    std::vector<double> tables_;
    std::vector<const double*> table_of_;
    std::vector<int> places_;
    std::vector<std::uint64_t> base_bits_;

    Moves moves_;
};

// Of two nodes of different buckets. Every pair (one, other) is as probable as any other: `one` in
// proportion to the number of nodes outside its bucket, then one of those.
class Swap final : public Move {
  public:
    explicit Swap(BucketOrder& order) : order_(order) {}

    Proposal propose(const Temperature&, Random& random) override {
        const std::size_t nodes = order_.nodes();
        const std::size_t size = order_.bucket_size();
        const std::size_t full = nodes / size * size;
        const std::size_t outside_full = nodes - size;
        const std::size_t outside_last = full;
        const std::size_t pairs = full * outside_full + (nodes - full) * outside_last;
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
        const std::size_t begin = one / size * size;
        const std::size_t other = pair < begin ? pair : pair + std::min(size, nodes - begin);
        return order_.swap(one, other);
    }

  private:
    BucketOrder& order_;
};

std::vector<MoveRow<BucketOrder>> bucket_order_moves() { return {{"swap", 1.0, make_move<Swap>}}; }

BucketOrder::BucketOrder(const BucketOrders& space)
    : space_(space),
      weights_(space.weights()),
      nodes_(static_cast<std::size_t>(space.nodes())),
      size_(std::min(nodes_, static_cast<std::size_t>(space.bucket_size()))),
      keys_(space.nodes(), 2),
      order_(nodes_),
      bucket_weights_(buckets()),
      proposed_buckets_(buckets()),
      recursion_(static_cast<int>(size_)),
      tables_(size_ << (size_ - 1)),
      table_of_(size_),
      base_bits_(weights_.words()),
      moves_(bucket_order_moves(), *this) {
    std::iota(order_.begin(), order_.end(), 0);
    sum_up();
}

void BucketOrder::sum_up() {
    for (std::size_t bucket = 0; bucket < buckets(); ++bucket) {
        const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(bucket * size_);
        std::sort(begin, begin + static_cast<std::ptrdiff_t>(members_of(bucket)));
    }
    weigh(order_, 0, buckets() - 1, bucket_weights_);
    weight_ = sum_of(bucket_weights_);
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

Proposal BucketOrder::propose(const Temperature& temperature, Random& random) {
    return moves_.propose(space_.moves().choose(random), temperature, random);
}

Proposal BucketOrder::swap(std::size_t one, std::size_t other) {
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
    proposed_ = sum_of(proposed_buckets_);
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
        if (score > minus_infinity) {
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
    return recursion_.log_score({table_of_.data(), count});
}

}  // namespace

BucketOrders::BucketOrders(std::shared_ptr<const ScoreSums> sums, int bucket_size)
    : Space(MoveTable(bucket_order_moves())), weights_(std::move(sums)), bucket_size_(bucket_size) {
    if (bucket_size < 1 || std::min(bucket_size, nodes()) > most_bucket_members) {
        throw Error(ErrorKind::capacity, "Buckets of " + std::to_string(bucket_size) +
                                             " nodes came, and their sums are over 2^size sets; "
                                             "give a size from 1 to " +
                                             std::to_string(most_bucket_members) + ".");
    }
}

std::unique_ptr<State> BucketOrders::make_state() const {
    return std::make_unique<BucketOrder>(*this);
}

// n! / product of the buckets' factorials.
double BucketOrders::log_size() const {
    double result = log_gamma(nodes() + 1.0);
    for (int left = nodes(); left > 0; left -= bucket_size_) {
        result -= log_gamma(std::min(left, bucket_size_) + 1.0);
    }
    return result;
}

static const SpaceRegistration registration({
    .name = "buckets",
    .moves = [](int) { return MoveTable(bucket_order_moves()); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings& settings,
                const MoveShares&) -> std::shared_ptr<const Space> {
        return std::make_shared<BucketOrders>(std::move(sums), settings.number("size"));
    },
});

}  // namespace arcwise
