// Parts and buckets of a partial order, and swaps that recompute only the sums they change.
#include "arcwise/spaces/orders/partial_orders.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "arcwise/numerics/special.hpp"
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

class Swap final : public Move {
  public:
    explicit Swap(PartialOrderState& state) : state_(state) {}

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
    return {{"swap", 1.0, make_move<Swap>}};
}

double log_factorial(std::size_t number) { return log_gamma(static_cast<double>(number) + 1.0); }

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

PartialOrderState::PartialOrderState(const PartialOrders& space)
    : space_(space),
      alpha_(*space.sums_, space.lattice_),
      recursion_(*space.lattice_),
      log_sums_(space.lattice_->transitions().size()),
      proposed_alpha_(alpha_),
      proposed_log_sums_(log_sums_.size()),
      moves_(partial_order_moves(), *this) {
    std::vector<int> node_at(static_cast<std::size_t>(space.nodes()));
    std::iota(node_at.begin(), node_at.end(), 0);
    become(std::move(node_at));
}

void PartialOrderState::become(std::vector<int> node_at) {
    alpha_.place(std::move(node_at));
    const auto transitions = space_.lattice_->transitions();
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        log_sums_[i] = alpha_.log_sum(transitions[i]);
    }
    weight_ = weight_of(recursion_.log_score(log_sums_.data()), alpha_);
}

LogWeight PartialOrderState::weight_of(double log_score, const TransitionSums& alpha) const {
    if (!std::isinf(log_score)) return {log_score, 0};
    // The nodes that have no family in any linear extension, so that fewer of them is a way on.
    int impossible = 0;
    for (std::size_t position = 0; position < space_.not_after_.size(); ++position) {
        const std::uint64_t bits =
            alpha.parent_bits(static_cast<int>(position), space_.not_after_[position]);
        if (std::isinf((*space_.sums_)[alpha.node_at()[position]].log_sum(&bits))) ++impossible;
    }
    return {space_.stand_in_, std::max(1, impossible)};
}

void PartialOrderState::draw_uniform(Random& random) {
    std::vector<int> node_at = alpha_.node_at();
    for (const PartialOrders::Part& part : space_.parts_) {
        std::vector<int> nodes;
        for (const std::vector<int>& bucket : part) {
            for (const int position : bucket) {
                nodes.push_back(node_at[static_cast<std::size_t>(position)]);
            }
        }
        random.shuffle(std::span(nodes));
        auto next = nodes.begin();
        for (const std::vector<int>& bucket : part) {
            for (const int position : bucket) {
                node_at[static_cast<std::size_t>(position)] = *next++;
            }
        }
    }
    become(std::move(node_at));
}

Proposal PartialOrderState::propose(const Temperature& temperature, Random& random) {
    return moves_.propose(space_.moves().choose(random), temperature, random);
}

Proposal PartialOrderState::swap(int first, int second) {
    std::vector<int> node_at = alpha_.node_at();
    std::swap(node_at[static_cast<std::size_t>(first)], node_at[static_cast<std::size_t>(second)]);
    proposed_alpha_.place(std::move(node_at));
    const auto transitions = space_.lattice_->transitions();
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        const std::uint64_t set = space_.lattice_->set(transitions[i].from);
        const auto element = static_cast<int>(transitions[i].element);
        const bool changes =
            element == first || element == second || (set >> first & 1) != (set >> second & 1);
        proposed_log_sums_[i] = changes ? proposed_alpha_.log_sum(transitions[i]) : log_sums_[i];
    }
    proposed_weight_ = weight_of(recursion_.log_score(proposed_log_sums_.data()), proposed_alpha_);
    return {.weight = proposed_weight_};
}

void PartialOrderState::accept() {
    alpha_.place(proposed_alpha_.node_at());
    std::swap(log_sums_, proposed_log_sums_);
    weight_ = proposed_weight_;
}

std::vector<std::uint16_t> PartialOrderState::encode() const {
    std::vector<std::uint16_t> code(alpha_.node_at().size());
    for (const PartialOrders::Part& part : space_.parts_) {
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
    for (const PartialOrders::Part& part : space_.parts_) {
        // At first every position holds the node of its own number, and nodes stay in their part.
        std::vector<int> positions;
        std::vector<int> nodes;
        for (const std::vector<int>& bucket : part) {
            for (const int position : bucket) {
                const auto at = static_cast<std::size_t>(position);
                positions.push_back(position);
                nodes.push_back(at < node_at.size() ? node_at[at] : -1);
            }
        }
        if (!std::ranges::is_permutation(positions, nodes)) {
            throw Error(ErrorKind::argument,
                        "This is no state of the space: a part must keep its nodes.");
        }
    }
    become(std::move(node_at));
}

LogWeight PartialOrderState::recomputed_weight() const {
    PartialOrderState fresh(space_);
    fresh.become(alpha_.node_at());
    return fresh.weight_;
}

std::unique_ptr<GivenState> PartialOrderState::given() const {
    return std::make_unique<GivenPartialOrder>(*space_.sums_, space_.lattice_, alpha_.node_at());
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
