// Partial correlations by a Cholesky factor of the set's correlations, shared by all tests given
// it.
#include <cmath>
#include <numeric>
#include <vector>

#include "arcwise/candidates/pc_skeleton.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/scores/gaussian.hpp"

namespace arcwise {
namespace {

// A share of variance this small is rounding.
constexpr double nothing_left = 1e-10;

class FisherZ final : public IndependenceTest {
  public:
    explicit FisherZ(const ContinuousTable& table) : size_(table.names.size()) {
        std::vector<int> every(size_);
        std::iota(every.begin(), every.end(), 0);
        const Moments all = moments(table, every, -1, {});
        rows_ = all.total;
        correlations_.assign(size_ * size_, 0.0);
        std::size_t entry = 0;
        std::vector<double> deviations;
        for (std::size_t i = 0; i < size_; ++i) {
            deviations.push_back(std::sqrt(all.scatter[entry + i]));
            for (std::size_t j = 0; j <= i; ++j, ++entry) {
                const double scale = deviations[i] * deviations[j];
                const double value = scale > 0.0 ? all.scatter[entry] / scale : 0.0;
                correlations_[i * size_ + j] = correlations_[j * size_ + i] = i == j ? 1.0 : value;
            }
        }
    }

    int variables() const override { return static_cast<int>(size_); }

    bool possible(std::size_t conditioning) const override { return freedom(conditioning) > 0.0; }

    // The tail of the distribution takes most, then the projection onto the set.
    double work(std::size_t conditioning) const override {
        return 32.0 + static_cast<double>(conditioning * conditioning);
    }

    std::unique_ptr<ConditionedTests> tests() const override;

    double correlation(int left, int right) const {
        return correlations_[static_cast<std::size_t>(left) * size_ +
                             static_cast<std::size_t>(right)];
    }

    double freedom(std::size_t conditioning) const {
        return rows_ - static_cast<double>(conditioning) - 3.0;
    }

  private:
    std::size_t size_;
    double rows_ = 0.0;
    std::vector<double> correlations_;
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
        double covariance = test_.correlation(variable_, other);
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
            double value = test_.correlation(variable, set_[i]);
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

}  // namespace arcwise
