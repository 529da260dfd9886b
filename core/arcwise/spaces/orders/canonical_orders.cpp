// The space of canonical orders; the weight of one, and how a proposal becomes the state.
#include "arcwise/spaces/orders/canonical_orders.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/given_sets.hpp"
#include "arcwise/spaces/orders/canonical_order.hpp"
#include "arcwise/spaces/orders/some_dag.hpp"
#include "arcwise/spaces/registry.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Returns the numbering, or where none is given that by the nodes themselves; throws `argument`
// unless it has every number once.
std::vector<int> checked_numbering(std::vector<int> numbering, int nodes) {
    if (numbering.empty()) {
        numbering.resize(static_cast<std::size_t>(nodes));
        std::iota(numbering.begin(), numbering.end(), 0);
    }
    if (!has_each_once(numbering, static_cast<std::size_t>(nodes))) {
        throw Error(ErrorKind::argument, "A numbering must give every node its own number.");
    }
    return numbering;
}

}  // namespace

CanonicalOrder::CanonicalOrder(const CanonicalOrders& space)
    : LinearState(space),
      sums_(weights_),
      numbers_(space.numbering()),
      highest_(nodes()),
      standings_(nodes()),
      scratch_(nodes(), words_) {
    moves_.emplace(canonical_order_moves(space.nodes()), *this);
    sum_up();
}

void CanonicalOrder::set_highest(std::size_t first, std::size_t end) {
    int highest = first == 0 ? -1 : highest_[first - 1];
    for (std::size_t place = first; place < end; ++place) {
        highest = std::max(highest, number(order_[place]));
        highest_[place] = highest;
    }
}

bool CanonicalOrder::set_sets(std::span<const int> order, const std::vector<int>& numbers,
                              std::size_t place, std::uint64_t* predecessors,
                              std::uint64_t* earlier) const {
    const int node = order[place];
    const auto number_of = [&](int v) { return numbers[static_cast<std::size_t>(v)]; };
    std::fill_n(predecessors, words_, 0);
    std::fill_n(earlier, words_, 0);
    bool bound = false;
    for (const int before : order.first(place)) {
        if (number_of(before) > number_of(node)) {
            bound = true;
            copy_words(predecessors, earlier);
        }
        weights_.flip(predecessors, node, before);
    }
    return bound;
}

void CanonicalOrder::sum_up() {
    accepted_ = 0;
    set_highest(0, nodes());
    for (std::size_t place = 0; place < nodes(); ++place) {
        const int node = order_[place];
        const bool bound = set_sets({order_.begin(), order_.end()}, numbers_, place,
                                    predecessors(node), earlier(node));
        const auto v = static_cast<std::size_t>(node);
        standings_[v] = {sums_.split(node, predecessors(node), earlier(node), bound), bound};
        node_weights_[v] = weigh(node, place_);
    }
    weight_ = sum_of(node_weights_);
}

// weigh_other(node) weighs the nodes whose weight is not a product of known numbers.
template <class WeighOther>
LogWeight CanonicalOrder::total_at(const Temperature& temperature, const BridgePlace& place,
                                   WeighOther weigh_other) const {
    if (place.one_minus_t == 0.0 && temperature.excludes_zero_weights()) {
        for (const Standing& standing : standings_) {
            if (standing.sum.R_is_zero) return {0.0, 1};
        }
    }
    // Logarithms are taken only when the product gets small: they are the cost of an exchange.
    constexpr double small = 1e-200;
    LogWeight total;
    double product = 1.0;
    for (std::size_t node = 0; node < nodes(); ++node) {
        const SplitSum& sum = standings_[node].sum;
        if (!sum.is_product(place)) {
            total = total + weigh_other(static_cast<int>(node));
            continue;
        }
        total.value += sum.log_S;
        product *= place.one_minus_t + place.t * sum.R_over_S;
        if (product < small) {
            total.value += std::log(product);
            product = 1.0;
        }
    }
    total.value += std::log(product);
    return total;
}

LogWeight CanonicalOrder::weight_at(const Temperature& temperature) const {
    const BridgePlace place = BridgePlace::at(temperature.bridge);
    if (place == place_) return weight_;
    return total_at(temperature, place, [&](int node) { return weigh(node, place); });
}

LogWeight CanonicalOrder::weight_above(const Temperature& temperature) const {
    const BridgePlace place = BridgePlace::at(temperature.bridge);
    if (place == place_ || !temperature.excludes_zero_weights()) return weight_at(temperature);
    return total_at(temperature, place,
                    [&](int node) { return sums_.close_bound(place, standing(node).sum, node); });
}

void CanonicalOrder::go_to(const Temperature& temperature) {
    const BridgePlace place = BridgePlace::at(temperature.bridge);
    if (place == place_) return;
    place_ = place;
    for (std::size_t node = 0; node < nodes(); ++node) {
        node_weights_[node] = weigh(static_cast<int>(node), place_);
    }
    weight_ = sum_of(node_weights_);
}

LogWeight CanonicalOrder::recomputed_weight() const {
    CanonicalOrder fresh(space_);
    fresh.place_ = place_;
    fresh.decode(encode());
    return fresh.log_weight();
}

void CanonicalOrder::draw_uniform(Random& random) {
    order_.shuffle(random);
    if (space_.renumbers()) random.shuffle(std::span(numbers_));
    sum_up();
}

std::vector<int> CanonicalOrder::canonical_order(const std::uint64_t* dag,
                                                 const std::vector<int>& numbers) const {
    const std::size_t words = words_for(nodes());
    std::vector<std::size_t> by_number(nodes());
    for (std::size_t node = 0; node < nodes(); ++node) {
        by_number[static_cast<std::size_t>(numbers[node])] = node;
    }
    std::vector<std::uint64_t> taken(words, 0);
    const auto can_be_taken = [&](std::size_t node) {
        if (has_member(taken.data(), node)) return false;
        const std::uint64_t* parents = dag + node * words;
        for (std::size_t word = 0; word < words; ++word) {
            if ((parents[word] & ~taken[word]) != 0) return false;
        }
        return true;
    };
    std::vector<int> order;
    for (std::size_t place = 0; place < nodes(); ++place) {
        const std::size_t next = *std::ranges::find_if(by_number, can_be_taken);
        put_member(taken.data(), next);
        order.push_back(static_cast<int>(next));
    }
    return order;
}

bool CanonicalOrder::start_from_orders(std::uint64_t steps, Random& random, TaskContext* context) {
    return start_at(some_dag(weights_.sums(), steps, random, context));
}

bool CanonicalOrder::start_at(const SomeDag& dag) {
    order_.assign(canonical_order(dag.parents.data(), numbers_));
    sum_up();
    return true;
}

std::vector<std::uint16_t> CanonicalOrder::encode() const {
    std::vector<std::uint16_t> code = order_.encode();
    if (space_.renumbers()) code.insert(code.end(), numbers_.begin(), numbers_.end());
    return code;
}

void CanonicalOrder::decode(std::span<const std::uint16_t> code) {
    const std::size_t length = space_.renumbers() ? 2 * nodes() : nodes();
    if (code.size() != length) {
        throw Error(ErrorKind::argument, "A canonical order has " + std::to_string(length) +
                                             " numbers, and " + std::to_string(code.size()) +
                                             " came.");
    }
    if (space_.renumbers()) {
        const auto numbers = code.subspan(nodes());
        numbers_ = checked_numbering({numbers.begin(), numbers.end()}, space_.nodes());
    }
    order_.decode(code.first(nodes()));
    sum_up();
}

std::unique_ptr<GivenState> CanonicalOrder::given() const {
    // For each node A, and what is recent if it is bound.
    std::vector<std::uint64_t> sets(nodes() * 2 * words_);
    for (std::size_t node = 0; node < nodes(); ++node) {
        const int v = static_cast<int>(node);
        for (std::size_t word = 0; word < words_; ++word) {
            std::uint64_t* of_node = sets.data() + node * 2 * words_ + word;
            of_node[0] = predecessors(v)[word];
            if (standing(v).bound) of_node[words_] = predecessors(v)[word] & ~earlier(v)[word];
        }
    }
    return std::make_unique<GivenSets>(weights_.sums(), std::move(sets));
}

Proposal CanonicalOrder::propose(const Temperature& temperature, Random& random) {
    if (nodes() < 2) return {.possible = false};
    begin_proposal();
    numbered_.reset();
    // Where weights of zero have a density, no bound holds on a weight that may be zero.
    screens_ = temperature.excludes_zero_weights() && weight_.zero_factors == 0;
    // At the end of the bridge a bound node may have no recent node as a possible parent.
    refuses_zero_ = screens_ && place_.one_minus_t == 0.0;
    precision_ = Precision::exact;
    Proposal proposal = LinearState::propose(temperature, random);
    if (refuses_zero_ && proposed_.zero_factors > 0) proposal.refused = true;
    while (precision_ != Precision::exact) {
        if (!passes(proposal, temperature, random)) return proposal;
        refine();
    }
    proposal.weight = proposed_;
    return proposal;
}

// Refuses the proposal with the probability that a bound on its weight gives. What remains to be
// decided is in its ratio: the product of the probabilities is that of the exact weight.
bool CanonicalOrder::passes(Proposal& proposal, const Temperature& temperature,
                            Random& random) const {
    const double at_most = std::min(0.0, temperature.log_density(proposed_) -
                                             temperature.log_density(weight_) + proposal.log_ratio);
    proposal.log_ratio -= at_most;
    proposal.refused = !random.event(std::exp(at_most));
    return !proposal.refused;
}

void CanonicalOrder::accept() {
    if (numbered_) {
        order_.assign(numbered_->order);
        numbers_ = numbered_->numbers;
        set_highest(0, nodes());
    } else {
        order_.make_change();
        set_highest(first_, last_);
    }
    accept_changes([&](std::size_t index, const CanonicalChange& change) {
        copy_words(changed_set(index, 0), predecessors(change.node));
        copy_words(changed_set(index, 1), earlier(change.node));
        standings_[static_cast<std::size_t>(change.node)] = change.standing;
    });
}

CanonicalOrders::CanonicalOrders(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares,
                                 std::vector<int> numbering)
    : Space(MoveTable(canonical_order_moves(sums->nodes()), shares)),
      weights_(std::move(sums)),
      numbering_(checked_numbering(std::move(numbering), weights_.nodes())),
      renumbers_(std::ranges::any_of(moves().kinds(), [](const MoveTable::Kind& kind) {
          return kind.name == renumbering && kind.share > 0.0;
      })) {}

std::unique_ptr<State> CanonicalOrders::make_state() const {
    return std::make_unique<CanonicalOrder>(*this);
}

double CanonicalOrders::log_size() const { return log_gamma(nodes() + 1.0); }

static const SpaceRegistration registration({
    .name = "canonical",
    .moves = [](int nodes) { return MoveTable(canonical_order_moves(nodes)); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings& settings,
                const MoveShares& shares) -> std::shared_ptr<const Space> {
        const auto given = settings.orders.find("numbering");
        if (given == settings.orders.end()) {
            return std::make_shared<CanonicalOrders>(std::move(sums), shares);
        }
        // A numbering that is given is never changed.
        const MoveTable table(canonical_order_moves(sums->nodes()), shares);
        return std::make_shared<CanonicalOrders>(
            std::move(sums), table.shares_without(CanonicalOrders::renumbering),
            std::vector<int>(given->second.begin(), given->second.end()));
    },
});

}  // namespace arcwise
