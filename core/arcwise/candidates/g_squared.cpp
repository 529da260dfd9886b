// Counts contingency tables within the cells of the conditioning set, found once for all tests
// given it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "arcwise/candidates/pc_skeleton.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/scores/discrete.hpp"

namespace arcwise {
namespace {

class GSquared final : public IndependenceTest {
  public:
    explicit GSquared(DiscreteTable table) : table_(std::move(table)) {
        if (!table_.weights.empty()) return;
        for (std::size_t count = 0; count <= table_.rows; ++count) {
            const auto number = static_cast<double>(count);
            whole_.push_back(count == 0 ? 0.0 : number * std::log(number));
        }
    }

    int variables() const override { return static_cast<int>(table_.level_counts.size()); }
    bool possible(std::size_t) const override { return true; }
    double work(std::size_t) const override { return static_cast<double>(table_.rows); }
    std::unique_ptr<ConditionedTests> tests() const override;

    const DiscreteTable& table() const { return table_; }

    // n ln n; counts are whole numbers where rows have no weights.
    double entropy(double count) const {
        if (!whole_.empty()) return whole_[static_cast<std::size_t>(count)];
        return count > 0.0 ? count * std::log(count) : 0.0;
    }

  private:
    DiscreteTable table_;
    std::vector<double> whole_;
};

class WithinCells final : public ConditionedTests {
  public:
    explicit WithinCells(const GSquared& test) : test_(test), cells_(test.table().rows) {}

    void condition(int variable, std::span<const int> set) override {
        variable_ = variable;
        std::fill(cells_.begin(), cells_.end(), 0);
        count_ = cells_.empty() ? 0 : 1;
        for (const int member : set) {
            count_ = splitter_.split(cells_, count_, test_.table().column(member), levels(member),
                                     cells_);
        }
        rows_.resize(cells_.size());
        const auto column = test_.table().column(variable);
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            rows_[row] = std::size_t{cells_[row]} * levels(variable) + column[row];
        }
    }

    double log_p(int other) override {
        const std::size_t height = levels(variable_);
        const std::size_t width = levels(other);
        counts_.assign(count_ * height * width, 0.0);
        const auto column = test_.table().column(other);
        const auto weights = test_.table().weights;
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            counts_[rows_[row] * width + column[row]] += weights.empty() ? 1.0 : weights[row];
        }
        double half_g = 0.0;
        double freedom = 0.0;
        across_.resize(width);
        const double* counts = counts_.data();
        for (std::size_t cell = 0; cell < count_; ++cell) {
            std::fill(across_.begin(), across_.end(), 0.0);
            double total = 0.0;
            double within = 0.0;
            int rows_seen = 0;
            for (std::size_t i = 0; i < height; ++i) {
                double row_total = 0.0;
                for (std::size_t j = 0; j < width; ++j, ++counts) {
                    within += test_.entropy(*counts);
                    row_total += *counts;
                    across_[j] += *counts;
                }
                within -= test_.entropy(row_total);
                rows_seen += row_total > 0.0;
                total += row_total;
            }
            int columns_seen = 0;
            for (const double column_total : across_) {
                within -= test_.entropy(column_total);
                columns_seen += column_total > 0.0;
            }
            half_g += within + test_.entropy(total);
            freedom += static_cast<double>(std::max(0, rows_seen - 1)) *
                       static_cast<double>(std::max(0, columns_seen - 1));
        }
        return freedom > 0.0 ? log_chi_squared_tail(2.0 * half_g, freedom) : 0.0;
    }

  private:
    std::uint32_t levels(int variable) const {
        return test_.table().level_counts[static_cast<std::size_t>(variable)];
    }

    const GSquared& test_;
    CellSplitter splitter_;
    int variable_ = 0;
    std::uint32_t count_ = 0;
    std::vector<std::uint32_t> cells_;  // of the set, by row
    std::vector<std::size_t> rows_;     // of the set and the variable, by row
    std::vector<double> counts_;        // [cell of the set][level][level of the other]
    std::vector<double> across_;
};

std::unique_ptr<ConditionedTests> GSquared::tests() const {
    return std::make_unique<WithinCells>(*this);
}

}  // namespace

std::unique_ptr<IndependenceTest> make_g_squared_test(DiscreteTable table) {
    return std::make_unique<GSquared>(std::move(table));
}

}  // namespace arcwise
