// Parts and buckets of a partial order; swaps that recompute only the sums they change; and, given
// a partial order, forward and backward over its down-sets, then each node's families.
#include "arcwise/spaces/orders/partial_orders.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/given_sets.hpp"
#include "arcwise/spaces/orders/order_state.hpp"
#include "arcwise/spaces/registry.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

std::uint64_t bit(std::size_t position) { return std::uint64_t{1} << position; }

// For each position those that come after it.
std::vector<std::uint64_t> turned(const std::vector<std::uint64_t>& predecessors) {
    std::vector<std::uint64_t> successors(predecessors.size(), 0);
    for (std::size_t i = 0; i < predecessors.size(); ++i) {
        for (std::size_t j = 0; j < predecessors.size(); ++j) {
            if ((predecessors[j] & bit(i)) != 0) successors[i] |= bit(j);
        }
    }
    return successors;
}

// The positions connected to one, as bits.
std::uint64_t component(std::size_t start, const std::vector<std::uint64_t>& comparable) {
    std::uint64_t reached = bit(start);
    while (true) {
        std::uint64_t grown = reached;
        for (std::uint64_t left = reached; left != 0; left &= left - 1) {
            grown |= comparable[static_cast<std::size_t>(std::countr_zero(left))];
        }
        if (grown == reached) return reached;
        reached = grown;
    }
}

// The buckets of a closed partial order, part by part.
std::vector<PartialOrders::Part> find_parts(const std::vector<std::uint64_t>& predecessors) {
    const std::size_t n = predecessors.size();
    const std::vector<std::uint64_t> successors = turned(predecessors);
    std::vector<std::uint64_t> comparable(n);
    for (std::size_t i = 0; i < n; ++i) comparable[i] = predecessors[i] | successors[i];
    std::vector<PartialOrders::Part> parts;
    std::uint64_t done = 0;
    for (std::size_t start = 0; start < n; ++start) {
        if ((done & bit(start)) != 0) continue;
        const std::uint64_t members = component(start, comparable);
        done |= members;
        std::map<int, std::vector<int>> buckets;  // by the number of predecessors
        for (std::size_t i = 0; i < n; ++i) {
            if ((members & bit(i)) == 0) continue;
            for (std::size_t j = i + 1; j < n; ++j) {
                if ((members & bit(j)) == 0 || (comparable[i] & bit(j)) != 0) continue;
                if (predecessors[i] != predecessors[j] || successors[i] != successors[j]) {
                    throw Error(ErrorKind::argument,
                                "The reorderings of a partial order are an exact cover only if "
                                "each connected part is a bucket order, but elements " +
                                    std::to_string(i) + " and " + std::to_string(j) +
                                    " are connected, neither comes before the other, and they do "
                                    "not have the same predecessors and successors.");
                }
            }
            buckets[std::popcount(predecessors[i])].push_back(static_cast<int>(i));
        }
        PartialOrders::Part part;
        for (auto& [before, bucket] : buckets) part.push_back(std::move(bucket));
        parts.push_back(std::move(part));
    }
    return parts;
}

std::vector<int> positions_of(const PartialOrders::Part& part) {
    std::vector<int> result;
    for (const std::vector<int>& bucket : part) {
        result.insert(result.end(), bucket.begin(), bucket.end());
    }
    return result;
}

// With more free predecessors of a node than these no table over all their subsets is made.
constexpr int most_tabulated = 22;

double log_factorial(std::size_t number) { return log_gamma(static_cast<double>(number) + 1.0); }

// Which node is at which position.
class PartialOrderState final : public OrderState<PartialOrders> {
  public:
    explicit PartialOrderState(const PartialOrders& space);

    void draw_uniform(Random& random) override;
    void accept() override;

    // The node at each position, ascending within a bucket: so equal states have equal codes.
    std::vector<std::uint16_t> encode() const override;
    void decode(std::span<const std::uint16_t> code) override;

    std::unique_ptr<GivenState> given() const override {
        return std::make_unique<GivenPartialOrder>(space_.sums(), space_.lattice(),
                                                   alpha_.node_at());
    }

    // Proposes to swap the nodes at two positions.
    Proposal swap(int first, int second);

  protected:
    // Which of a bucket's positions a node has decides where a swap leads.
    std::vector<std::uint16_t> exact_code() const override {
        return {alpha_.node_at().begin(), alpha_.node_at().end()};
    }

  private:
    void set_nodes(std::vector<int> node_at);
    LogWeight weigh(const std::vector<double>& log_sums, const TransitionSums& alpha);

    TransitionSums alpha_;
    LatticeRecursion recursion_;
    std::vector<double> log_sums_;  // by transition
    // What accept() puts in place of the state.
    TransitionSums proposed_alpha_;
    std::vector<double> proposed_log_sums_;
};

// Swaps the nodes at two positions.
class PositionSwap final : public Move {
  public:
    explicit PositionSwap(PartialOrderState& state) : state_(state) {}

    Proposal propose(const Temperature&, Random& random) override {
        const std::vector<std::pair<int, int>>& swaps = state_.space().swaps();
        if (swaps.empty()) return {.possible = false};
        const auto [first, second] = swaps[random.below(swaps.size())];
        return state_.swap(first, second);
    }

  private:
    PartialOrderState& state_;
};

std::vector<MoveRow<PartialOrderState>> partial_order_moves() {
    return {{"swap", 1.0, make_move<PositionSwap>}};
}

PartialOrderState::PartialOrderState(const PartialOrders& space)
    : OrderState(space),
      alpha_(space.sums(), space.lattice()),
      recursion_(*space.lattice()),
      log_sums_(space.lattice()->transitions().size()),
      proposed_alpha_(alpha_),
      proposed_log_sums_(log_sums_.size()) {
    moves_.emplace(partial_order_moves(), *this);
    std::vector<int> node_at(static_cast<std::size_t>(space.nodes()));
    std::iota(node_at.begin(), node_at.end(), 0);
    set_nodes(std::move(node_at));
}

void PartialOrderState::set_nodes(std::vector<int> node_at) {
    alpha_.place(std::move(node_at));
    const auto transitions = space_.lattice()->transitions();
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        log_sums_[i] = alpha_.log_sum(transitions[i]);
    }
    weight_ = weigh(log_sums_, alpha_);
}

LogWeight PartialOrderState::weigh(const std::vector<double>& log_sums,
                                   const TransitionSums& alpha) {
    const double log_score = recursion_.log_score(log_sums.data());
    if (!std::isinf(log_score)) return {log_score, 0};
    // Nodes that have no family in any linear extension are counted, so that moves which leave
    // fewer of them lead to states of positive weight.
    int zero_factors = 0;
    for (std::size_t position = 0; position < space_.not_after().size(); ++position) {
        const std::uint64_t bits =
            alpha.parent_bits(static_cast<int>(position), space_.not_after()[position]);
        if (std::isinf(space_.sums()[alpha.node_at()[position]].log_sum(&bits))) ++zero_factors;
    }
    return {space_.stand_in(), std::max(1, zero_factors)};
}

void PartialOrderState::draw_uniform(Random& random) {
    std::vector<int> node_at = alpha_.node_at();
    for (const PartialOrders::Part& part : space_.parts()) {
        const std::vector<int> positions = positions_of(part);
        std::vector<int> nodes;
        for (const int position : positions) {
            nodes.push_back(node_at[static_cast<std::size_t>(position)]);
        }
        random.shuffle(std::span(nodes));
        auto next = nodes.begin();
        for (const int position : positions) node_at[static_cast<std::size_t>(position)] = *next++;
    }
    set_nodes(std::move(node_at));
}

Proposal PartialOrderState::swap(int first, int second) {
    std::vector<int> node_at = alpha_.node_at();
    std::swap(node_at[static_cast<std::size_t>(first)], node_at[static_cast<std::size_t>(second)]);
    proposed_alpha_.place(std::move(node_at));
    const auto transitions = space_.lattice()->transitions();
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        const std::uint64_t set = space_.lattice()->set(transitions[i].from);
        const auto element = static_cast<int>(transitions[i].element);
        const bool changes =
            element == first || element == second || (set >> first & 1) != (set >> second & 1);
        proposed_log_sums_[i] = changes ? proposed_alpha_.log_sum(transitions[i]) : log_sums_[i];
    }
    proposed_ = weigh(proposed_log_sums_, proposed_alpha_);
    return {.weight = proposed_};
}

void PartialOrderState::accept() {
    alpha_.place(proposed_alpha_.node_at());
    std::swap(log_sums_, proposed_log_sums_);
    weight_ = proposed_;
}

std::vector<std::uint16_t> PartialOrderState::encode() const {
    std::vector<std::uint16_t> code(alpha_.node_at().size());
    for (const PartialOrders::Part& part : space_.parts()) {
        for (const std::vector<int>& bucket : part) {
            std::vector<int> nodes;
            for (const int position : bucket) {
                nodes.push_back(alpha_.node_at()[static_cast<std::size_t>(position)]);
            }
            std::ranges::sort(nodes);
            for (std::size_t i = 0; i < bucket.size(); ++i) {
                code[static_cast<std::size_t>(bucket[i])] = static_cast<std::uint16_t>(nodes[i]);
            }
        }
    }
    return code;
}

void PartialOrderState::decode(std::span<const std::uint16_t> code) {
    std::vector<int> node_at(code.begin(), code.end());
    for (const PartialOrders::Part& part : space_.parts()) {
        // At first every position holds the node of its own number, and nodes stay in their part.
        const std::vector<int> positions = positions_of(part);
        std::vector<int> nodes;
        for (const int position : positions) {
            const auto at = static_cast<std::size_t>(position);
            nodes.push_back(at < node_at.size() ? node_at[at] : -1);
        }
        if (!std::ranges::is_permutation(positions, nodes)) {
            throw Error(ErrorKind::argument,
                        "This is no state of the space: a part must keep its nodes.");
        }
    }
    set_nodes(std::move(node_at));
}

}  // namespace

PartialOrders::PartialOrders(std::shared_ptr<const ScoreSums> sums,
                             std::vector<std::uint64_t> predecessors)
    : Space(MoveTable(partial_order_moves())), sums_(std::move(sums)) {
    predecessors = transitive_closure(std::move(predecessors));
    parts_ = find_parts(predecessors);
    const std::vector<std::uint64_t> successors = turned(predecessors);
    std::uint64_t everywhere = 0;
    for (std::size_t i = 0; i < successors.size(); ++i) everywhere |= bit(i);
    for (std::size_t i = 0; i < successors.size(); ++i) {
        not_after_.push_back(everywhere & ~successors[i] & ~bit(i));
    }
    lattice_ = std::make_shared<const DownsetLattice>(std::move(predecessors));
    for (const Part& part : parts_) {
        std::size_t members = 0;
        for (std::size_t i = 0; i < part.size(); ++i) {
            for (std::size_t j = i + 1; j < part.size(); ++j) {
                for (const int first : part[i]) {
                    for (const int second : part[j]) swaps_.emplace_back(first, second);
                }
            }
            members += part[i].size();
            log_size_ -= log_factorial(part[i].size());
        }
        log_size_ += log_factorial(members);
    }
    std::vector<int> all(static_cast<std::size_t>(sums_->nodes()));
    std::iota(all.begin(), all.end(), 0);
    for (const int node : all) {
        stand_in_ += (*sums_)[node].log_sum(sums_->bits(node, all).data());
    }
}

std::unique_ptr<State> PartialOrders::make_state() const {
    return std::make_unique<PartialOrderState>(*this);
}

TransitionSums::TransitionSums(const ScoreSums& sums, std::shared_ptr<const DownsetLattice> lattice)
    : sums_(sums), lattice_(std::move(lattice)) {
    if (lattice_->positions() != sums.nodes()) {
        throw Error(ErrorKind::argument, "A partial order must have all nodes and no others.");
    }
}

void TransitionSums::place(std::vector<int> node_at) {
    const auto n = static_cast<std::size_t>(sums_.nodes());
    if (!has_each_once(node_at, n)) {
        throw Error(ErrorKind::argument, "Every node must sit at exactly one position.");
    }
    node_at_ = std::move(node_at);
    places_.resize(n * n);
    for (std::size_t position = 0; position < n; ++position) {
        for (std::size_t other = 0; other < n; ++other) {
            places_[position * n + other] =
                position == other ? -1 : sums_.place(node_at_[position], node_at_[other]);
        }
    }
}

std::uint64_t TransitionSums::parent_bits(int position, std::uint64_t set) const {
    // At most 63 other nodes: one word holds them.
    const int* const places = places_.data() + static_cast<std::size_t>(position) * node_at_.size();
    std::uint64_t bits = 0;
    for (std::uint64_t left = set; left != 0; left &= left - 1) {
        const int place = places[std::countr_zero(left)];
        if (place >= 0) bits |= std::uint64_t{1} << place;
    }
    return bits;
}

double TransitionSums::log_sum(const DownsetLattice::Transition& transition) const {
    const std::uint64_t bits =
        parent_bits(static_cast<int>(transition.element), lattice_->set(transition.from));
    return sums_[node_at_[transition.element]].log_sum(&bits);
}

GivenPartialOrder::GivenPartialOrder(const ScoreSums& sums,
                                     std::shared_ptr<const DownsetLattice> lattice,
                                     std::vector<int> node_at)
    : sums_(sums), lattice_(std::move(lattice)), alpha_(sums, lattice_), recursion_(*lattice_) {
    alpha_.place(std::move(node_at));
    log_sums_.reserve(lattice_->transitions().size());
    for (const auto& transition : lattice_->transitions()) {
        log_sums_.push_back(alpha_.log_sum(transition));
    }
    forward_ = recursion_.log_forward(log_sums_.data());
}

void GivenPartialOrder::add_edge_probabilities(double scale, double* edges) {
    if (std::isinf(log_weight())) refuse_order_without_dag();
    const std::vector<double> backward = recursion_.log_backward(log_sums_.data());
    for (int position = 0; position < lattice_->positions(); ++position) {
        add_position(position, scale, backward, edges);
    }
}

void GivenPartialOrder::add_position(int position, double scale,
                                     const std::vector<double>& backward, double* edges) const {
    const int node = alpha_.node_at()[static_cast<std::size_t>(position)];
    // The sets Y that may be the predecessors of the node, each with F(Y) B(Y + node) / F(full).
    std::vector<std::pair<std::uint64_t, double>> sets;
    std::uint64_t somewhere = 0;
    const auto transitions = lattice_->transitions();
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        const auto& [from, to, element] = transitions[i];
        if (static_cast<int>(element) != position || log_sums_[i] == minus_infinity) continue;
        sets.emplace_back(lattice_->set(from), forward_[from] + backward[to] - log_weight());
        somewhere |= lattice_->set(from);
    }
    const std::uint64_t always = lattice_->predecessors(position);
    const std::uint64_t free = somewhere & ~always;
    std::vector<double> by_place(sums_.possible_parents(node).size(), 0.0);
    const double free_count = std::popcount(free);
    const double by_table =
        free_count * std::exp2(free_count) + static_cast<double>(sums_[node].count());
    const double by_set =
        static_cast<double>(sets.size()) * static_cast<double>(sums_[node].count());
    if (free_count <= most_tabulated && by_table <= by_set) {
        // gamma(X) = sum over the Y that contain X, for all sets X of free predecessors.
        std::vector<int> positions;
        std::vector<int> places;
        for (std::uint64_t left = free; left != 0; left &= left - 1) {
            positions.push_back(std::countr_zero(left));
            places.push_back(
                sums_.place(node, alpha_.node_at()[static_cast<std::size_t>(positions.back())]));
        }
        std::vector<double> gamma(std::size_t{1} << positions.size(), minus_infinity);
        for (const auto& [set, weight] : sets) {
            std::size_t index = 0;
            for (std::size_t i = 0; i < positions.size(); ++i) {
                index |= static_cast<std::size_t>(set >> positions[i] & 1) << i;
            }
            gamma[index] = weight;
        }
        log_sum_over_supersets(gamma, static_cast<int>(positions.size()));
        const std::uint64_t base = alpha_.parent_bits(position, always);
        sums_[node].add_parent_probabilities(&base, places, gamma.data(), by_place.data());
    } else {
        for (const auto& [set, weight] : sets) {
            const std::uint64_t base = alpha_.parent_bits(position, set);
            sums_[node].add_parent_probabilities(&base, {}, &weight, by_place.data());
        }
    }
    add_parents_to_edges(sums_, node, scale, by_place, edges);
}

void GivenPartialOrder::draw(Random& random, std::uint64_t* parents) {
    if (std::isinf(log_weight())) refuse_order_without_dag();
    std::fill_n(parents, lattice_->positions(), 0);  // up to 64 nodes: one word each
    double shares[most_lattice_positions];
    std::size_t set = lattice_->size() - 1;
    while (set != 0) {
        const auto leading = lattice_->leading_to(set);
        for (std::size_t i = 0; i < leading.size(); ++i) {
            const std::size_t from = lattice_->transitions()[leading[i]].from;
            shares[i] = std::exp(log_sums_[leading[i]] + forward_[from] - forward_[set]);
        }
        const std::size_t chosen = random.choose(std::span(shares, leading.size()));
        const auto& [from, to, position] = lattice_->transitions()[leading[chosen]];
        const int node = alpha_.node_at()[position];
        const std::uint64_t allowed =
            alpha_.parent_bits(static_cast<int>(position), lattice_->set(from));
        draw_parents(sums_, node, &allowed, random, parents + node);
        set = from;
    }
}

static const SpaceRegistration registration({
    .name = "partial orders",
    .moves = [](int) { return MoveTable(partial_order_moves()); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings& settings,
                const MoveShares&) -> std::shared_ptr<const Space> {
        return std::make_shared<PartialOrders>(std::move(sums), settings.order("order"));
    },
});

}  // namespace arcwise
