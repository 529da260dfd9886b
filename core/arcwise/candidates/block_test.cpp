// Partial correlations between blocks of columns, by a Cholesky factor of the set's correlations.
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

class BlockTest final : public IndependenceTest {
  public:
    BlockTest(const ContinuousTable& table, std::vector<int> starts)
        : size_(table.names.size()), starts_(std::move(starts)) {
        std::vector<int> every(size_);
        std::iota(every.begin(), every.end(), 0);
        const Moments all = moments(table, every, -1, {});
        rows_ = all.total;
        correlations_.assign(size_ * size_, 0.0);
        std::vector<double> deviations;
        std::size_t entry = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            deviations.push_back(std::sqrt(all.scatter[entry + i]));
            for (std::size_t j = 0; j <= i; ++j, ++entry) {
                const double scale = deviations[i] * deviations[j];
                const double value = scale > 0.0 ? all.scatter[entry] / scale : 0.0;
                correlations_[i * size_ + j] = correlations_[j * size_ + i] = value;
            }
        }
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
        const double width = static_cast<double>(size_) / std::max(1, variables());
        const double set = static_cast<double>(conditioning) * width;
        return 32.0 + width * (set + width) * (set + width);
    }

    std::unique_ptr<ConditionedTests> tests() const override;

    int first(int variable) const { return starts_[static_cast<std::size_t>(variable)]; }
    int end(int variable) const { return starts_[static_cast<std::size_t>(variable) + 1]; }

    double correlation(int left, int right) const {
        return correlations_[static_cast<std::size_t>(left) * size_ +
                             static_cast<std::size_t>(right)];
    }

    // What -ln Lambda is multiplied by, for a set and two blocks of so many columns.
    double factor(double set, double both) const { return rows_ - 1.0 - set - 0.5 * (both + 1.0); }

  private:
    std::size_t size_;
    std::vector<int> starts_;
    double rows_ = 0.0;
    double smallest_ = 1.0;
    std::vector<double> correlations_;
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
            double left = test_.correlation(column, column);
            const double* row = factor.rows.data();
            std::vector<double> own;
            own.reserve(count + 1);
            for (std::size_t i = 0; i < count; ++i) {
                double value = test_.correlation(column, factor.kept[i]);
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
