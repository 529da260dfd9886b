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
#include <unordered_map>
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

// Contingency tables: rows split into cells, distinct rows, and the two ways to walk over tables.

// Gives each row the number of its cell when the cells it was in are split by one more column.
// Numbers follow the first appearance, so they are dense: only cells that hold a row exist.
class CellSplitter {
  public:
    // Writes the new cell of every row to `split` (which may be `cells` itself); returns how many.
    std::uint32_t split(std::span<const std::uint32_t> cells, std::uint32_t cell_count,
                        std::span<const std::uint16_t> column, std::uint32_t levels,
                        std::span<std::uint32_t> split) {
        const std::uint64_t possible = std::uint64_t{cell_count} * levels;
        if (possible > dense_limit(cells.size()))
            return split_sparsely(cells, column, levels, split);
        numbers_.assign(possible, unused);
        std::uint32_t used = 0;
        for (std::size_t row = 0; row < cells.size(); ++row) {
            std::uint32_t& number = numbers_[std::size_t{cells[row]} * levels + column[row]];
            if (number == unused) number = used++;
            split[row] = number;
        }
        return used;
    }

    // Tables up to this many cells are worth an array; beyond, clearing it would cost more than the
    // rows themselves (a column may have 65,535 levels).
    static std::uint64_t dense_limit(std::size_t rows) { return 8 * std::uint64_t{rows} + 4096; }

  private:
    static constexpr std::uint32_t unused = 0xFFFFFFFFu;

    std::uint32_t split_sparsely(std::span<const std::uint32_t> cells,
                                 std::span<const std::uint16_t> column, std::uint32_t levels,
                                 std::span<std::uint32_t> split) {
        sparse_numbers_.clear();
        for (std::size_t row = 0; row < cells.size(); ++row) {
            const std::uint64_t key = std::uint64_t{cells[row]} * levels + column[row];
            const auto used = static_cast<std::uint32_t>(sparse_numbers_.size());
            split[row] = sparse_numbers_.try_emplace(key, used).first->second;
        }
        return static_cast<std::uint32_t>(sparse_numbers_.size());
    }

    std::vector<std::uint32_t> numbers_;
    std::unordered_map<std::uint64_t, std::uint32_t> sparse_numbers_;
};

// The distinct rows of some columns, with how often each occurs: all that counting needs.
struct DistinctRows {
    std::size_t rows = 0;
    std::vector<std::uint16_t> codes;         // rows x variables, column after column
    std::vector<std::uint32_t> level_counts;  // of those variables
    std::vector<double> counts;               // summed weights of the rows that are alike
    std::vector<double> prior_shares;  // summed probabilities of the imaginary rows; or empty
    double total = 0.0;                // of counts

    std::span<const std::uint16_t> column(int position) const {
        return std::span(codes).subspan(static_cast<std::size_t>(position) * rows, rows);
    }
};

// Takes the rows that count for `node` (all if node < 0), and the imaginary rows if there are any.
DistinctRows distinct_rows(const DiscreteTable& table, const DiscreteScoreSettings& settings,
                           std::span<const int> variables, int node);

// The two ways to walk over contingency tables: integer counts (fast) and real ones (general).

// Whether every count is a whole number and every cell of a set has the same pseudo-count.
bool integer_cells_suffice(const DistinctRows& rows, const DiscreteScoreSettings& settings);

std::unique_ptr<PreparedSets> prepare_integer_cells(DistinctRows rows,
                                                    const DiscreteScoreSettings& settings);

// `marginals` has one distribution for each of the prepared variables, or is empty.
std::unique_ptr<PreparedSets> prepare_real_cells(DistinctRows rows,
                                                 std::vector<std::vector<double>> marginals,
                                                 const DiscreteScoreSettings& settings);

}  // namespace arcwise
