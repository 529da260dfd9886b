// The space of linear orders; what one is worth, and how a proposal becomes the state.
#include "arcwise/spaces/orders/linear_orders.hpp"

#include <algorithm>

#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/orders/given_buckets.hpp"
#include "arcwise/spaces/orders/linear_order.hpp"
#include "arcwise/spaces/registry.hpp"

namespace arcwise {

LinearOrder::LinearOrder(const LinearOrders& space)
    : space_(space),
      weights_(space.weights()),
      words_(weights_.words()),
      order_(static_cast<std::size_t>(space.nodes())),
      predecessors_(nodes() * words_),
      node_weights_(nodes()),
      changed_predecessors_(nodes() * words_),
      row_sums_(weights_),
      plain_weights_(weights_),
      passed_weights_(nodes()),
      scratch_(words_),
      moves_(linear_order_moves(space.nodes()), *this) {
    changes_.reserve(nodes());
    sum_up();
}

void LinearOrder::sum_up() {
    accepted_ = 0;
    row_sums_.forget_all();
    std::fill(predecessors_.begin(), predecessors_.end(), 0);
    for (std::size_t place = 0; place < nodes(); ++place) {
        for (std::size_t before = 0; before < place; ++before) {
            weights_.flip(predecessors(order_[place]), order_[place], order_[before]);
        }
    }
    for (std::size_t node = 0; node < nodes(); ++node) {
        const int v = static_cast<int>(node);
        node_weights_[node] = weights_.at(v, predecessors(v));
    }
    weight_ = sum_of(node_weights_);
}

LogWeight LinearOrder::recomputed_weight() const {
    LinearOrder fresh(space_);
    fresh.decode(encode());
    return fresh.log_weight();
}

void LinearOrder::draw_uniform(Random& random) {
    order_.shuffle(random);
    sum_up();
}

std::vector<std::uint16_t> LinearOrder::encode() const { return order_.encode(); }

void LinearOrder::decode(std::span<const std::uint16_t> code) {
    order_.decode(code);
    sum_up();
}

std::unique_ptr<GivenState> LinearOrder::given() const {
    std::vector<std::vector<int>> buckets;
    for (const int node : order_) buckets.push_back({node});
    return std::make_unique<GivenBuckets>(weights_.sums(), std::move(buckets));
}

Proposal LinearOrder::propose(const Temperature& temperature, Random& random) {
    if (nodes() < 2) return {.possible = false};
    changes_.clear();
    proposed_ = weight_;
    return moves_.propose(space_.moves().choose(random), temperature, random);
}

void LinearOrder::accept() {
    order_.make_change();
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        const Change& change = changes_[i];
        if (left_as_is(i)) {
            exchange(predecessors(change.node), change.node);
        } else {
            copy_words(changed_predecessors(i), predecessors(change.node));
        }
        row_sums_.forget(change.node);
        node_weights_[static_cast<std::size_t>(change.node)] = change.weight;
    }
    take_weight(proposed_);
}

LinearOrders::LinearOrders(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares,
                           Semiring semiring)
    : Space(MoveTable(linear_order_moves(sums->nodes()), shares)),
      weights_(std::move(sums), semiring) {}

std::unique_ptr<State> LinearOrders::make_state() const {
    return std::make_unique<LinearOrder>(*this);
}

double LinearOrders::log_size() const { return log_gamma(nodes() + 1.0); }

static const SpaceRegistration registration({
    .name = "linear",
    .moves = [](int nodes) { return MoveTable(linear_order_moves(nodes)); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings&,
                const MoveShares& shares) -> std::shared_ptr<const Space> {
        return std::make_shared<LinearOrders>(std::move(sums), shares);
    },
});

}  // namespace arcwise
