// Walks over contingency tables of integer counts: the fast way for BDeu and BIC.
//
// Rows are kept as cell numbers of the current set. A leaf (a set that is not walked past) needs
// only its cell counts: rows with the added variable's commonest level are not visited, their
// number is what is left of the cell they came from.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

#include "arcwise/numerics/special.hpp"
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

namespace {

// The rows in which a variable does not have its commonest level.
struct UncommonRows {
    std::uint32_t common_level = 0;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint16_t> levels;
};

class IntegerCells final : public PreparedSets {
  public:
    IntegerCells(DistinctRows distinct, const DiscreteScoreSettings& settings)
        : rows_(std::move(distinct)), settings_(settings) {
        for (const double count : rows_.counts) {
            counts_.push_back(static_cast<std::uint32_t>(count));
        }
        for (std::size_t position = 0; position < rows_.level_counts.size(); ++position) {
            uncommon_.push_back(uncommon_rows(static_cast<int>(position)));
        }
        if (settings.pseudo_counts == PseudoCounts::none && rows_.total > 0.0) {
            penalty_per_cell_ = 0.5 * std::log(rows_.total);
        }
    }

    std::unique_ptr<SubsetWalker> walker() const override;

    DistinctRows rows_;
    DiscreteScoreSettings settings_;
    std::vector<std::uint32_t> counts_;
    std::vector<UncommonRows> uncommon_;
    double penalty_per_cell_ = 0.0;

  private:
    UncommonRows uncommon_rows(int position) const {
        const std::span<const std::uint16_t> column = rows_.column(position);
        // Distinct rows to visit are what costs time, so the commonest level is by rows, not
        // counts.
        std::vector<std::size_t> frequency(rows_.level_counts[static_cast<std::size_t>(position)]);
        for (const std::uint16_t level : column) ++frequency[level];
        UncommonRows result;
        result.common_level = static_cast<std::uint32_t>(
            std::max_element(frequency.begin(), frequency.end()) - frequency.begin());
        for (std::size_t row = 0; row < column.size(); ++row) {
            if (column[row] == result.common_level) continue;
            result.rows.push_back(static_cast<std::uint32_t>(row));
            result.levels.push_back(column[row]);
        }
        return result;
    }
};

class IntegerCellsWalker final : public SubsetWalker {
  public:
    explicit IntegerCellsWalker(const IntegerCells& data)
        : data_(data), table_(data.settings_), levels_(data.rows_.level_counts.size() + 1) {
        Level& top = levels_[0];
        top.cell.assign(data.rows_.rows, 0);
        top.totals.assign(1, static_cast<std::uint32_t>(data.rows_.total));
        top.possible_cells = 1.0;
        finish(top);
    }

    double value() const override { return levels_[depth_].value; }

    void push(int position, bool) override {
        const Level& from = levels_[depth_];
        Level& to = levels_[++depth_];
        to.cell.resize(from.cell.size());
        const std::uint32_t level_count = level_counts(position);
        const std::uint32_t cells =
            splitter_.split(from.cell, static_cast<std::uint32_t>(from.totals.size()),
                            data_.rows_.column(position), level_count, to.cell);
        to.totals.assign(cells, 0);
        for (std::size_t row = 0; row < to.cell.size(); ++row) {
            to.totals[to.cell[row]] += data_.counts_[row];
        }
        to.possible_cells = from.possible_cells * level_count;
        finish(to);
    }

    void pop() override { --depth_; }

    void leaves(int limit, double* out) override {
        const Level& level = levels_[depth_];
        for (int position = 0; position < limit; ++position) {
            const std::uint64_t possible =
                std::uint64_t{level.totals.size()} * level_counts(position);
            if (possible > CellSplitter::dense_limit(level.cell.size())) {
                push(position, true);
                out[position] = value();
                pop();
            } else {
                out[position] = leaf(level, position);
            }
        }
    }

  private:
    struct Level {
        std::vector<std::uint32_t> cell;    // of each distinct row
        std::vector<std::uint32_t> totals;  // of each cell
        std::uint32_t largest = 0;
        double possible_cells = 1.0;
        double value = 0.0;
    };

    std::uint32_t level_counts(int position) const {
        return data_.rows_.level_counts[static_cast<std::size_t>(position)];
    }

    void finish(Level& level) {
        level.largest =
            level.totals.empty() ? 0 : *std::max_element(level.totals.begin(), level.totals.end());
        const CellSum cells(*this, level.possible_cells, level.largest);
        double sum = 0.0;
        for (const std::uint32_t total : level.totals) sum += cells.checked(total);
        level.value = sum - data_.penalty_per_cell_ * level.possible_cells;
    }

    // f(N) for cells of a set, from the table where the count is small.
    struct CellSum {
        CellSum(IntegerCellsWalker& walker, double cells, std::uint32_t largest)
            : table(walker.table_.values(cells, largest)),
              scores(walker.table_),
              possible_cells(cells) {}

        double checked(std::uint32_t count) const {
            return count <= CellScoreTable::limit ? table[count]
                                                  : scores.compute(possible_cells, count);
        }

        const double* table;
        const CellScoreTable& scores;
        double possible_cells;
    };

    double leaf(const Level& level, int position) {
        const UncommonRows& uncommon = data_.uncommon_[static_cast<std::size_t>(position)];
        const std::uint32_t level_count = level_counts(position);
        const std::size_t cells = level.totals.size();
        histogram_.assign(cells * level_count, 0);
        const std::uint32_t* cell = level.cell.data();
        const std::uint32_t* counts = data_.counts_.data();
        for (std::size_t i = 0; i < uncommon.rows.size(); ++i) {
            const std::uint32_t row = uncommon.rows[i];
            histogram_[std::size_t{cell[row]} * level_count + uncommon.levels[i]] += counts[row];
        }
        const double possible_cells = level.possible_cells * level_count;
        const CellSum sum(*this, possible_cells, level.largest);
        const double total = level.largest <= CellScoreTable::limit
                                 ? add_cells<false>(level, level_count, sum)
                                 : add_cells<true>(level, level_count, sum);
        return total - data_.penalty_per_cell_ * possible_cells;
    }

    template <bool large_counts>
    double add_cells(const Level& level, std::uint32_t level_count, const CellSum& sum) const {
        double total = 0.0;
        const std::uint32_t* histogram = histogram_.data();
        const auto contribution = [&](std::uint32_t count) {
            return large_counts ? sum.checked(count) : sum.table[count];
        };
        for (const std::uint32_t cell_total : level.totals) {
            std::uint32_t common = cell_total;
            double within = 0.0;  // a sum of its own, which rounds less than adding all to one
            for (std::uint32_t i = 0; i < level_count; ++i) {
                common -= histogram[i];  // the commonest level's own entry is zero
                within += contribution(histogram[i]);
            }
            total += within + contribution(common);
            histogram += level_count;
        }
        return total;
    }

    const IntegerCells& data_;
    CellScoreTable table_;
    CellSplitter splitter_;
    std::vector<Level> levels_;
    std::size_t depth_ = 0;
    std::vector<std::uint32_t> histogram_;
};

std::unique_ptr<SubsetWalker> IntegerCells::walker() const {
    return std::make_unique<IntegerCellsWalker>(*this);
}

}  // namespace

std::unique_ptr<PreparedSets> prepare_integer_cells(DistinctRows rows,
                                                    const DiscreteScoreSettings& settings) {
    return std::make_unique<IntegerCells>(std::move(rows), settings);
}

bool integer_cells_suffice(const DistinctRows& rows, const DiscreteScoreSettings& settings) {
    if (settings.pseudo_counts != PseudoCounts::uniform &&
        settings.pseudo_counts != PseudoCounts::none) {
        return false;
    }
    return rows.total <= std::numeric_limits<std::uint32_t>::max() &&
           std::all_of(rows.counts.begin(), rows.counts.end(),
                       [](double count) { return count == std::floor(count); });
}

}  // namespace arcwise
