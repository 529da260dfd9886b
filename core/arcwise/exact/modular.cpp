// Probabilities of all families from the modular programme, with as many digits as it takes.
#include "arcwise/exact/modular.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "arcwise/exact/enough_digits.hpp"
#include "arcwise/exact/modular_programme.hpp"

namespace arcwise {
namespace {

template <class Real>
ExactPosterior finish(const ModularProgramme<Real>& programme, const FamilyTable& weights,
                      const RunOptions& options) {
    ExactPosterior result;
    result.log_weight = programme.log_total() + programme.sums().total_offset();
    result.error = relative_error(programme);
    result.probabilities = weights;
    const auto nodes = static_cast<std::size_t>(programme.nodes());
    std::vector<double> errors(nodes);
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
        errors[v] = std::abs(std::accumulate(values.begin(), values.end(), -1.0));
        context.advance(1);
    });
    // The probabilities of a node's families add up to 1 but for rounding.
    result.error = std::max(result.error, *std::max_element(errors.begin(), errors.end()));
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
        result = programme.log_total() + programme.sums().total_offset();
    });
    return result;
}

}  // namespace arcwise
