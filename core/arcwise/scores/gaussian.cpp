// Turns BGe and BIC into matrices and per-size coefficients, and walks over their determinants.
#include "arcwise/scores/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <numeric>
#include <optional>

#include "arcwise/numerics/special.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

// Log-determinants of the principal blocks of a symmetric matrix, built up one row at a time.
//
// After eliminating a set X the matrix left over is the Schur complement: the diagonal entry of i
// is |X + i| / |X|. So a leaf costs one logarithm, and a step down costs one rank-one update of the
// part that can still be reached, which for all subsets of K variables is O(1) a set on average.
//
// The matrix may be A + b b', given as A and the border b. Adding them up would lose the digits of
// A where b is large, so b is eliminated beside A: |A + b b'| = |A| (1 + b' A^-1 b), and the corner
// 1 + b' A^-1 b only ever grows.

class SchurStack {
  public:
    // `lower` is the packed lower triangle of a positive definite matrix A, row after row; `border`
    // is b, or empty. Both stay the caller's and must outlive the stack: one matrix of thousands of
    // variables serves many stacks.
    SchurStack(std::span<const double> lower, int size, std::span<const double> border = {})
        : bordered_(!border.empty()), levels_(static_cast<std::size_t>(size) + 1) {
        Level& all = levels_[0];
        all.lower = lower.data();
        for (int i = 0; i < size; ++i) all.diagonal.push_back(row(all, i)[i]);
        all.border.assign(border.begin(), border.end());
    }

    // ln |A + b b'| of the current set, and of the set with one position more.
    double log_determinant() const {
        const Level& level = levels_[depth_];
        return bordered_ ? level.log_determinant + std::log(level.corner) : level.log_determinant;
    }
    double log_determinant_with(int position) const {
        const Level& level = levels_[depth_];
        if (!bordered_) return level.log_determinant + std::log(pivot(position));
        const double b = level.border[static_cast<std::size_t>(position)];
        return level.log_determinant + std::log(level.corner * pivot(position) + b * b);
    }

    // |X + position| / |X| for the current set X, without the border.
    double pivot(int position) const {
        return levels_[depth_].diagonal[static_cast<std::size_t>(position)];
    }

    // Eliminates a position below all eliminated ones. With `diagonal_only`, the entries off the
    // diagonal are left out; nothing may be pushed on top.
    void push(int position, bool diagonal_only) {
        const Level& from = levels_[depth_];
        Level& to = levels_[++depth_];
        const auto count = static_cast<std::size_t>(position);
        const double* eliminated = row(from, position);
        const double pivot_value = from.diagonal[count];
        to.log_determinant = from.log_determinant + std::log(pivot_value);
        const double inverse = 1.0 / pivot_value;
        to.diagonal.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            to.diagonal[i] = from.diagonal[i] - eliminated[i] * inverse * eliminated[i];
        }
        if (!diagonal_only) eliminate_below_diagonal(from, to, position, inverse);
        if (!bordered_) return;
        const double share = from.border[count] * inverse;
        to.corner = from.corner + share * from.border[count];
        to.border.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            to.border[i] = from.border[i] - eliminated[i] * share;
        }
    }

    void pop() { --depth_; }

  private:
    struct Level {
        std::vector<double> diagonal;
        const double* lower = nullptr;  // the entries below the diagonal are right
        std::vector<double> own_lower;  // what `lower` points to, except at the bottom level
        std::vector<double> border;
        double log_determinant = 0.0;  // without the border
        double corner = 1.0;
    };

    static void eliminate_below_diagonal(const Level& from, Level& to, int position,
                                         double inverse) {
        const double* eliminated = row(from, position);
        to.own_lower.resize(start(position));
        to.lower = to.own_lower.data();
        for (int i = 0; i < position; ++i) {
            const double factor = eliminated[i] * inverse;
            const double* source = row(from, i);
            double* target = to.own_lower.data() + start(i);
#pragma omp simd
            for (int j = 0; j < i; ++j) target[j] = source[j] - factor * eliminated[j];
        }
    }

    static std::size_t start(int position) {
        return static_cast<std::size_t>(position) * (static_cast<std::size_t>(position) + 1) / 2;
    }
    static const double* row(const Level& level, int position) {
        return level.lower + start(position);
    }

    bool bordered_;
    std::vector<Level> levels_;
    std::size_t depth_ = 0;
};

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

Moments moments(const ContinuousTable& table, std::span<const int> variables, int node,
                std::span<const double> centre) {
    std::vector<std::size_t> rows;
    std::vector<double> root_weights;
    Moments result;
    for (std::size_t row = 0; row < table.rows; ++row) {
        if (node >= 0 && table.interventions.at(row, node)) continue;
        const double weight = table.weights.empty() ? 1.0 : table.weights[row];
        rows.push_back(row);
        root_weights.push_back(std::sqrt(weight));
        result.total += weight;
    }
    std::vector<std::vector<double>> centred;
    for (const int variable : variables) {
        const std::span<const double> column = table.column(variable);
        std::vector<double>& values = centred.emplace_back(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) values[i] = column[rows[i]];
        const auto subtract_mean = [&] {
            double sum = 0.0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                sum += root_weights[i] * root_weights[i] * values[i];
            }
            const double mean = result.total > 0.0 ? sum / result.total : 0.0;
            for (double& value : values) value -= mean;
            return mean;
        };
        const double mean = subtract_mean();
        const double lost_to_rounding = subtract_mean();
        // Values that differ at all differ by 1e-16 of themselves: this is rounding of the mean.
        const double rounding = 1e-20 * std::abs(mean);
        result.offset.push_back(
            mean - (centre.empty() ? 0.0 : centre[static_cast<std::size_t>(variable)]) +
            lost_to_rounding);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            values[i] = std::abs(values[i]) > rounding ? root_weights[i] * values[i] : 0.0;
        }
    }
    for (std::size_t i = 0; i < centred.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            // Four partial sums let the compiler use vector registers without reordering a sum on
            // its own account, and lose less to rounding than one.
            double sums[4] = {0.0, 0.0, 0.0, 0.0};
            const double* left = centred[i].data();
            const double* right = centred[j].data();
            std::size_t k = 0;
            for (; k + 4 <= rows.size(); k += 4) {
                for (std::size_t lane = 0; lane < 4; ++lane) {
                    sums[lane] += left[k + lane] * right[k + lane];
                }
            }
            for (; k < rows.size(); ++k) sums[0] += left[k] * right[k];
            result.scatter.push_back((sums[0] + sums[1]) + (sums[2] + sums[3]));
        }
    }
    return result;
}

}  // namespace arcwise
