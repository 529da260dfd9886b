// The tables of the modular dynamic program: what all sets of nodes weigh, and what that says.
//
//   H(empty) = 1,  H(S) = - sum over nonempty T within S  of  H(S - T) prod_T (-alpha_j(S - T))
//   B(V)     = 1,  B(U) = - sum over nonempty T outside U of  prod_T (-alpha_j(U)) B(U + T)
//
// H(S) sums the weights of all DAGs on S; B(U) those of all ways to give the nodes outside U
// parents so that U is closed under parents. H(V) = B(empty) = Z is the weight of all DAGs.
//
// What is asked for are sums of the terms
//   t(U, T) = - H(U) prod_T (-alpha_j(U)) B(U + T) / Z:
//   share_v(U) = sum over T with v of t(U, T), of which the probabilities of families are made;
//   the same over T with both u and v, for paths (below);
//   and sums of |t(U, T)|, which say how much rounding costs.
//
// Paths. The ancestors of v, v included, are a set A closed under parents in which v is the only
// sink. By inclusion and exclusion over the sinks T of A the DAGs on A of that kind weigh
//   S_v(A) = - sum over T within A, v in T, of H(A - T) prod_T (-alpha_j(A - T)),
// and P(ancestors of v = A) = S_v(A) B(A) / Z. P(u is an ancestor of v) sums it over A with u and
// v. Put U = A - T: the sum is over the terms with v in T and u in U + T, those with u in U being
// sums of shares.
//
// Scales. H(S) is kept as a mantissa times 2^scale(S) and B(S) as one times 2^(scale(V) -
// scale(S)), where 2^scale(S) is about the weight of the best DAG on S. So a mantissa of H is about
// 1 or above, at most the number of DAGs (2^369 for 25 nodes), and one of H(S) times one of B(S) is
// at most Z: plain numbers, whatever the range of the weights. What is below 2^-500 then cannot
// show: H(U) prod_T alpha_j(U) is at most H(U + T), so that t(U, T) is at most 2^-131.
//
// Rounding. Signs alternate, so digits are lost. A rounding error made at U reaches Z multiplied by
// H(U), so the sum of |t(U, T)| over T bounds what is lost at U. Errors at different sets have
// different signs: the root of the sum of squares is the `error`. (Their plain sum is 10^4 times
// too large for independent variables, where 3^n terms of size 1 add up to 1.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// Sets of nodes taken apart into low, middle and top ones, for loops over pairs of sets.
//
// The pairs (U, T) of disjoint sets are gone through block by block: a block has one U among the
// middle and top nodes and one T among the top nodes, every T among the middle nodes side by side
// in memory, and one row for each set of low nodes. So the inner loops run over arrays, rows are
// used many times once they are there, and blocks are what tasks are made of.

struct SetParts {
    explicit SetParts(int nodes)
        : low(std::min(6, (nodes + 2) / 3)),
          middle(std::min(9, nodes - low - (nodes - low) / 3)),
          top(nodes - low - middle) {}

    std::uint32_t low_sets() const { return std::uint32_t{1} << low; }
    std::uint32_t middle_sets() const { return std::uint32_t{1} << middle; }
    std::uint32_t top_sets() const { return std::uint32_t{1} << top; }

    // Number of nodes in each part.
    int low;
    int middle;
    int top;
};

template <class Real>
class ModularBlock;

// Binary exponents of the best DAGs on all sets, from their log weights.
std::vector<std::int32_t> scales_of(const std::vector<double>& log_weights);

// The scale of a set without a DAG of positive weight: so large that whatever is scaled to it
// vanishes.
inline constexpr std::int32_t impossible_scale = 1 << 28;

template <class Real>
class ModularTables {
  public:
    // Both must outlive it.
    ModularTables(const ScaledSums& sums, const std::vector<std::int32_t>& scales);

    // Bytes the tables for `nodes` variables take, and the terms there are.
    static std::uint64_t bytes(int nodes, int threads);
    static std::uint64_t terms(int nodes);

    void fill(const RunOptions& options);

    int nodes() const { return sums_.nodes(); }
    std::uint32_t everything() const { return everything_; }
    const ScaledSums& sums() const { return sums_; }

    // By set: scales, and mantissas of B.
    const std::vector<std::int32_t>& scales() const { return scales_; }
    const std::vector<Real>& weights_beyond() const { return weight_beyond_; }

    // ln Z, relative to the offsets of the nodes.
    double log_total() const;

    // Estimate of the relative error of Z, and of the absolute one of probabilities.
    double error() const { return error_; }

    // share_v(U) by the place of U without v. They can be taken away, to become probabilities of
    // families one node after the other, and filled again.
    bool has_shares() const {
        return std::none_of(shares_.begin(), shares_.end(),
                            [](const std::vector<double>& shares) { return shares.empty(); });
    }
    std::vector<double> take_shares(int v) {
        return std::move(shares_[static_cast<std::size_t>(v)]);
    }
    void fill_terms(const RunOptions& options);

    // [u * n + v], the probability that a path leads from u to v, but for rounding: the diagonal
    // has the sum of share_v(U) over all U, which is 1.
    const std::vector<double>& paths() const { return paths_; }

  private:
    class Terms;
    class Pushing;

    void fill_weight_beyond(const RunOptions& options);
    void pull(ModularBlock<Real>& block, std::vector<Real>& sums);
    void fill_weight_on(const RunOptions& options);
    std::uint32_t sets_of_class() const { return parts_.middle_sets() << parts_.low; }
    Real* class_of(std::uint32_t top) {
        return weight_on_.data() + std::size_t{top} * sets_of_class();
    }
    void fill_paths(const std::vector<double>& pairs);
    double relative_error(double squares) const;

    // Whether U is closed with so small a probability that no term of it would show.
    bool is_negligible(std::uint32_t set, Real weight_on) const {
        return !(weight_on * weight_beyond_[set] > static_cast<Real>(0x1p-140) * weight_beyond_[0]);
    }

    const ScaledSums& sums_;
    const std::vector<std::int32_t>& scales_;
    SetParts parts_;
    std::uint32_t everything_;
    std::vector<Real> weight_on_;
    std::vector<Real> weight_beyond_;
    std::vector<std::vector<double>> shares_;
    std::vector<double> paths_;
    double error_ = 0.0;
};

extern template class ModularTables<double>;
extern template class ModularTables<long double>;

}  // namespace arcwise
