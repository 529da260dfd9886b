// Scores of continuous data as set functions: BGe and the Gaussian BIC, both made of determinants.
//
// With N rows (or their summed weights), l = |X| and R_X the block of a scatter matrix:
//   M(X) = constant(l) + prior_power(l) ln |T_X| - data_power(l) ln |R_X|
//
// BGe (Geiger and Heckerman 2002; corrected by Kuipers, Moffa and Heckerman 2014), n variables:
//   R = T + S + N a_mu / (N + a_mu) (mean - prior mean)(mean - prior mean)',  S the centred scatter
//   prior_power(l) = (a_w - n + l) / 2,   data_power(l) = (N + a_w - n + l) / 2
//   constant(l) = l/2 ln(a_mu / (N + a_mu)) - l N/2 ln pi
//                 + ln Γ_l((N + a_w - n + l) / 2) - ln Γ_l((a_w - n + l) / 2)
// BIC: the maximised Gaussian log likelihood less ln(N) / 2 for each of the l (l + 3) / 2
// parameters.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arcwise/scores/family_score.hpp"

namespace arcwise {

// Rows of continuous values, column after column; the arrays stay the caller's and must outlive it.
struct ContinuousTable {
    std::span<const double> values;  // rows x variables
    std::size_t rows = 0;
    std::vector<std::string> names;   // for messages
    std::span<const double> weights;  // empty: each row counts once
    Interventions interventions;

    std::span<const double> column(int variable) const {
        return values.subspan(static_cast<std::size_t>(variable) * rows, rows);
    }
};

struct BgeSettings {
    double alpha_mu = 1.0;
    double alpha_w = 0.0;
    std::vector<double> prior_mean;   // one per variable
    std::vector<double> prior_scale;  // T, variables x variables
};

std::unique_ptr<SetFunction> make_bge_score(ContinuousTable table, BgeSettings settings);
std::unique_ptr<SetFunction> make_gaussian_bic_score(ContinuousTable table);

// Weighted mean and centred scatter matrix of some columns.
struct Moments {
    double total = 0.0;           // number of rows, or their summed weights
    std::vector<double> offset;   // mean less centre
    std::vector<double> scatter;  // packed lower triangle, row after row
};

// Takes the rows that count for `node` (all if node < 0). `centre` has a number for each variable
// of the table, or is empty for zeros.
Moments moments(const ContinuousTable& table, std::span<const int> variables, int node,
                std::span<const double> centre);

}  // namespace arcwise
