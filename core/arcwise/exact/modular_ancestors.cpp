// Paths under the modular target: one more pass over the terms of B, summed by pairs of nodes.
#include <algorithm>
#include <bit>
#include <cmath>

#include "arcwise/exact/ancestors.hpp"
#include "arcwise/exact/enough_digits.hpp"
#include "arcwise/exact/modular_programme.hpp"
#include "arcwise/exact/subset_folds.hpp"

namespace arcwise {
namespace {

// Sets are dealt out by as many of their lowest variables; fixed, so that sums are the same on any
// number of threads.
constexpr int task_bits = 10;

std::uint64_t power_of_three(int n) { return n == 0 ? 1 : 3 * power_of_three(n - 1); }

// Adds what the terms of B(set) say about all pairs: those with v in T, and u in the set or in T.
template <class Real>
void add_terms(const ModularProgramme<Real>& programme, std::uint32_t set,
               typename ModularProgramme<Real>::Terms& terms, double* matrix) {
    programme.expand(set, terms);
    if (terms.influence() < terms.negligible) return;
    const int n = programme.nodes();
    const auto entry = [&](int u, int v) -> double& { return matrix[u * n + v]; };
    const auto probability = [&](Real sum) { return static_cast<double>(terms.reach * sum); };
    fold_nodes(terms.values.data(), programme.everything() & ~set,
               [&](int v, std::uint32_t below, Real* with_v, std::size_t) {
                   const Real all = fold_nodes(
                       with_v, below, [&](int u, std::uint32_t, Real* with_both, std::size_t size) {
                           const double both = probability(spend_sum(with_both, size));
                           entry(u, v) += both;
                           entry(v, u) += both;
                       });
                   const double share = probability(all);
                   entry(v, v) += share;
                   for (std::uint32_t left = set; left != 0; left &= left - 1) {
                       entry(std::countr_zero(left), v) += share;
                   }
               });
}

template <class Real>
std::vector<double> sum_terms(const ModularProgramme<Real>& programme, const RunOptions& options) {
    const int n = programme.nodes();
    const std::size_t pairs = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const int low = std::min(n, task_bits);
    const std::size_t tasks = std::size_t{1} << low;
    std::vector<double> partial(tasks * pairs, 0.0);
    run_tasks(tasks, power_of_three(n), options, [&](std::size_t task, TaskContext& context) {
        typename ModularProgramme<Real>::Terms terms;
        std::vector<double> matrix(pairs, 0.0);
        for (std::uint32_t high = 0; high <= programme.everything() >> low; ++high) {
            const std::uint32_t set = (high << low) | static_cast<std::uint32_t>(task);
            if (set != programme.everything()) add_terms(programme, set, terms, matrix.data());
            context.advance(std::uint64_t{1} << (n - std::popcount(set)));
        }
        std::copy(matrix.begin(), matrix.end(),
                  partial.begin() + static_cast<std::ptrdiff_t>(task * pairs));
    });
    std::vector<double> result(pairs, 0.0);
    for (std::size_t i = 0; i < partial.size(); ++i) result[i % pairs] += partial[i];
    return result;
}

template <class Real>
AncestorProbabilities finish(const ModularProgramme<Real>& programme, const RunOptions& options) {
    AncestorProbabilities result{sum_terms(programme, options), relative_error(programme)};
    const auto n = static_cast<std::size_t>(programme.nodes());
    for (std::size_t v = 0; v < n; ++v) {
        double& sum_over_ancestor_sets = result.matrix[v * n + v];
        result.error = std::max(result.error, std::abs(sum_over_ancestor_sets - 1.0));
        sum_over_ancestor_sets = 1.0;
    }
    // Signed terms leave rounding on both sides of zero and of one.
    for (double& value : result.matrix) value = std::clamp(value, 0.0, 1.0);
    return result;
}

}  // namespace

AncestorProbabilities modular_ancestors(const FamilyTable& weights, double tolerance,
                                        const RunOptions& options) {
    AncestorProbabilities result;
    Phases phases(options, 2);
    phases.run(1, [&](const RunOptions& part) {
        with_enough_digits(weights, tolerance, false, part, [&](const auto& programme) {
            phases.run(1, [&](const RunOptions& rest) { result = finish(programme, rest); });
        });
    });
    return result;
}

std::uint64_t modular_ancestors_bytes(int nodes, int threads) {
    const std::uint64_t sets = std::uint64_t{1} << nodes;
    const std::uint64_t per_set = 2 * sizeof(long double) + sizeof(std::int32_t);
    return ModularProgramme<long double>::bytes(nodes) +
           static_cast<std::uint64_t>(threads) * sets * per_set +
           (std::uint64_t{8} << task_bits) * static_cast<std::uint64_t>(nodes * nodes);
}

}  // namespace arcwise
