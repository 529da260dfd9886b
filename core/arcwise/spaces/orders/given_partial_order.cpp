// Forward and backward over the down-sets, then every node's families given its predecessors.
#include "arcwise/spaces/orders/given_partial_order.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/given_sets.hpp"

namespace arcwise {
namespace {

// Beyond so many free predecessors of a node no table over all their subsets is made.
constexpr int most_tabulated = 22;

}  // namespace

TransitionSums::TransitionSums(const ScoreSums& sums, std::shared_ptr<const DownsetLattice> lattice)
    : sums_(sums), lattice_(std::move(lattice)) {
    if (lattice_->positions() != sums.nodes()) {
        throw Error(ErrorKind::argument, "A partial order must have all nodes and no others.");
    }
}

void TransitionSums::place(std::vector<int> node_at) {
    const auto n = static_cast<std::size_t>(sums_.nodes());
    std::vector<bool> seen(n, false);
    for (const int node : node_at) {
        if (node >= 0 && node < sums_.nodes()) seen[static_cast<std::size_t>(node)] = true;
    }
    if (node_at.size() != n || std::ranges::find(seen, false) != seen.end()) {
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

}  // namespace arcwise
