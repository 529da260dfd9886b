// Walks over contingency tables of real counts, with a pseudo-count of its own for every cell.
#include <cmath>

#include "arcwise/numerics/special.hpp"
#include "arcwise/scores/discrete.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

class RealCells final : public PreparedSets {
  public:
    RealCells(DistinctRows distinct, std::vector<std::vector<double>> marginals,
              const DiscreteScoreSettings& settings)
        : rows_(std::move(distinct)), marginals_(std::move(marginals)), settings_(settings) {}

    std::unique_ptr<SubsetWalker> walker() const override;

    DistinctRows rows_;
    std::vector<std::vector<double>> marginals_;
    DiscreteScoreSettings settings_;
};

class RealCellsWalker final : public SubsetWalker {
  public:
    explicit RealCellsWalker(const RealCells& data)
        : data_(data), levels_(data.rows_.level_counts.size() + 1) {
        Level& top = levels_[0];
        top.cell.assign(data.rows_.rows, 0);
        top.totals.assign(1, data.rows_.total);
        top.shares.assign(1, 1.0);
        top.value = score(top);
    }

    double value() const override { return levels_[depth_].value; }

    void push(int position, bool) override {
        const Level& from = levels_[depth_];
        Level& to = levels_[++depth_];
        const auto place = static_cast<std::size_t>(position);
        const std::span<const std::uint16_t> column = data_.rows_.column(position);
        const std::uint32_t level_count = data_.rows_.level_counts[place];
        to.cell.resize(from.cell.size());
        const std::uint32_t cells =
            splitter_.split(from.cell, static_cast<std::uint32_t>(from.totals.size()), column,
                            level_count, to.cell);
        to.possible_cells = from.possible_cells * level_count;
        to.totals.assign(cells, 0.0);
        to.shares.assign(cells, 0.0);
        for (std::size_t row = 0; row < to.cell.size(); ++row) {
            to.totals[to.cell[row]] += data_.rows_.counts[row];
        }
        switch (data_.settings_.pseudo_counts) {
            case PseudoCounts::none:
                break;
            case PseudoCounts::uniform:
                to.shares.assign(cells, 1.0 / to.possible_cells);
                break;
            case PseudoCounts::marginals:
                for (std::size_t row = 0; row < to.cell.size(); ++row) {
                    to.shares[to.cell[row]] =
                        from.shares[from.cell[row]] * data_.marginals_[place][column[row]];
                }
                break;
            case PseudoCounts::joint:
                for (std::size_t row = 0; row < to.cell.size(); ++row) {
                    to.shares[to.cell[row]] += data_.rows_.prior_shares[row];
                }
                break;
        }
        to.value = score(to);
    }

    void pop() override { --depth_; }

    void leaves(int limit, double* out) override {
        for (int position = 0; position < limit; ++position) {
            push(position, true);
            out[position] = value();
            pop();
        }
    }

  private:
    struct Level {
        std::vector<std::uint32_t> cell;  // of each distinct row
        std::vector<double> totals;       // of each cell
        std::vector<double> shares;       // of the equivalent sample size, of each cell
        double possible_cells = 1.0;
        double value = 0.0;
    };

    double score(const Level& level) const {
        double sum = 0.0;
        if (data_.settings_.pseudo_counts == PseudoCounts::none) {
            for (const double total : level.totals) {
                if (total > 0.0) sum += total * std::log(total);
            }
            return data_.rows_.total > 0.0
                       ? sum - 0.5 * std::log(data_.rows_.total) * level.possible_cells
                       : 0.0;
        }
        for (std::size_t cell = 0; cell < level.totals.size(); ++cell) {
            if (level.totals[cell] <= 0.0) continue;
            const double pseudo_count = data_.settings_.equivalent_sample_size * level.shares[cell];
            if (pseudo_count <= 0.0) {
                throw Error(ErrorKind::data,
                            "The prior of the BDe score gives probability zero to a combination "
                            "of levels that occurs in the data; give every combination that can "
                            "occur a positive probability.");
            }
            sum += log_gamma(pseudo_count + level.totals[cell]) - log_gamma(pseudo_count);
        }
        return sum;
    }

    const RealCells& data_;
    CellSplitter splitter_;
    std::vector<Level> levels_;
    std::size_t depth_ = 0;
};

std::unique_ptr<SubsetWalker> RealCells::walker() const {
    return std::make_unique<RealCellsWalker>(*this);
}

}  // namespace

std::unique_ptr<PreparedSets> prepare_real_cells(DistinctRows rows,
                                                 std::vector<std::vector<double>> marginals,
                                                 const DiscreteScoreSettings& settings) {
    return std::make_unique<RealCells>(std::move(rows), std::move(marginals), settings);
}

}  // namespace arcwise
