// Both programmes with sums relative to the best way to a set, as for buckets.
#include "arcwise/spaces/orders/lattice_programme.hpp"

#include <algorithm>

#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/spaces/orders/relative_sums.hpp"

namespace arcwise {
namespace {

// Calls step(source, target, ln alpha) for the transitions in an order in which a source is
// complete before it is used.
template <bool backward, class Step>
void for_transitions(const DownsetLattice& lattice, const double* log_sums, Step step) {
    const auto transitions = lattice.transitions();
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        const std::size_t at = backward ? transitions.size() - 1 - i : i;
        const auto& [from, to, element] = transitions[at];
        step(backward ? to : from, backward ? from : to, log_sums[at]);
    }
}

template <bool backward>
void solve(const DownsetLattice& lattice, const double* log_sums, std::vector<double>& best,
           std::vector<double>& sums) {
    std::fill(best.begin(), best.end(), impossible_weight);
    std::fill(sums.begin(), sums.end(), 0.0);
    const std::size_t start = backward ? lattice.size() - 1 : 0;
    best[start] = 0.0;
    sums[start] = 1.0;
    for_transitions<backward>(lattice, log_sums,
                              [&](std::size_t source, std::size_t target, double log_sum) {
                                  best[target] = std::max(best[target], log_sum + best[source]);
                              });
    for_transitions<backward>(lattice, log_sums,
                              [&](std::size_t source, std::size_t target, double log_sum) {
                                  const double exponent = log_sum + best[source] - best[target];
                                  sums[target] += share_kernel(exponent) * sums[source];
                              });
}

}  // namespace

double LatticeProgramme::log_score(const double* log_sums) {
    solve<false>(*lattice_, log_sums, best_, sums_);
    return relative_logarithm(best_.back(), sums_.back());
}

std::vector<double> LatticeProgramme::log_forward(const double* log_sums) {
    solve<false>(*lattice_, log_sums, best_, sums_);
    return logarithms();
}

std::vector<double> LatticeProgramme::log_backward(const double* log_sums) {
    solve<true>(*lattice_, log_sums, best_, sums_);
    return logarithms();
}

std::vector<double> LatticeProgramme::logarithms() const {
    std::vector<double> result(best_.size());
    std::ranges::transform(best_, sums_, result.begin(), relative_logarithm);
    return result;
}

}  // namespace arcwise
