// Probabilities of all families from the modular programme, with as many digits as it takes.
#include "arcwise/exact/modular.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/exact/modular_programme.hpp"
#include "exact/enough_digits.hpp"

namespace arcwise {
namespace {

double offsets(const BlockSums& sums) {
    double total = 0.0;
    for (int v = 0; v < sums.nodes(); ++v) total += sums.offset(v);
    return total;
}

template <class Real>
ExactPosterior finish(const ModularProgramme<Real>& programme, const FamilyTable& weights,
                      const RunOptions& options) {
    ExactPosterior result;
    result.log_weight = programme.log_total() + offsets(programme.sums());
    result.error = relative_error(programme);
    result.probabilities = weights;
    const auto nodes = static_cast<std::size_t>(programme.nodes());
    run_tasks(nodes, nodes, options, [&](std::size_t v, TaskContext& context) {
        const int node = static_cast<int>(v);
        std::vector<double> log_sum(programme.sums().block_size(node));
        programme.sums().log_sums(node, 0, log_sum.data());
        std::vector<double>& values = result.probabilities[v].values();
        std::fill(values.begin(), values.end(), 0.0);
        programme.sums().add_family_shares(node, 0, programme.share(node).data(), log_sum.data(),
                                           values.data());
        // Signed shares leave rounding on both sides of zero.
        for (double& value : values) value = std::clamp(value, 0.0, 1.0);
        context.advance(1);
    });
    return result;
}

}  // namespace

ExactPosterior modular_posterior(const FamilyTable& weights, double tolerance,
                                 const RunOptions& options) {
    ExactPosterior result;
    with_enough_digits(weights, tolerance, true, options, [&](const auto& programme) {
        result = finish(programme, weights, {options.threads, nullptr});
    });
    return result;
}

double modular_log_weight(const FamilyTable& weights, double tolerance, const RunOptions& options) {
    double result = 0.0;
    with_enough_digits(weights, tolerance, false, options, [&](const auto& programme) {
        result = programme.log_total() + offsets(programme.sums());
    });
    return result;
}

}  // namespace arcwise
