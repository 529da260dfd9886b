// What a layering is, how one is drawn, and how a proposal becomes the state.
#include "arcwise/spaces/layerings/layering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/layerings/given_layering.hpp"
#include "arcwise/spaces/orders/some_dag.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

Layering::Layering(const Layerings& space)
    : space_(space),
      nodes_(static_cast<std::size_t>(space.nodes())),
      weights_(std::make_shared<LayeringWeights>(space)),
      partition_(space.partitions()),
      reversal_(space.reversals()) {
    become(std::vector<int>(nodes_, 0));
}

void Layering::become(std::vector<int> layer_of) {
    layer_of_ = std::move(layer_of);
    count_sizes();
    weight_ = weights_->weight(layer_of_);
}

void Layering::count_sizes() {
    const int last = *std::max_element(layer_of_.begin(), layer_of_.end());
    sizes_.assign(static_cast<std::size_t>(last) + 1, 0);
    for (const int layer : layer_of_) ++sizes_[static_cast<std::size_t>(layer)];
}

LogWeight Layering::recomputed_weight() const { return LayeringWeights(space_).weight(layer_of_); }

// The size of the first layer in proportion to the number of layerings that begin with one of that
// size, and so on; then who is where.
void Layering::draw_uniform(Random& random) {
    std::vector<int> order(nodes_);
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    std::vector<int> layer_of(nodes_);
    int left = space_.nodes();
    int before = space_.nodes();  // nothing before the first layer: it may have any size
    for (int layer = 0; left > 0; ++layer) {
        std::vector<double> shares;
        for (int size = 1; size <= left; ++size) {
            const bool fits =
                space_.fit(static_cast<std::size_t>(before), static_cast<std::size_t>(size));
            shares.push_back(fits ? std::exp(log_binomial(left, size) +
                                             space_.log_count(left - size, size) -
                                             space_.log_count(left, before))
                                  : 0.0);
        }
        before = 1 + static_cast<int>(random.choose(shares));
        for (int i = 0; i < before; ++i) {
            layer_of[static_cast<std::size_t>(order[static_cast<std::size_t>(--left)])] = layer;
        }
    }
    become(std::move(layer_of));
}

std::vector<std::uint16_t> Layering::encode() const {
    return std::vector<std::uint16_t>(layer_of_.begin(), layer_of_.end());
}

bool Layering::become_possible(Random& random) {
    const std::vector<int> levels = some_dag(space_.weights().sums(), random).levels;
    code_.assign(levels.begin(), levels.end());
    merge_parts();
    become(proposed_);
    return true;
}

void Layering::decode(std::span<const std::uint16_t> code) {
    std::vector<std::size_t> sizes(nodes_, 0);
    bool right = code.size() == nodes_;
    std::size_t layers = 0;
    for (const std::uint16_t layer : code) {
        right = right && layer < nodes_;
        if (!right) break;
        ++sizes[layer];
        layers = std::max(layers, static_cast<std::size_t>(layer) + 1);
    }
    for (std::size_t layer = 0; right && layer < layers; ++layer) {
        right = sizes[layer] > 0 && (layer == 0 || space_.fit(sizes[layer - 1], sizes[layer]));
    }
    if (!right) {
        throw Error(ErrorKind::argument,
                    "A layering must give each node a layer, and no two neighbouring layers may "
                    "have " +
                        std::to_string(space_.max_size()) + " nodes or fewer together.");
    }
    become(std::vector<int>(code.begin(), code.end()));
}

std::unique_ptr<GivenState> Layering::given() const {
    return std::make_unique<GivenLayering>(space_.weights().sums(), layer_of_, weights_);
}

Proposal Layering::propose(const Temperature& temperature, Random& random) {
    if (static_cast<std::size_t>(space_.max_size()) >= nodes_) return {.possible = false};
    const auto kind = static_cast<Layerings::MoveKind>(random.choose(space_.move_weights()));
    switch (kind) {
        case Layerings::relocate:
            return propose_relocation(temperature, random);
        case Layerings::swap_adjacent:
        case Layerings::swap_any:
            return propose_swap(temperature, random, kind == Layerings::swap_adjacent);
        case Layerings::repartition:
            return propose_through_partition(
                kind, partition_, temperature.inverse < 1.0 ? 1 : space_.partition_moves(), random);
        case Layerings::reverse_edge:
            return propose_through_partition(kind, reversal_, 1, random);
        default:
            return {.move = kind, .possible = false};
    }
}

Proposal Layering::proposal(int move, const Temperature& temperature, double log_ratio) {
    // Below this weight the proposal is accepted with a probability that uniform numbers, multiples
    // of 2^-53, cannot tell from zero. That goes for a weight of zero only at the posterior itself:
    // elsewhere something finite stands for it.
    constexpr double never = -60.0;
    const double enough =
        std::isinf(temperature.penalty)
            ? (temperature.log_density(weight_) - log_ratio + never) / temperature.inverse
            : -std::numeric_limits<double>::infinity();
    proposed_weight_ = weights_->weight(proposed_, enough);
    return {.move = move, .weight = proposed_weight_, .log_ratio = log_ratio};
}

void Layering::accept() {
    layer_of_.swap(proposed_);
    count_sizes();
    weight_ = proposed_weight_;
}

}  // namespace arcwise
