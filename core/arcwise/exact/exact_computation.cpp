// Which computation belongs to which target, and what they cost.
#include "arcwise/exact/exact_computation.hpp"

#include <algorithm>

#include "arcwise/exact/modular_tables.hpp"
#include "arcwise/exact/order_modular.hpp"

namespace arcwise {

void ExactPosterior::fill_edges(const RunOptions& options) {
    const std::size_t n = probabilities.size();
    edges.assign(n * n, 0.0);
    run_tasks(n, n, options, [&](std::size_t v, TaskContext& context) {
        const NodeFamilies& families = probabilities[v];
        const std::vector<double>& values = families.values();
        std::vector<double> by_member(families.candidates().size(), 0.0);
        double all = 0.0;
        families.for_each([&](std::uint64_t index, std::span<const int> members) {
            all += values[index];
            for (const int member : members) {
                by_member[static_cast<std::size_t>(member)] += values[index];
            }
        });
        const auto set = [&](int u, double probability) {
            edges[static_cast<std::size_t>(u) * n + v] = std::clamp(probability, 0.0, 1.0);
        };
        for (const int u : families.required()) set(u, all);
        for (std::size_t i = 0; i < by_member.size(); ++i) {
            set(families.candidates()[i], by_member[i]);
        }
        context.advance(1);
    });
}

std::unique_ptr<ExactComputation> exact_computation(const FamilyTable& weights, ExactTarget target,
                                                    double tolerance) {
    if (target == ExactTarget::modular) return modular_computation(weights, tolerance);
    return order_modular_computation(weights);
}

ExactCost exact_cost(int nodes, std::uint64_t families, ExactTarget target, int threads) {
    const auto n = static_cast<std::uint64_t>(nodes);
    if (target == ExactTarget::modular) {
        return {modular_bytes(nodes, families, threads), 3 * ModularTables<double>::terms(nodes)};
    }
    return {order_modular_bytes(nodes, families, threads), 2 * n * n << nodes};
}

std::uint64_t path_bytes(int nodes, std::uint64_t families, ExactTarget target, int threads) {
    if (target == ExactTarget::modular) return modular_bytes(nodes, families, threads);
    return order_modular_bytes(nodes, families, threads) + order_modular_path_bytes(nodes, threads);
}

}  // namespace arcwise
