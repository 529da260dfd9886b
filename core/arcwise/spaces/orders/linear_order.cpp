// The moves of a linear order, each scored from the nodes whose predecessors it changes.
#include "arcwise/spaces/orders/linear_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "arcwise/spaces/orders/given_buckets.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// The total is summed up anew after this many accepted moves, so that rounding does not build up.
constexpr unsigned accepted_between_sums = 1024;

}  // namespace

LinearOrder::LinearOrder(const LinearOrders& space)
    : space_(space),
      weights_(space.weights()),
      nodes_(static_cast<std::size_t>(space.nodes())),
      words_(weights_.words()),
      order_(nodes_),
      predecessors_(nodes_ * words_),
      node_weights_(nodes_),
      changed_predecessors_(nodes_ * words_),
      place_weights_(nodes_),
      passed_weights_(nodes_),
      choices_(nodes_),
      scratch_(words_) {
    changes_.reserve(nodes_);
    std::iota(order_.begin(), order_.end(), 0);
    sum_up();
}

void LinearOrder::sum_up() {
    accepted_ = 0;
    std::fill(predecessors_.begin(), predecessors_.end(), 0);
    for (std::size_t place = 0; place < nodes_; ++place) {
        for (std::size_t before = 0; before < place; ++before) {
            weights_.flip(predecessors(order_[place]), order_[place], order_[before]);
        }
    }
    weight_ = {};
    for (std::size_t node = 0; node < nodes_; ++node) {
        const int v = static_cast<int>(node);
        node_weights_[node] = weights_.at(v, predecessors(v));
        weight_ = weight_ + node_weights_[node];
    }
}

LogWeight LinearOrder::recomputed_weight() const {
    LinearOrder fresh(space_);
    fresh.decode(encode());
    return fresh.log_weight();
}

void LinearOrder::draw_uniform(Random& random) {
    random.shuffle(std::span(order_));
    sum_up();
}

std::vector<std::uint16_t> LinearOrder::encode() const {
    return std::vector<std::uint16_t>(order_.begin(), order_.end());
}

void LinearOrder::decode(std::span<const std::uint16_t> code) {
    std::vector<bool> seen(nodes_, false);
    for (const std::uint16_t node : code) {
        if (node >= nodes_ || seen[node] || code.size() != nodes_) {
            throw Error(ErrorKind::argument, "An order must name every node once.");
        }
        seen[node] = true;
    }
    order_.assign(code.begin(), code.end());
    sum_up();
}

std::unique_ptr<GivenState> LinearOrder::given() const {
    std::vector<std::vector<int>> buckets;
    for (const int node : order_) buckets.push_back({node});
    return std::make_unique<GivenBuckets>(weights_.sums(), std::move(buckets));
}

Proposal LinearOrder::propose(const Temperature& temperature, Random& random) {
    if (nodes_ < 2) return {.possible = false};
    const auto move = static_cast<int>(random.choose(space_.move_weights()));
    changes_.clear();
    proposed_ = weight_;
    if (move == LinearOrders::relocate) return propose_relocation(temperature, random);
    if (move == LinearOrders::adjacent) {
        const std::size_t first = random.below(nodes_ - 1);
        return propose_swap(first, first + 1, move);
    }
    const std::size_t one = random.below(nodes_);
    std::size_t other = random.below(nodes_ - 1);
    if (other >= one) ++other;
    return propose_swap(std::min(one, other), std::max(one, other), move);
}

std::uint64_t* LinearOrder::begin_change(int node) {
    std::uint64_t* changed = changed_predecessors(changes_.size());
    copy_words(predecessors(node), changed);
    changes_.push_back({node, {}});
    return changed;
}

void LinearOrder::end_change(std::size_t index) {
    Change& change = changes_[index];
    change.weight = weights_.at(change.node, changed_predecessors(index));
    proposed_ = proposed_ + (change.weight - node_weights_[static_cast<std::size_t>(change.node)]);
}

Proposal LinearOrder::propose_swap(std::size_t first, std::size_t last, int move) {
    const int early = order_[first];
    const int late = order_[last];
    from_ = first;
    to_ = last;
    relocated_ = false;

    // `early` gains, and `late` loses, all that is between them, and each other; those between
    // lose the one and gain the other.
    std::uint64_t* of_early = begin_change(early);
    std::uint64_t* of_late = begin_change(late);
    weights_.flip(of_early, early, late);
    weights_.flip(of_late, late, early);
    for (std::size_t place = first + 1; place < last; ++place) {
        const int node = order_[place];
        weights_.flip(of_early, early, node);
        weights_.flip(of_late, late, node);
        std::uint64_t* changed = begin_change(node);
        const bool loses = weights_.flip(changed, node, early);
        const bool gains = weights_.flip(changed, node, late);
        if (!loses && !gains) changes_.pop_back();
    }
    for (std::size_t change = 0; change < changes_.size(); ++change) end_change(change);
    return {.move = move, .weight = proposed_};
}

void LinearOrder::pass(std::size_t from, int step) {
    const int moved = order_[from];
    copy_words(predecessors(moved), scratch_.data());
    std::size_t place = from;
    while (step > 0 ? place + 1 < nodes_ : place > 0) {
        place = step > 0 ? place + 1 : place - 1;
        const int passed = order_[place];
        weights_.flip(scratch_.data(), moved, passed);
        place_weights_[place] = weights_.at(moved, scratch_.data());
        std::uint64_t* of_passed = predecessors(passed);
        if (weights_.flip(of_passed, passed, moved)) {
            passed_weights_[place] = weights_.at(passed, of_passed);
            weights_.flip(of_passed, passed, moved);
        } else {
            passed_weights_[place] = node_weights_[static_cast<std::size_t>(passed)];
        }
    }
}

Proposal LinearOrder::propose_relocation(const Temperature& temperature, Random& random) {
    const std::size_t from = random.below(nodes_);
    const int moved = order_[from];
    const LogWeight others = weight_ - node_weights_[static_cast<std::size_t>(moved)];
    pass(from, 1);
    pass(from, -1);

    // The weight of the whole order with the node at each place.
    std::vector<LogWeight>& totals = place_weights_;
    totals[from] = weight_;
    for (const int step : {1, -1}) {
        LogWeight rest = others;
        std::size_t place = from;
        while (step > 0 ? place + 1 < nodes_ : place > 0) {
            place = step > 0 ? place + 1 : place - 1;
            const auto passed = static_cast<std::size_t>(order_[place]);
            rest = rest + (passed_weights_[place] - node_weights_[passed]);
            totals[place] = rest + totals[place];
        }
    }
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t place = 0; place < nodes_; ++place) {
        choices_[place] = temperature.log_density(totals[place]);
        largest = std::max(largest, choices_[place]);
    }
    for (double& choice : choices_) choice = std::exp(choice - largest);
    const std::size_t to = random.choose(choices_);

    from_ = from;
    to_ = to;
    relocated_ = true;
    const std::size_t first = std::min(from, to);
    const std::size_t last = std::max(from, to);
    if (to != from) {
        std::uint64_t* of_moved = begin_change(moved);
        for (std::size_t place = first; place <= last; ++place) {
            if (place != from) weights_.flip(of_moved, moved, order_[place]);
        }
        end_change(0);
        for (std::size_t place = first; place <= last; ++place) {
            if (place == from) continue;
            const int passed = order_[place];
            if (weights_.flip(begin_change(passed), passed, moved)) {
                // The sum is known from the way there.
                changes_.back().weight = passed_weights_[place];
                proposed_ = proposed_ + (passed_weights_[place] -
                                         node_weights_[static_cast<std::size_t>(passed)]);
            } else {
                changes_.pop_back();
            }
        }
    }
    // A draw from the law given the others is always accepted: the ratio undoes the change of
    // weight.
    const double change = temperature.log_density(proposed_) - temperature.log_density(weight_);
    return {.move = LinearOrders::relocate, .weight = proposed_, .log_ratio = -change};
}

void LinearOrder::accept() {
    const auto at = [&](std::size_t place) {
        return order_.begin() + static_cast<std::ptrdiff_t>(place);
    };
    if (!relocated_) {
        std::swap(order_[from_], order_[to_]);
    } else if (to_ > from_) {
        std::rotate(at(from_), at(from_ + 1), at(to_ + 1));
    } else {
        std::rotate(at(to_), at(from_), at(from_ + 1));
    }
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        const Change& change = changes_[i];
        copy_words(changed_predecessors(i), predecessors(change.node));
        node_weights_[static_cast<std::size_t>(change.node)] = change.weight;
    }
    weight_ = proposed_;
    if (++accepted_ % accepted_between_sums == 0) {
        weight_ = {};
        for (const LogWeight& weight : node_weights_) weight_ = weight_ + weight;
    }
}

}  // namespace arcwise
