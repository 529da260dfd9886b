// What a partition is worth, and how a proposal becomes the state.
#include "arcwise/spaces/partitions/partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/orders/some_dag.hpp"
#include "arcwise/spaces/partitions/given_parts.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// The total is summed up anew after this many accepted moves, so that rounding does not build up.
constexpr unsigned accepted_between_sums = 1024;

}  // namespace

Partition::Partition(const Partitions& space)
    : space_(space),
      weights_(space.weights()),
      nodes_(static_cast<std::size_t>(space.nodes())),
      words_(weights_.words()),
      order_(nodes_),
      sets_(nodes_ * 2 * words_),
      node_weights_(nodes_),
      sums_(weights_),
      draws_(weights_.sums()),
      proposed_parts_(nodes_),
      changed_sets_(nodes_ * 2 * words_),
      some_sets_((5 * nodes_ + 2) * 2 * words_),
      ways_(nodes_),
      part_ways_(nodes_),
      own_(nodes_ + 1),
      later_(nodes_ + 2),
      rows_(nodes_ * words_for(nodes_)),
      below_(nodes_),
      touched_(words_for(nodes_)),
      change_of_(nodes_, -1) {
    changes_.reserve(nodes_);
    become(Parts(nodes_, 0));
}

void Partition::sort_nodes() {
    const int last = *std::max_element(part_of_.begin(), part_of_.end());
    starts_.assign(static_cast<std::size_t>(last) + 2, 0);
    for (const int part : part_of_) ++starts_[static_cast<std::size_t>(part) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    // Each start moves on to the next while its part is filled, and all go back one place then.
    for (std::size_t node = 0; node < nodes_; ++node) {
        order_[starts_[static_cast<std::size_t>(part_of_[node])]++] = static_cast<int>(node);
    }
    std::copy_backward(starts_.begin(), starts_.end() - 1, starts_.end());
    starts_[0] = 0;
}

void Partition::become(Parts parts) {
    part_of_ = std::move(parts);
    accepted_ = 0;
    sort_nodes();
    weight_ = {};
    for (std::size_t node = 0; node < nodes_; ++node) {
        const int v = static_cast<int>(node);
        set_by_parts(weights_.sums(), part_of_, v, sets(v));
        sums_.ask(v, sets(v), part_of_[node] == 0, node_weights_[node]);
    }
    sums_.answer();
    for (const LogWeight& weight : node_weights_) weight_ = weight_ + weight;
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
    random.shuffle(std::span(order));
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

bool Partition::become_possible(Random& random) {
    become(some_dag(weights_.sums(), random).levels);
    return true;
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
    sets_made_ = 0;
    proposed_ = weight_;
    stays_ = false;
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

Partition::Word* Partition::begin_change(int node, bool first) {
    Word* changed = changed_sets(changes_.size());
    copy_sets(sets(node), changed);
    changes_.push_back({node, first, {}});
    return changed;
}

void Partition::count_change(const Change& change) {
    const LogWeight& old = node_weights_[static_cast<std::size_t>(change.node)];
    proposed_ = proposed_ + (change.weight - old);
}

void Partition::weigh_changes() {
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        sums_.ask(changes_[i].node, changed_sets(i), changes_[i].first, changes_[i].weight);
    }
    sums_.answer();
    for (const Change& change : changes_) count_change(change);
}

Proposal Partition::proposal(int move, double log_ratio) const {
    return {.move = move, .weight = proposed_, .log_ratio = log_ratio};
}

void Partition::accept() {
    if (stays_) return;
    part_of_.swap(proposed_parts_);
    sort_nodes();
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        const Change& change = changes_[i];
        copy_sets(changed_sets(i), sets(change.node));
        node_weights_[static_cast<std::size_t>(change.node)] = change.weight;
    }
    weight_ = proposed_;
    if (++accepted_ % accepted_between_sums == 0) {
        weight_ = {};
        for (const LogWeight& weight : node_weights_) weight_ = weight_ + weight;
    }
}

}  // namespace arcwise
