// What a partition is worth, and how a proposal becomes the state.
#include "partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "arcwise/spaces/given_parts.hpp"
#include "arcwise/support/error.hpp"
#include "arcwise/support/special.hpp"
#include "partition_weight.hpp"

namespace arcwise {
namespace {

// The total is summed up anew after this many accepted moves, so that rounding does not build up.
constexpr unsigned accepted_between_sums = 1024;

}  // namespace

Partition::Partition(const Partitions& space)
    : space_(space),
      weights_(space.weights()),
      nodes_(static_cast<std::size_t>(space.nodes())),
      node_weights_(nodes_),
      allowed_(weights_.words()),
      required_(weights_.words()) {
    become(Parts(nodes_, 0));
}

void Partition::become(Parts parts) {
    part_of_ = std::move(parts);
    const int last = *std::max_element(part_of_.begin(), part_of_.end());
    sizes_.assign(static_cast<std::size_t>(last) + 1, 0);
    for (const int part : part_of_) ++sizes_[static_cast<std::size_t>(part)];
    weight_ = {};
    for (std::size_t node = 0; node < nodes_; ++node) {
        node_weights_[node] = weigh(static_cast<int>(node), part_of_);
        weight_ = weight_ + node_weights_[node];
    }
}

LogWeight Partition::weigh(int node, const Parts& parts) {
    const int part = parts[static_cast<std::size_t>(node)];
    return weigh_with(node, part, part - 1, part == 0,
                      [&](int parent) { return parts[static_cast<std::size_t>(parent)]; });
}

int Partition::member(int part, std::size_t index) const {
    for (std::size_t node = 0;; ++node) {
        if (part_of_[node] == part && index-- == 0) return static_cast<int>(node);
    }
}

LogWeight Partition::recomputed_weight() const {
    Partition fresh(space_);
    fresh.become(part_of_);
    return fresh.log_weight();
}

// The size of the first part in proportion to the number of partitions that begin with one of that
// size, and so on; then who is where.
void Partition::draw_uniform(Random& random) {
    std::vector<int> order(nodes_);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t last = nodes_; last > 1; --last) {
        std::swap(order[last - 1], order[random.below(last)]);
    }
    Parts parts(nodes_);
    std::size_t placed = 0;
    for (int part = 0; placed < nodes_; ++part) {
        const std::size_t left = nodes_ - placed;
        std::vector<double> shares;
        for (std::size_t size = 1; size <= left; ++size) {
            shares.push_back(
                std::exp(log_binomial(static_cast<double>(left), static_cast<double>(size)) +
                         space_.log_count(left - size) - space_.log_count(left)));
        }
        const std::size_t size = 1 + random.choose(shares);
        for (std::size_t i = 0; i < size; ++i) {
            parts[static_cast<std::size_t>(order[placed++])] = part;
        }
    }
    become(std::move(parts));
}

std::vector<std::uint16_t> Partition::encode() const {
    return std::vector<std::uint16_t>(part_of_.begin(), part_of_.end());
}

void Partition::decode(std::span<const std::uint16_t> code) {
    std::vector<bool> filled(code.size(), false);
    std::size_t parts = 0;
    for (const std::uint16_t part : code) {
        if (part < filled.size()) filled[part] = true;
        parts = std::max(parts, static_cast<std::size_t>(part) + 1);
    }
    if (code.size() != nodes_ || parts > nodes_ ||
        std::count(filled.begin(), filled.end(), true) != static_cast<std::ptrdiff_t>(parts)) {
        throw Error(ErrorKind::argument,
                    "A partition must give each node a part, and no part may be empty.");
    }
    become(Parts(code.begin(), code.end()));
}

std::unique_ptr<GivenState> Partition::given() const {
    return std::make_unique<GivenParts>(weights_.sums(), part_of_);
}

Proposal Partition::propose(const Temperature& temperature, Random& random) {
    changes_.clear();
    proposed_ = weight_;
    switch (random.choose(space_.move_weights())) {
        case Partitions::split_or_join:
            return random.below(2) == 0 ? propose_split(random) : propose_join(random);
        case Partitions::swap_adjacent:
            return propose_swap(random, true);
        case Partitions::swap_any:
            return propose_swap(random, false);
        case Partitions::relocate:
            return propose_relocation(temperature, random);
        default:
            return propose_reversal(random);
    }
}

void Partition::change(int node, const LogWeight& weight) {
    changes_.push_back({node, weight});
    proposed_ = proposed_ + (weight - node_weights_[static_cast<std::size_t>(node)]);
}

void Partition::change(int node) { change(node, weigh(node, proposed_parts_)); }

Proposal Partition::proposal(int move, double log_ratio) const {
    return {.move = move, .weight = proposed_, .log_ratio = log_ratio};
}

void Partition::accept() {
    part_of_.swap(proposed_parts_);
    const int last = *std::max_element(part_of_.begin(), part_of_.end());
    sizes_.assign(static_cast<std::size_t>(last) + 1, 0);
    for (const int part : part_of_) ++sizes_[static_cast<std::size_t>(part)];
    for (const Change& change : changes_) {
        node_weights_[static_cast<std::size_t>(change.node)] = change.weight;
    }
    weight_ = proposed_;
    if (++accepted_ % accepted_between_sums == 0) {
        weight_ = {};
        for (const LogWeight& weight : node_weights_) weight_ = weight_ + weight;
    }
}

}  // namespace arcwise
