// Scores of discrete data as set functions: BDeu, BDe and BIC, all sums over the cells of a table.
//
// For a set X with contingency table N_x:
//   Dirichlet:  M(X) = sum over cells of ln Γ(a_x + N_x) - ln Γ(a_x), where a_x is the prior
//               pseudo-count of the cell; BDeu has a_x = equivalent sample size / number of cells.
//   BIC:        M(X) = sum over cells of N_x ln N_x, less ln(N) / 2 per cell of the full table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/scores/family_score.hpp"

namespace arcwise {

// Rows of discrete codes, column after column; the arrays stay the caller's and must outlive it.
struct DiscreteTable {
    std::span<const std::uint16_t> codes;  // rows x variables
    std::size_t rows = 0;
    std::vector<std::uint32_t> level_counts;
    std::span<const double> weights;  // empty: each row counts once
    Interventions interventions;

    std::span<const std::uint16_t> column(int variable) const {
        return codes.subspan(static_cast<std::size_t>(variable) * rows, rows);
    }
};

// Where the pseudo-counts of a Dirichlet score come from.
enum class PseudoCounts {
    none,       // no prior: the penalised likelihood
    uniform,    // every cell alike
    marginals,  // product of one distribution per variable
    joint,      // a joint distribution, given as weighted imaginary rows
};

struct DiscreteScoreSettings {
    PseudoCounts pseudo_counts = PseudoCounts::uniform;
    double equivalent_sample_size = 1.0;
    std::vector<std::vector<double>> marginals;       // for `marginals`: [variable][level]
    std::span<const std::uint16_t> imaginary_codes;   // for `joint`: rows x variables
    std::span<const double> imaginary_probabilities;  // for `joint`: one per imaginary row
};

std::unique_ptr<SetFunction> make_discrete_score(DiscreteTable table,
                                                 DiscreteScoreSettings settings);

}  // namespace arcwise
