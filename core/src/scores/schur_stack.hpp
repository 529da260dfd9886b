// Log-determinants of the principal blocks of a symmetric matrix, built up one row at a time.
//
// After eliminating a set X the matrix left over is the Schur complement: the diagonal entry of i
// is |X + i| / |X|. So a leaf costs one logarithm, and a step down costs one rank-one update of the
// part that can still be reached, which for all subsets of K variables is O(1) a set on average.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace arcwise {

class SchurStack {
  public:
    // `lower` is the packed lower triangle of a positive definite matrix, row after row.
    SchurStack(std::vector<double> lower, int size) : levels_(static_cast<std::size_t>(size) + 1) {
        levels_[0].lower = std::move(lower);
    }

    double log_determinant() const { return levels_[depth_].log_determinant; }

    // |X + position| / |X| for the current set X.
    double pivot(int position) const { return row(levels_[depth_], position)[position]; }

    // Eliminates a position below all eliminated ones. With `diagonal_only`, the entries off the
    // diagonal are not updated; only pivots may be asked for until the next pop.
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
    }

    void pop() { --depth_; }

  private:
    struct Level {
        std::vector<double> lower;
        double log_determinant = 0.0;
    };

    static std::size_t start(int position) {
        return static_cast<std::size_t>(position) * (static_cast<std::size_t>(position) + 1) / 2;
    }
    static const double* row(const Level& level, int position) {
        return level.lower.data() + start(position);
    }

    std::vector<Level> levels_;
    std::size_t depth_ = 0;
};

}  // namespace arcwise
