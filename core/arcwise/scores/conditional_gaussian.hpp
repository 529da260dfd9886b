// The conditional Gaussian score of discrete and continuous variables as a set function.
//
// A set X is made of discrete variables D and of l continuous ones C. Let the q configurations of D
// share the imaginary rows: a = equivalent sample size / q, and of the normal-Wishart prior
// alpha = alpha_mu / q, delta = degrees / q, t = scale / q. With N_d rows in configuration d,
//   M(X) = sum over d of  ln Γ(a + N_d) - ln Γ(a)  +  M_d(C)
//   M_d(C) = l/2 ln(alpha / (N_d + alpha)) - l N_d/2 ln pi
//            + sum over i = 0 .. l-1 of ln Γ((N_d + delta + i) / 2) - ln Γ((delta + i) / 2)
//            + (delta + l - 1)/2 l ln t - (N_d + delta + l - 1)/2 ln |R_d|
//   R_d = t I + S_d + N_d alpha / (N_d + alpha) m_d m_d'
// where S_d is the centred scatter of C in configuration d and m_d its mean, after columns have
// been centred at their prior mean and divided by the deviation that the prior gives them. M_d is
// that of BGe; the prior of a configuration depends on D alone, so Markov equivalent DAGs without
// an edge from a continuous to a discrete variable score the same.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/scores/family_score.hpp"

namespace arcwise {

// Rows of codes and of standardised values, column after column, each meant for the variables of
// its kind; the arrays stay the caller's and must outlive it.
struct MixedTable {
    std::span<const std::uint16_t> codes;     // rows x variables
    std::span<const double> values;           // rows x variables
    std::vector<std::uint32_t> level_counts;  // 0: continuous
    std::vector<double> log_deviations;       // ln of what values were divided by
    std::size_t rows = 0;
    std::span<const double> weights;  // empty: each row counts once
    Interventions interventions;
};

struct ConditionalGaussianSettings {
    double equivalent_sample_size = 1.0;
    double alpha_mu = 1.0;
    double degrees = 3.0;
    double scale = 1.0;  // of standardised values
};

std::unique_ptr<SetFunction> make_conditional_gaussian_score(
    MixedTable table, const ConditionalGaussianSettings& settings);

}  // namespace arcwise
