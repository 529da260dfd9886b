// The space of layerings; what one is, how it is drawn, and how a proposal becomes the state.
#include "arcwise/spaces/layerings/layerings.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/given_sets.hpp"
#include "arcwise/spaces/layerings/layering.hpp"
#include "arcwise/spaces/orders/some_dag.hpp"
#include "arcwise/spaces/partitions/partition.hpp"
#include "arcwise/spaces/registry.hpp"
#include "arcwise/sums/layers/layer_sums.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// The posterior of DAGs given a layering.
class GivenLayering final : public GivenState {
  public:
    // The weights are those of the state, with what they remember. The space must outlive this.
    GivenLayering(const ScoreSums& sums, std::vector<int> layer_of,
                  std::shared_ptr<LayeringWeights> weights)
        : sums_(sums), layer_of_(std::move(layer_of)), weights_(std::move(weights)) {}

    void add_edge_probabilities(double scale, double* edges) override {
        weights_->add_edge_probabilities(layer_of_, scale, edges);
    }

    // A partition first, then families with a parent in the part before.
    void draw(Random& random, std::uint64_t* parents) override {
        std::vector<int> part_of;
        weights_->draw_partition(layer_of_, random, part_of);
        GivenSets(sums_, sets_by_parts(sums_, part_of)).draw(random, parents);
    }

  private:
    const ScoreSums& sums_;
    std::vector<int> layer_of_;
    std::shared_ptr<LayeringWeights> weights_;
};

}  // namespace

Layering::Layering(const Layerings& space)
    : space_(space),
      weights_(std::make_shared<LayeringWeights>(space)),
      moves_(layering_moves(), *this) {
    become(std::vector<int>(static_cast<std::size_t>(space.nodes()), 0));
}

void Layering::become(std::vector<int> layer_of) {
    layers_.exchange(layer_of);
    weight_ = weights_->weight(layers_.part_of());
}

LogWeight Layering::recomputed_weight() const {
    return LayeringWeights(space_).weight(layers_.part_of());
}

// The size of the first layer in proportion to the number of layerings that begin with one of that
// size, and so on; then who is where.
void Layering::draw_uniform(Random& random) {
    std::vector<int> order(layers_.nodes());
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    std::vector<int> layer_of(order.size());
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
    return std::vector<std::uint16_t>(layers_.part_of().begin(), layers_.part_of().end());
}

bool Layering::start_from_orders(std::uint64_t steps, Random& random, TaskContext* context) {
    return start_at(some_dag(space_.weights().sums(), steps, random, context));
}

bool Layering::start_at(const SomeDag& dag) {
    std::vector<int> layer_of;
    space_.merge_parts(dag.levels, layer_of);
    become(std::move(layer_of));
    return true;
}

void Layering::decode(std::span<const std::uint16_t> code) {
    const std::size_t nodes = layers_.nodes();
    std::vector<std::size_t> sizes(nodes, 0);
    bool right = code.size() == nodes;
    std::size_t layers = 0;
    for (const std::uint16_t layer : code) {
        right = right && layer < nodes;
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
    return std::make_unique<GivenLayering>(space_.weights().sums(), layers_.part_of(), weights_);
}

Proposal Layering::propose(const Temperature& temperature, Random& random) {
    // All nodes fit one layer, and there is one state.
    if (space_.max_size() >= space_.nodes()) return {.possible = false};
    return moves_.propose(space_.moves().choose(random), temperature, random);
}

Proposal Layering::proposal(const Temperature& temperature, double log_ratio) {
    // Below this weight the proposal is accepted with a probability that uniform numbers, multiples
    // of 2^-53, cannot tell from zero. That goes for a weight of zero only at the posterior itself:
    // elsewhere something finite stands for it.
    constexpr double never = -60.0;
    const double enough =
        std::isinf(temperature.penalty)
            ? (temperature.log_density(weight_) - log_ratio + never) / temperature.inverse
            : minus_infinity;
    proposed_weight_ = weights_->weight(proposed_, enough);
    return {.weight = proposed_weight_, .log_ratio = log_ratio};
}

Proposal Layering::proposal_in_balance() {
    proposed_weight_ = weights_->weight(proposed_);
    return {.weight = proposed_weight_, .log_ratio = weight_.value - proposed_weight_.value};
}

void Layering::accept() {
    layers_.exchange(proposed_);
    weight_ = proposed_weight_;
}

int Layerings::usual_size(const ScoreSums& sums) {
    constexpr int smallest = 4;
    constexpr int largest = 8;
    double families = 0.0;
    for (int node = 0; node < sums.nodes(); ++node) {
        families += static_cast<double>(sums[node].count());
    }
    const auto products = [&](int size) { return std::ldexp(sums.nodes(), 2 * size) / size; };
    int size = smallest;
    while (size < largest && products(size + 1) <= families) ++size;
    return std::min(size, sums.nodes());
}

Layerings::Layerings(std::shared_ptr<const ScoreSums> sums, int max_size, const MoveShares& shares,
                     int partition_moves)
    : Space(MoveTable(layering_moves(), shares)),
      weights_(sums),
      families_(std::make_shared<const LayerFamilies>(*sums)),
      max_size_(max_size),
      partition_moves_(partition_moves),
      partitions_(sums, MoveTable(arcwise::partition_moves()).shares_without(Partitions::reversal)),
      reversals_(sums, MoveTable(arcwise::partition_moves()).shares_of_only(Partitions::reversal)) {
    if (max_size < 1 || std::min(max_size, nodes()) > most_layer_members) {
        throw Error(ErrorKind::capacity, "Layers of up to " + std::to_string(max_size) +
                                             " nodes came, and their sums are over 4^size pairs "
                                             "of sets; give a size from 1 to " +
                                             std::to_string(most_layer_members) + ".");
    }
    max_size_ = std::min(max_size_, nodes());
    layouts_ = std::make_shared<const PairLayouts>(max_size_);
    // c(0, p) = 1, c(r, p) = sum over the sizes k > M - p of the next layer of C(r, k) c(r - k, k);
    // a layer of M nodes or more before it leaves it free.
    const int columns = max_size_ + 1;
    for (int left = 0; left <= nodes(); ++left) {
        for (int before = 0; before < columns; ++before) {
            double sum = left == 0 ? 0.0 : minus_infinity;
            for (int size = max_size_ - before + 1; size <= left; ++size) {
                sum = log_add(sum, log_binomial(left, size) + log_count(left - size, size));
            }
            log_counts_.push_back(sum);
        }
    }
}

double Layerings::log_count(int left, int before) const {
    const int column = std::min(before, max_size_);
    return log_counts_[static_cast<std::size_t>(left * (max_size_ + 1) + column)];
}

void Layerings::merge_parts(const std::vector<int>& part_of, std::vector<int>& layer_of) const {
    const Parts parts(part_of);
    std::vector<int> layer_of_part(parts.count(), 0);
    std::size_t size = parts.size(0);
    for (std::size_t part = 1; part < parts.count(); ++part) {
        const bool apart = fit(size, parts.size(part));
        layer_of_part[part] = layer_of_part[part - 1] + (apart ? 1 : 0);
        size = parts.size(part) + (apart ? 0 : size);
    }
    layer_of.resize(part_of.size());
    for (std::size_t node = 0; node < part_of.size(); ++node) {
        layer_of[node] = layer_of_part[static_cast<std::size_t>(part_of[node])];
    }
}

std::unique_ptr<State> Layerings::make_state() const { return std::make_unique<Layering>(*this); }

static const SpaceRegistration registration({
    .name = "layerings",
    .moves = [](int) { return MoveTable(layering_moves()); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings& settings,
                const MoveShares& shares) -> std::shared_ptr<const Space> {
        return std::make_shared<Layerings>(std::move(sums), settings.number("max_size"), shares,
                                           settings.number("partition_moves"));
    },
    .usual =
        [](const ScoreSums& sums) {
            return std::map<std::string, std::int64_t>{
                {"max_size", Layerings::usual_size(sums)},
                {"partition_moves", Layerings::usual_partition_moves}};
        },
});

}  // namespace arcwise
