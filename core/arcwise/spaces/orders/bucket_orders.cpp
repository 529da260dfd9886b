// The space of balanced bucket orders, and one of them: the weights of its buckets, and its swaps.
// Given a sequence of buckets, what comes before a node is all earlier buckets and a random part of
// its own.
#include "arcwise/spaces/orders/bucket_orders.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/given_sets.hpp"
#include "arcwise/spaces/orders/order_state.hpp"
#include "arcwise/spaces/registry.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"
#include "arcwise/support/set_memo.hpp"

namespace arcwise {
namespace {

// The roles of a node in the key of a bucket.
constexpr int before_it = 0;
constexpr int in_it = 1;

class BucketOrder final : public OrderState<BucketOrders> {
  public:
    explicit BucketOrder(const BucketOrders& space);

    void draw_uniform(Random& random) override;
    void accept() override;
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;
    std::unique_ptr<GivenState> given() const override;

    std::size_t nodes() const { return nodes_; }
    std::size_t bucket_size() const { return size_; }

    // Proposes to swap the nodes at two places of different buckets.
    Proposal swap(std::size_t one, std::size_t other);

  private:
    std::size_t buckets() const { return (nodes_ + size_ - 1) / size_; }
    // The members of a bucket of an order: a part of it.
    template <class Nodes>
    auto members(Nodes& order, std::size_t bucket) const {
        return std::span(order).subspan(bucket * size_, std::min(size_, nodes_ - bucket * size_));
    }

    // Sets the weight of each bucket from `first` to `last` of an order that has the members of a
    // bucket in ascending order.
    void weigh(const std::vector<int>& order, std::size_t first, std::size_t last,
               std::vector<LogWeight>& weights);
    double log_score(std::span<const int> base, std::span<const int> members);
    void sum_up();

    const NodeWeights& weights_;
    const std::size_t nodes_;
    const std::size_t size_;
    NodeKeys keys_;
    std::vector<int> order_;  // bucket by bucket, each ascending
    std::vector<LogWeight> bucket_weights_;

    // The change proposed.
    std::vector<int> proposed_order_;
    std::vector<LogWeight> proposed_buckets_;

    SumMemo memo_;
    BucketRecursion recursion_;
    std::vector<double> tables_;
    std::vector<const double*> table_of_;
    std::vector<int> places_;
    std::vector<std::uint64_t> base_bits_;
};

// Swaps two nodes of different buckets. Every pair (one, other) is as probable as any other: `one`
// is drawn in proportion to the number of nodes outside its bucket, and `other` from these.
class BucketSwap final : public Move {
  public:
    explicit BucketSwap(BucketOrder& order) : order_(order) {}

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

std::vector<MoveRow<BucketOrder>> bucket_order_moves() {
    return {{"swap", 1.0, make_move<BucketSwap>}};
}

BucketOrder::BucketOrder(const BucketOrders& space)
    : OrderState(space),
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
      base_bits_(weights_.words()) {
    moves_.emplace(bucket_order_moves(), *this);
    std::iota(order_.begin(), order_.end(), 0);
    sum_up();
}

void BucketOrder::sum_up() {
    for (std::size_t bucket = 0; bucket < buckets(); ++bucket) {
        std::ranges::sort(members(order_, bucket));
    }
    weigh(order_, 0, buckets() - 1, bucket_weights_);
    weight_ = sum_of(bucket_weights_);
}

void BucketOrder::draw_uniform(Random& random) {
    random.shuffle(std::span(order_));
    sum_up();
}

std::vector<std::uint16_t> BucketOrder::encode() const {
    return std::vector<std::uint16_t>(order_.begin(), order_.end());
}

void BucketOrder::decode(std::span<const std::uint16_t> code) {
    if (!has_each_once(code, nodes_)) {
        throw Error(ErrorKind::argument, "A bucket order must name every node once.");
    }
    order_.assign(code.begin(), code.end());
    sum_up();
}

std::unique_ptr<GivenState> BucketOrder::given() const {
    std::vector<std::vector<int>> sequence;
    for (std::size_t bucket = 0; bucket < buckets(); ++bucket) {
        const auto nodes = members(order_, bucket);
        sequence.emplace_back(nodes.begin(), nodes.end());
    }
    return std::make_unique<GivenBuckets>(weights_.sums(), std::move(sequence));
}

Proposal BucketOrder::swap(std::size_t one, std::size_t other) {
    const std::size_t first = std::min(one, other) / size_;
    const std::size_t last = std::max(one, other) / size_;
    proposed_order_ = order_;
    std::swap(proposed_order_[one], proposed_order_[other]);
    for (const std::size_t changed : {first, last}) {
        std::ranges::sort(members(proposed_order_, changed));
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
        const std::span<const int> nodes = members(order, bucket);
        SetKey key = before;
        for (const int node : nodes) {
            key = key ^ keys_(in_it, node);
            before = before ^ keys_(before_it, node);
        }
        const double score = memo_.get(
            key, [&] { return log_score(std::span(order).first(bucket * size_), nodes); });
        if (score > minus_infinity) {
            weights[bucket] = {score, 0};
        } else {
            weights[bucket] = {0.0, 1};
            for (const int node : nodes) weights[bucket].value += weights_.stand_in(node);
        }
    }
}

double BucketOrder::log_score(std::span<const int> base, std::span<const int> members) {
    const std::size_t table_size = std::size_t{1} << (members.size() - 1);
    for (std::size_t i = 0; i < members.size(); ++i) {
        const int node = members[i];
        std::fill(base_bits_.begin(), base_bits_.end(), 0);
        for (const int before : base) weights_.flip(base_bits_.data(), node, before);
        places_.clear();
        for (const int other : members) {
            if (other != node) places_.push_back(weights_.sums().place(node, other));
        }
        double* table = tables_.data() + i * table_size;
        weights_.sums()[node].log_sums_over(base_bits_.data(), places_, table);
        table_of_[i] = table;
    }
    return recursion_.log_score({table_of_.data(), members.size()});
}

void refuse_wrong_buckets(const std::vector<std::vector<int>>& buckets, int nodes) {
    std::vector<bool> seen(static_cast<std::size_t>(nodes), false);
    std::size_t count = 0;
    for (const std::vector<int>& bucket : buckets) {
        if (bucket.size() > most_bucket_members) {
            throw Error(ErrorKind::capacity, "A bucket has " + std::to_string(bucket.size()) +
                                                 " nodes, and up to " +
                                                 std::to_string(most_bucket_members) +
                                                 " are possible; split it into smaller ones.");
        }
        for (const int node : bucket) {
            if (node < 0 || node >= nodes || seen[static_cast<std::size_t>(node)]) {
                throw Error(ErrorKind::argument, "Every node must be in exactly one bucket.");
            }
            seen[static_cast<std::size_t>(node)] = true;
            ++count;
        }
    }
    if (count != seen.size()) {
        throw Error(ErrorKind::argument, "Every node must be in exactly one bucket.");
    }
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

std::vector<const double*> GivenBuckets::Bucket::tables() const {
    const std::size_t size = log_sums.size() / members.size();
    std::vector<const double*> result;
    for (std::size_t i = 0; i < members.size(); ++i) result.push_back(log_sums.data() + i * size);
    return result;
}

GivenBuckets::GivenBuckets(const ScoreSums& sums, std::vector<std::vector<int>> buckets)
    : sums_(sums) {
    refuse_wrong_buckets(buckets, sums.nodes());
    std::vector<int> before;
    for (std::vector<int>& members : buckets) {
        if (members.empty()) continue;
        Bucket bucket;
        const std::size_t size = (std::size_t{1} << members.size()) / 2;
        bucket.log_sums.resize(members.size() * size);
        for (std::size_t i = 0; i < members.size(); ++i) {
            const int node = members[i];
            std::vector<int> places;
            for (const int other : members) {
                if (other != node) places.push_back(sums.place(node, other));
            }
            bucket.base.push_back(sums.bits(node, before));
            sums[node].log_sums_over(bucket.base[i].data(), places,
                                     bucket.log_sums.data() + i * size);
            bucket.places.push_back(std::move(places));
        }
        before.insert(before.end(), members.begin(), members.end());
        bucket.members = std::move(members);
        log_weight_ += recursion_.log_score(bucket.tables());
        buckets_.push_back(std::move(bucket));
    }
}

const BucketOrderLaw& GivenBuckets::law(Bucket& bucket) {
    if (!bucket.law) bucket.law.emplace(bucket.tables(), recursion_);
    return *bucket.law;
}

void GivenBuckets::add_edge_probabilities(double scale, double* edges) {
    if (std::isinf(log_weight_)) refuse_order_without_dag();
    for (Bucket& bucket : buckets_) add_bucket(bucket, scale, edges);
}

void GivenBuckets::add_bucket(Bucket& bucket, double scale, double* edges) {
    const std::size_t size = bucket.log_sums.size() / bucket.members.size();
    std::vector<double> factors(size);
    for (std::size_t i = 0; i < bucket.members.size(); ++i) {
        const int node = bucket.members[i];
        const double* const log_sums = bucket.log_sums.data() + i * size;
        // A set of predecessors Y has the probability P(Y), and given it a family has its weight
        // over alpha(Y), so that a family counts with the sum of P(Y) / alpha(Y) over all Y around
        // it.
        if (size == 1) {
            factors[0] = 0.0;
        } else {
            law(bucket).log_predecessors(static_cast<int>(i), factors.data());
        }
        for (std::size_t set = 0; set < size; ++set) {
            factors[set] =
                log_sums[set] == minus_infinity ? minus_infinity : factors[set] - log_sums[set];
        }
        log_sum_over_supersets(factors, static_cast<int>(bucket.places[i].size()));
        std::vector<double> by_place(sums_.possible_parents(node).size(), 0.0);
        sums_[node].add_parent_probabilities(bucket.base[i].data(), bucket.places[i],
                                             factors.data(), by_place.data());
        add_parents_to_edges(sums_, node, scale, by_place, edges);
    }
}

void GivenBuckets::draw(Random& random, std::uint64_t* parents) {
    if (std::isinf(log_weight_)) refuse_order_without_dag();
    const std::size_t words = words_for(sums_.nodes());
    std::fill_n(parents, static_cast<std::size_t>(sums_.nodes()) * words, 0);
    int order[most_bucket_members];
    std::vector<std::uint64_t> allowed;
    for (Bucket& bucket : buckets_) {
        order[0] = 0;  // the order of a bucket of one
        if (bucket.members.size() > 1) law(bucket).draw(random, order);
        for (std::size_t step = 0; step < bucket.members.size(); ++step) {
            const auto member = static_cast<std::size_t>(order[step]);
            const int node = bucket.members[member];
            allowed = bucket.base[member];
            for (std::size_t earlier = 0; earlier < step; ++earlier) {
                const int other = bucket.members[static_cast<std::size_t>(order[earlier])];
                const int place = sums_.place(node, other);
                if (place >= 0) put_member(allowed.data(), place);
            }
            draw_parents(sums_, node, allowed.data(), random,
                         parents + static_cast<std::size_t>(node) * words);
        }
    }
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
