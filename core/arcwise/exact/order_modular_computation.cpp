// Runs each recursion when it is first needed.
#include "arcwise/exact/order_modular_computation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "arcwise/exact/order_modular.hpp"
#include "arcwise/exact/subset_recursion.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

[[noreturn]] void refuse_paths() {
    throw Error(ErrorKind::capacity,
                "Path probabilities under the order-modular target take at most 20 variables; "
                "use the modular target or a sampler.");
}

double heaviest(const NodeFamilies& families) {
    return *std::max_element(families.values().begin(), families.values().end());
}

}  // namespace

std::uint64_t OrderModularComputation::bytes(int nodes, std::uint64_t families, int threads) {
    // Both recursions and the probabilities of the families.
    return BlockSums::bytes(nodes, families, threads) +
           (std::uint64_t{2} << nodes) * sizeof(double) + families * sizeof(double);
}

std::uint64_t OrderModularComputation::path_bytes(int nodes, std::uint64_t families, int threads) {
    return bytes(nodes, families, threads) + order_modular_path_bytes(nodes, threads);
}

const BlockSums& OrderModularComputation::sums(const RunOptions& options) {
    if (!sums_) sums_.emplace(weights_, options.unwatched());
    return *sums_;
}

void OrderModularComputation::fill_forward(const RunOptions& options) {
    if (!forward_.empty()) return;
    std::vector<double> forward = forward_recursion(sums(options), Semiring::sum, options);
    if (std::isinf(forward.back())) refuse_impossible();
    forward_ = std::move(forward);
}

void OrderModularComputation::fill_both(const RunOptions& options) {
    Phases phases(options, 2);
    phases.run(1, [&](const RunOptions& part) { fill_forward(part); });
    phases.run(1, [&](const RunOptions& part) {
        if (backward_.empty()) backward_ = backward_recursion(sums(part), Semiring::sum, part);
    });
}

double OrderModularComputation::log_weight(const RunOptions& options) {
    fill_forward(options);
    return forward_.back() + sums(options).total_offset();
}

ExactPosterior OrderModularComputation::posterior(const RunOptions& options) {
    ExactPosterior result;
    Phases phases(options, 3);
    phases.run(2, [&](const RunOptions& part) { fill_both(part); });
    phases.run(1, [&](const RunOptions& part) {
        result = order_modular_posterior(weights_, sums(part), forward_, backward_, part);
    });
    return result;
}

PathProbabilities OrderModularComputation::paths(const RunOptions& options) {
    if (nodes() > most_nodes_of_order_modular_paths) refuse_paths();
    PathProbabilities result;
    Phases phases(options, 100);
    phases.run(2, [&](const RunOptions& part) { fill_both(part); });
    phases.run(98, [&](const RunOptions& part) {
        result = order_modular_paths(weights_, forward_, backward_, part);
    });
    return result;
}

// A node that comes first in every order, as the others take no notice of it, is a parent-only one:
// the weights of sets of the others are those there are.
PathProbabilities OrderModularComputation::paths_from(const FamilyTable& with_source, int source,
                                                      const RunOptions& options) {
    if (nodes() > most_nodes_of_order_modular_paths) refuse_paths();
    PathProbabilities result;
    Phases phases(options, 100);
    phases.run(2, [&](const RunOptions& part) { fill_both(part); });
    // Weights are relative to the heaviest family of each node, in either table.
    std::vector<double> offsets;
    for (std::size_t v = 0; v < weights_.size(); ++v) {
        const std::size_t with = v + (v >= static_cast<std::size_t>(source) ? 1 : 0);
        offsets.push_back(heaviest(weights_[v]) - heaviest(with_source[with]));
    }
    std::vector<double> forward(2 * forward_.size(), minus_infinity);
    std::vector<double> backward(2 * forward_.size(), minus_infinity);
    std::vector<double> offset(forward_.size(), 0.0);
    for (std::uint32_t set = 1; set < forward_.size(); ++set) {
        offset[set] =
            offset[set & (set - 1)] + offsets[static_cast<std::size_t>(std::countr_zero(set))];
    }
    for (std::uint32_t set = 0; set < forward_.size(); ++set) {
        const std::uint32_t with = insert_bit(set, source) | std::uint32_t{1} << source;
        forward[with] = forward_[set] + offset[set];
        backward[with] = backward_[set] + offset.back() - offset[set];
    }
    forward.front() = 0.0;
    backward.front() = backward_.front() + offset.back();
    phases.run(98, [&](const RunOptions& part) {
        result = order_modular_paths_from(with_source, forward, backward, source, part);
    });
    return result;
}

BestDag OrderModularComputation::best_dag(const RunOptions& options) {
    if (!best_) best_ = best_dags(weights_, options).on_all;
    return *best_;
}

void OrderModularComputation::prepare_draws(const RunOptions& options) {
    Phases phases(options, 10);
    phases.run(9, [&](const RunOptions& part) { fill_forward(part); });
    phases.run(1, [&](const RunOptions& part) {
        if (!sampler_) sampler_.emplace(weights_, sums(part), forward_, part);
    });
}

void OrderModularComputation::draw(const RandomOf& random_of, std::size_t count,
                                   std::span<std::uint8_t> orders, std::span<std::uint32_t> parents,
                                   const RunOptions& options) {
    Phases phases(options, 100);
    const std::uint64_t to_prepare = sampler_ ? 0 : 90;
    phases.run(to_prepare, [&](const RunOptions& part) { prepare_draws(part); });
    phases.run(100 - to_prepare, [&](const RunOptions& part) {
        sampler_->sample(random_of, count, orders, parents, part);
    });
}

}  // namespace arcwise
