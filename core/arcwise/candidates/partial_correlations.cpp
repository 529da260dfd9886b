// Tests by partial correlations of variables or blocks of columns, by a Cholesky factor of the
// correlations of the set, which all tests given it share.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "arcwise/candidates/pc_skeleton.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/scores/gaussian.hpp"

namespace arcwise {
namespace {

// A share of variance this small is rounding.
constexpr double nothing_left = 1e-10;

class Correlations {
  public:
    explicit Correlations(const ContinuousTable& table) : columns_(table.names.size()) {
        std::vector<int> every(columns_);
        std::iota(every.begin(), every.end(), 0);
        const Moments all = moments(table, every, -1, {});
        rows_ = all.total;
        values_.assign(columns_ * columns_, 0.0);
        std::vector<double> deviations;
        std::size_t entry = 0;
        for (std::size_t i = 0; i < columns_; ++i) {
            deviations.push_back(std::sqrt(all.scatter[entry + i]));
            for (std::size_t j = 0; j <= i; ++j, ++entry) {
                const double scale = deviations[i] * deviations[j];
                const double value = scale > 0.0 ? all.scatter[entry] / scale : 0.0;
                values_[i * columns_ + j] = values_[j * columns_ + i] = value;
            }
        }
    }

    std::size_t columns() const { return columns_; }
    double rows() const { return rows_; }
    double between(int left, int right) const {
        return values_[static_cast<std::size_t>(left) * columns_ + static_cast<std::size_t>(right)];
    }

  private:
    std::size_t columns_;
    double rows_ = 0.0;
    std::vector<double> values_;
};

class FisherZ final : public IndependenceTest {
  public:
    explicit FisherZ(const ContinuousTable& table) : correlations_(table) {}

    int variables() const override { return static_cast<int>(correlations_.columns()); }

    bool possible(std::size_t conditioning) const override { return freedom(conditioning) > 0.0; }

    // The tail of the distribution takes most, then the projection onto the set.
    double work(std::size_t conditioning) const override {
        return 32.0 + static_cast<double>(conditioning * conditioning);
    }

    std::unique_ptr<ConditionedTests> tests() const override;

    const Correlations& correlations() const { return correlations_; }

    double freedom(std::size_t conditioning) const {
        return correlations_.rows() - static_cast<double>(conditioning) - 3.0;
    }

  private:
    Correlations correlations_;
};

class PartialCorrelations final : public ConditionedTests {
  public:
    explicit PartialCorrelations(const FisherZ& test) : test_(test) {}

    void condition(int variable, std::span<const int> set) override {
        variable_ = variable;
        set_.assign(set.begin(), set.end());
        factor_.clear();
        std::vector<double> row;
        for (std::size_t i = 0; i < set_.size(); ++i) {
            project(set_[i], i, row);
            const double left = 1.0 - squared(row);
            // A member that the others determine adds nothing to them: its row is left at zero.
            const double pivot = left > nothing_left ? std::sqrt(left) : 0.0;
            row.push_back(pivot);
            factor_.insert(factor_.end(), row.begin(), row.end());
        }
        project(variable, set_.size(), own_);
        own_left_ = 1.0 - squared(own_);
    }

    double log_p(int other) override {
        project(other, set_.size(), other_);
        const double other_left = 1.0 - squared(other_);
        if (own_left_ <= nothing_left || other_left <= nothing_left) return 0.0;
        double covariance = test_.correlations().between(variable_, other);
        for (std::size_t i = 0; i < set_.size(); ++i) covariance -= own_[i] * other_[i];
        const double partial = covariance / std::sqrt(own_left_ * other_left);
        const double z = std::atanh(std::fmin(1.0, std::abs(partial)));
        return log_chi_squared_tail(test_.freedom(set_.size()) * z * z, 1.0);
    }

  private:
    static double squared(const std::vector<double>& row) {
        double sum = 0.0;
        for (const double value : row) sum += value * value;
        return sum;
    }

    // Solves for the coordinates of a variable along the first `count` members of the set.
    void project(int variable, std::size_t count, std::vector<double>& row) const {
        row.clear();
        const double* factor = factor_.data();
        for (std::size_t i = 0; i < count; ++i) {
            double value = test_.correlations().between(variable, set_[i]);
            for (std::size_t j = 0; j < i; ++j) value -= factor[j] * row[j];
            row.push_back(factor[i] > 0.0 ? value / factor[i] : 0.0);
            factor += i + 1;
        }
    }

    const FisherZ& test_;
    int variable_ = 0;
    std::vector<int> set_;
    std::vector<double> factor_;  // packed lower triangle
    std::vector<double> own_;
    std::vector<double> other_;
    double own_left_ = 1.0;
};

std::unique_ptr<ConditionedTests> FisherZ::tests() const {
    return std::make_unique<PartialCorrelations>(*this);
}

}  // namespace

std::unique_ptr<IndependenceTest> make_fisher_z_test(const ContinuousTable& table) {
    return std::make_unique<FisherZ>(table);
}

namespace {

class BlockTest final : public IndependenceTest {
  public:
    BlockTest(const ContinuousTable& table, std::vector<int> starts)
        : correlations_(table), starts_(std::move(starts)) {
        for (int v = 0; v + 1 < static_cast<int>(starts_.size()); ++v) {
            smallest_ = std::min(smallest_, static_cast<double>(end(v) - first(v)));
        }
    }

    int variables() const override { return static_cast<int>(starts_.size()) - 1; }

    // With the smallest blocks; a test that a larger one leaves without rows finds nothing.
    bool possible(std::size_t conditioning) const override {
        return factor(static_cast<double>(conditioning) * smallest_, 2.0 * smallest_) > 0.0;
    }

    double work(std::size_t conditioning) const override {
        const double width =
            static_cast<double>(correlations_.columns()) / std::max(1, variables());
        const double set = static_cast<double>(conditioning) * width;
        return 32.0 + width * (set + width) * (set + width);
    }

    std::unique_ptr<ConditionedTests> tests() const override;

    int first(int variable) const { return starts_[static_cast<std::size_t>(variable)]; }
    int end(int variable) const { return starts_[static_cast<std::size_t>(variable) + 1]; }

    const Correlations& correlations() const { return correlations_; }

    // The factor of -ln Lambda, given the numbers of columns of the set and of the two blocks.
    double factor(double set, double both) const {
        return correlations_.rows() - 1.0 - set - 0.5 * (both + 1.0);
    }

  private:
    Correlations correlations_;
    std::vector<int> starts_;
    double smallest_ = 1.0;
};

class BlocksGivenSet final : public ConditionedTests {
  public:
    explicit BlocksGivenSet(const BlockTest& test) : test_(test) {}

    void condition(int variable, std::span<const int> set) override {
        base_.clear();
        for (const int member : set) add(base_, member);
        of_set_ = base_.rank();
        add(base_, variable);
        own_ = base_.rank() - of_set_;
    }

    // Lambda = |S + x + y| |S| / (|S + x| |S + y|): the pivots of y given S and x, over those given
    // S alone. Columns that the set determines are no columns of a block.
    double log_p(int other) override {
        const std::size_t with = base_.kept.size();
        both_ = base_;
        add(both_, other);
        double log_lambda = 0.0;
        for (std::size_t i = with; i < both_.kept.size(); ++i) {
            log_lambda += std::log(both_.pivots[i]);
        }
        alone_ = base_;
        alone_.cut(set_columns());
        add(alone_, other);
        for (std::size_t i = set_columns(); i < alone_.kept.size(); ++i) {
            log_lambda -= std::log(alone_.pivots[i]);
        }
        const auto others = static_cast<double>(alone_.kept.size() - set_columns());
        const auto own = static_cast<double>(own_);
        if (own == 0.0 || others == 0.0) return 0.0;
        // Fewer pivots are left given x as well: x determines a part of y.
        if (both_.kept.size() - with < alone_.kept.size() - set_columns()) {
            log_lambda += static_cast<double>(alone_.kept.size() - set_columns() -
                                              (both_.kept.size() - with)) *
                          std::log(nothing_left);
        }
        const double factor = test_.factor(static_cast<double>(of_set_), own + others);
        if (!(factor > 0.0)) return 0.0;
        return log_chi_squared_tail(std::max(0.0, -factor * log_lambda), own * others);
    }

  private:
    // Columns with the rows of the Cholesky factor of their correlations; those that the ones
    // before determine are left out.
    struct Factor {
        std::vector<int> kept;
        std::vector<double> pivots;
        std::vector<double> rows;  // packed lower triangle

        std::size_t rank() const { return kept.size(); }
        void clear() { cut(0); }
        void cut(std::size_t count) {
            kept.resize(count);
            pivots.resize(count);
            rows.resize(count * (count + 1) / 2);
        }
    };

    std::size_t set_columns() const { return of_set_; }

    void add(Factor& factor, int variable) const {
        for (int column = test_.first(variable); column < test_.end(variable); ++column) {
            const std::size_t count = factor.kept.size();
            const std::size_t start = factor.rows.size();
            double left = test_.correlations().between(column, column);
            const double* row = factor.rows.data();
            std::vector<double> own;
            own.reserve(count + 1);
            for (std::size_t i = 0; i < count; ++i) {
                double value = test_.correlations().between(column, factor.kept[i]);
                for (std::size_t j = 0; j < i; ++j) value -= row[j] * own[j];
                own.push_back(value / row[i]);
                left -= own[i] * own[i];
                row += i + 1;
            }
            if (!(left > nothing_left)) continue;
            factor.kept.push_back(column);
            factor.pivots.push_back(left);
            own.push_back(std::sqrt(left));
            factor.rows.resize(start);
            factor.rows.insert(factor.rows.end(), own.begin(), own.end());
        }
    }

    const BlockTest& test_;
    Factor base_;  // of the set, then the variable
    Factor both_;
    Factor alone_;
    std::size_t of_set_ = 0;
    std::size_t own_ = 0;
};

std::unique_ptr<ConditionedTests> BlockTest::tests() const {
    return std::make_unique<BlocksGivenSet>(*this);
}

}  // namespace

std::unique_ptr<IndependenceTest> make_block_test(const ContinuousTable& columns,
                                                  std::vector<int> starts) {
    return std::make_unique<BlockTest>(columns, std::move(starts));
}

}  // namespace arcwise
