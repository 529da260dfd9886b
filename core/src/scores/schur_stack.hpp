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
    // is b, or empty.
    SchurStack(std::vector<double> lower, int size, std::vector<double> border = {})
        : bordered_(!border.empty()), levels_(static_cast<std::size_t>(size) + 1) {
        levels_[0].lower = std::move(lower);
        levels_[0].border = std::move(border);
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
    double pivot(int position) const { return row(levels_[depth_], position)[position]; }

    // Eliminates a position below all eliminated ones. With `diagonal_only`, the entries off the
    // diagonal are not updated; nothing may be pushed on top.
    void push(int position, bool diagonal_only) {
        const Level& from = levels_[depth_];
        Level& to = levels_[++depth_];
        const double* eliminated = row(from, position);
        const double pivot_value = eliminated[position];
        to.log_determinant = from.log_determinant + std::log(pivot_value);
        to.lower.resize(start(position));
        const double inverse = 1.0 / pivot_value;
        for (int i = 0; i < position; ++i) {
            const double factor = eliminated[i] * inverse;
            const double* source = row(from, i);
            double* target = to.lower.data() + start(i);
            for (int j = diagonal_only ? i : 0; j <= i; ++j) {
                target[j] = source[j] - factor * eliminated[j];
            }
        }
        if (!bordered_) return;
        const auto count = static_cast<std::size_t>(position);
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
        std::vector<double> lower;
        std::vector<double> border;
        double log_determinant = 0.0;  // without the border
        double corner = 1.0;
    };

    static std::size_t start(int position) {
        return static_cast<std::size_t>(position) * (static_cast<std::size_t>(position) + 1) / 2;
    }
    static const double* row(const Level& level, int position) {
        return level.lower.data() + start(position);
    }

    bool bordered_;
    std::vector<Level> levels_;
    std::size_t depth_ = 0;
};

}  // namespace arcwise
