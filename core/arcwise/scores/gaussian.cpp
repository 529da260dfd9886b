// Turns BGe and BIC into matrices and per-size coefficients, and walks over their determinants.
#include "arcwise/scores/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <numeric>
#include <optional>

#include "arcwise/numerics/special.hpp"
#include "arcwise/scores/moments.hpp"
#include "arcwise/scores/schur_stack.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// M(X) for |X| = l: constant + prior_power ln |T_X| - data_power ln |R_X|.
struct SizeCoefficients {
    double constant = 0.0;
    double prior_power = 0.0;
    double data_power = 0.0;
};

// A pivot this small a share of its variable's own entry is rounding, not variance. Where a prior
// adds to the variance a small share can be meant, as long as some of its digits are right.
constexpr double singular_share = 1e-11;
constexpr double singular_share_with_prior = 1e-12;

class DeterminantSets final : public PreparedSets {
  public:
    std::unique_ptr<SubsetWalker> walker() const override;

    int size = 0;
    std::vector<SizeCoefficients> coefficients;  // by |X|
    std::vector<double> data_matrix;             // R less border border', packed lower triangle
    std::vector<double> border;                  // or empty
    std::vector<double> prior_matrix;            // T likewise; empty if T is diagonal
    std::vector<double> prior_log_diagonal;      // ln T_ii if T is diagonal
    bool has_prior = false;
    std::vector<double> least_pivots;  // anything below is rounding
    std::vector<std::string> names;
};

class DeterminantWalker final : public SubsetWalker {
  public:
    explicit DeterminantWalker(const DeterminantSets& sets)
        : sets_(sets),
          data_(sets.data_matrix, sets.size, sets.border),
          prior_log_determinants_(static_cast<std::size_t>(sets.size) + 1, 0.0) {
        if (!sets.prior_matrix.empty()) prior_.emplace(sets.prior_matrix, sets.size);
    }

    double value() const override {
        return combine(members_, data_.log_determinant(), prior_log_determinants_[members_]);
    }

    void push(int position, bool only_leaves_follow) override {
        check(position);
        const double prior_step = prior_log_pivot(position);
        data_.push(position, only_leaves_follow);
        if (prior_) prior_->push(position, only_leaves_follow);
        prior_log_determinants_[members_ + 1] = prior_log_determinants_[members_] + prior_step;
        ++members_;
    }

    void pop() override {
        data_.pop();
        if (prior_) prior_->pop();
        --members_;
    }

    void leaves(int limit, double* out) override {
        const double prior = prior_log_determinants_[members_];
        for (int position = 0; position < limit; ++position) {
            check(position);
            out[position] = combine(members_ + 1, data_.log_determinant_with(position),
                                    prior + prior_log_pivot(position));
        }
    }

  private:
    double combine(std::size_t members, double data, double prior) const {
        const SizeCoefficients& c = sets_.coefficients[members];
        return c.constant + c.prior_power * prior - c.data_power * data;
    }

    double prior_log_pivot(int position) const {
        return prior_ ? std::log(prior_->pivot(position))
                      : sets_.prior_log_diagonal[static_cast<std::size_t>(position)];
    }

    void check(int position) const {
        const auto place = static_cast<std::size_t>(position);
        if (data_.pivot(position) > sets_.least_pivots[place]) return;
        throw Error(ErrorKind::numerical,
                    "Column '" + sets_.names[place] +
                        (sets_.has_prior
                             ? "' is so close to a linear combination of other columns, on a scale "
                               "so far above that of the prior, that its score would have no "
                               "correct digits; remove it, or divide the columns by their "
                               "standard deviations."
                             : "' is a linear combination of other columns on the rows that count, "
                               "so its likelihood is unbounded; remove it, lower max_indegree "
                               "below the number of rows, or use the BGe score."));
    }

    const DeterminantSets& sets_;
    SchurStack data_;
    std::optional<SchurStack> prior_;
    std::vector<double> prior_log_determinants_;  // by number of members
    std::size_t members_ = 0;
};

std::unique_ptr<SubsetWalker> DeterminantSets::walker() const {
    return std::make_unique<DeterminantWalker>(*this);
}

class GaussianScore : public SetFunction {
  public:
    explicit GaussianScore(ContinuousTable table) : table_(std::move(table)) {}

    std::size_t size() const override { return table_.names.size(); }
    bool intervened(int node) const override { return table_.interventions.any(node); }

    std::unique_ptr<PreparedSets> prepare(std::span<const int> variables, int node) const override {
        auto sets = std::make_unique<DeterminantSets>();
        sets->size = static_cast<int>(variables.size());
        for (const int variable : variables) {
            sets->names.push_back(table_.names[static_cast<std::size_t>(variable)]);
        }
        fill(*sets, moments_of(variables, node), variables);
        const double least = sets->has_prior ? singular_share_with_prior : singular_share;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            sets->least_pivots.push_back(least * sets->data_matrix[i * (i + 1) / 2 + i]);
        }
        return sets;
    }

  protected:
    // What means are measured from: a number for each variable of the table, or nothing for zero.
    virtual std::span<const double> centre() const { return {}; }

    virtual void fill(DeterminantSets& sets, Moments data,
                      std::span<const int> variables) const = 0;

  private:
    // Walks of all n nodes over k variables each would take n k^2 sums over rows, where all n^2
    // that there are will do.
    Moments moments_of(std::span<const int> variables, int node) const {
        const std::size_t all = table_.names.size();
        if (node >= 0 || variables.size() * variables.size() < all) {
            return moments(table_, variables, node, centre());
        }
        std::call_once(whole_is_made_, [&] {
            std::vector<int> every(all);
            std::iota(every.begin(), every.end(), 0);
            whole_ = moments(table_, every, -1, centre());
        });
        Moments result;
        result.total = whole_.total;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            const auto u = static_cast<std::size_t>(variables[i]);
            result.offset.push_back(whole_.offset[u]);
            for (std::size_t j = 0; j <= i; ++j) {
                const auto v = static_cast<std::size_t>(variables[j]);
                const auto [low, high] = std::minmax(u, v);
                result.scatter.push_back(whole_.scatter[high * (high + 1) / 2 + low]);
            }
        }
        return result;
    }

    ContinuousTable table_;
    mutable std::once_flag whole_is_made_;
    mutable Moments whole_;
};

class Bge final : public GaussianScore {
  public:
    Bge(ContinuousTable table, BgeSettings settings)
        : GaussianScore(std::move(table)), settings_(std::move(settings)) {}

  protected:
    std::span<const double> centre() const override { return settings_.prior_mean; }

    void fill(DeterminantSets& sets, Moments data, std::span<const int> variables) const override {
        const auto n = settings_.prior_mean.size();
        const double alpha_mu = settings_.alpha_mu;
        const double root_shrink = std::sqrt(data.total * alpha_mu / (data.total + alpha_mu));
        for (const double offset : data.offset) sets.border.push_back(root_shrink * offset);
        sets.has_prior = true;
        bool diagonal = true;
        std::size_t entry = 0;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            const auto u = static_cast<std::size_t>(variables[i]);
            for (std::size_t j = 0; j <= i; ++j, ++entry) {
                const auto v = static_cast<std::size_t>(variables[j]);
                const double prior = settings_.prior_scale[u * n + v];
                if (i != j && prior != 0.0) diagonal = false;
                if (i == j) sets.prior_log_diagonal.push_back(std::log(prior));
                sets.prior_matrix.push_back(prior);
                sets.data_matrix.push_back(prior + data.scatter[entry]);
            }
        }
        if (diagonal) sets.prior_matrix.clear();
        // ln Γ_l(c + l/2) is a sum over ln Γ(c + i/2), i = 1 .. l, which grows by one term with l.
        double log_gammas = 0.0;
        for (std::size_t size = 0; size <= variables.size(); ++size) {
            const auto l = static_cast<double>(size);
            const double prior_power = 0.5 * (settings_.alpha_w - static_cast<double>(n) + l);
            const double data_power = prior_power + 0.5 * data.total;
            if (size > 0) log_gammas += log_gamma(data_power) - log_gamma(prior_power);
            sets.coefficients.push_back({0.5 * l * std::log(alpha_mu / (data.total + alpha_mu)) -
                                             0.5 * l * data.total * std::log(std::numbers::pi) +
                                             log_gammas,
                                         prior_power, data_power});
        }
    }

  private:
    BgeSettings settings_;
};

class GaussianBic final : public GaussianScore {
  public:
    using GaussianScore::GaussianScore;

  protected:
    void fill(DeterminantSets& sets, Moments data, std::span<const int> variables) const override {
        const double total = data.total;
        if (!(total > 0.0)) {
            // Set in every row: no row counts, and every family scores the same, zero.
            sets.data_matrix.assign(data.scatter.size(), 0.0);
            for (std::size_t i = 0; i < variables.size(); ++i) {
                sets.data_matrix[i * (i + 1) / 2 + i] = 1.0;
            }
            sets.prior_log_diagonal.assign(variables.size(), 0.0);
            sets.coefficients.assign(variables.size() + 1, {});
            return;
        }
        sets.data_matrix = std::move(data.scatter);
        for (double& entry : sets.data_matrix) entry /= total;
        sets.prior_log_diagonal.assign(variables.size(), 0.0);
        for (std::size_t size = 0; size <= variables.size(); ++size) {
            const auto l = static_cast<double>(size);
            sets.coefficients.push_back(
                {-0.5 * total * l * (1.0 + std::log(2.0 * std::numbers::pi)) -
                     0.25 * l * (l + 3.0) * std::log(total),
                 0.0, 0.5 * total});
        }
    }
};

}  // namespace

std::unique_ptr<SetFunction> make_bge_score(ContinuousTable table, BgeSettings settings) {
    return std::make_unique<Bge>(std::move(table), std::move(settings));
}

std::unique_ptr<SetFunction> make_gaussian_bic_score(ContinuousTable table) {
    return std::make_unique<GaussianBic>(std::move(table));
}

}  // namespace arcwise
