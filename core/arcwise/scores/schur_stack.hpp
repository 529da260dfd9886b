// Log-determinants of the principal blocks of a symmetric matrix, built up one row at a time.
//
// After eliminating a set X the matrix left over is the Schur complement: the diagonal entry of i
// is |X + i| / |X|. So a leaf costs one logarithm, and a step down costs one rank-one update of the
// part that can still be reached, which for all subsets of K variables is O(1) a set on average.
//
// The matrix may be A + b b', given as A and the border b. Adding them up would lose the digits of
// A where b is large, so b is eliminated beside A: |A + b b'| = |A| (1 + b' A^-1 b), and the corner
// 1 + b' A^-1 b only ever grows.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace arcwise {

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

}  // namespace arcwise
