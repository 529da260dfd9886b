// Fills the look-up tables of cell contributions.
#include "arcwise/scores/cell_score_table.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/numerics/special.hpp"

namespace arcwise {

double CellScoreTable::compute(double possible_cells, double count) const {
    if (count <= 0.0) return 0.0;
    if (!dirichlet_) return count * std::log(count);
    const double pseudo_count = equivalent_sample_size_ / possible_cells;
    return log_gamma(pseudo_count + count) - log_gamma(pseudo_count);
}

const double* CellScoreTable::values(double possible_cells, std::uint32_t largest) {
    // N ln N does not depend on the number of cells.
    std::vector<double>& table = tables_[dirichlet_ ? possible_cells : 0.0];
    const std::size_t wanted = std::size_t{std::min(largest, limit)} + 1;
    if (table.size() < wanted) {
        std::size_t filled = table.size();
        table.resize(std::min(std::max(wanted, 2 * filled), std::size_t{limit} + 1));
        for (; filled < table.size(); ++filled) {
            table[filled] = compute(possible_cells, static_cast<double>(filled));
        }
    }
    return table.data();
}

}  // namespace arcwise
