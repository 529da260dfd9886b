// The contribution of one cell with an integer count, looked up instead of computed.
#pragma once

#include <unordered_map>
#include <vector>

#include "arcwise/scores/discrete.hpp"

namespace arcwise {

// f(N) of the cells of sets that have a given number of possible cells: ln Γ(a + N) - ln Γ(a) with
// a = equivalent sample size / possible cells, or N ln N. One table per number of cells is grown on
// demand; each walker has its own, so nothing is locked.
class CellScoreTable {
  public:
    explicit CellScoreTable(const DiscreteScoreSettings& settings)
        : dirichlet_(settings.pseudo_counts == PseudoCounts::uniform),
          equivalent_sample_size_(settings.equivalent_sample_size) {}

    // Values of f for N = 0 .. min(largest, limit).
    const double* values(double possible_cells, std::uint32_t largest);

    // f(N) for any N, for the few cells too large for the table.
    double compute(double possible_cells, double count) const;

    // A table this long serves nearly every cell; longer ones would crowd the cache.
    static constexpr std::uint32_t limit = 4096;

  private:
    bool dirichlet_;
    double equivalent_sample_size_;
    std::unordered_map<double, std::vector<double>> tables_;
};

}  // namespace arcwise
