// DAGs over a few nodes, summed up and drawn layer by layer.
//
// sums(v, A) is the summed weight with which node v depends on nothing but members of A. A DAG is
// built layer by layer: first the nodes that depend on none, then those that depend on the first
// ones alone, and so on. With the nodes U placed, the last layer L of them, node v depends on
// members of U alone and on one of L at least with
//   r_v(U, L) = sums(v, U) - sums(v, U - L),
// and all ways to continue, the next layer being M, weigh
//   H(U, L) = sum over M outside U, not empty, of prod_{v in M} r_v(U, L) * H(U + M, M),
// H(all, L) = 1. In the code U is `placed`, L is `layer` and M is `next`. A difference too small to
// have digits is zero: DAGs with one are left out, as are moves from them, so that draws stay
// reversible; for each of them there is another one, the same but for v, which depends on U - L
// alone, that is by as much more probable.
//
// As with layerings (layering_recursion.hpp), all numbers are shares: of sums(v, U), and of the
// best order of the nodes outside U, whose weight is e^Phi(U) with
//   Phi(U) = max over v outside U of ln sums(v, U) + Phi(U + v), Phi(all) = 0.
// So none is large however far apart the weights are, and as all DAGs together weigh no less than
// those of the best order, what underflows is nothing beside them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/numerics/subset_folds.hpp"
#include "arcwise/spaces/dags/neighbourhoods.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

class WindowRecursion {
  public:
    static constexpr std::size_t most_nodes = Neighbourhoods::most_nodes;

    // Where a node is: the nodes U placed before its own layer, and the last layer L of those,
    // both empty for the first layer.
    struct Place {
        std::uint32_t placed = 0;
        std::uint32_t layer = 0;
    };

    // The logarithms of sums(v, A) at v * 2^nodes + A, with v not in A, relative to anything by
    // node; and by node the share of a sum below which a difference counts as zero. Some DAG must
    // be possible.
    void sum(std::span<const double> smallest_shares, std::span<const double> log_sums);

    // Whether a DAG is among those that are summed up, by what each node depends on.
    bool has(std::span<const std::uint32_t> dependences) const;

    // The layers of a DAG drawn in proportion to its weight.
    std::array<Place, most_nodes> draw(Random& random);

  private:
    using Set = std::uint32_t;

    // Where a node's shares for the subsets of a set of others begin in misses_ and meets_.
    std::size_t place(std::size_t node, std::size_t set) const {
        return node * others_->size() + others_->block(squeeze_bit(set, static_cast<int>(node)));
    }
    // r_v(U, L) / sums(v, U), the share that meets L; one for the first layer, where both are
    // empty.
    double meeting(std::size_t node, Set placed, Set layer) const {
        return layer == 0 ? 1.0 : meets_[place(node, placed) + SubsetPairs::compact(placed, layer)];
    }
    void fill_meets(std::size_t node, double smallest_share, const double* log_sums);
    void fill_shares(std::span<const double> log_sums);
    void fill_ways();

    std::size_t nodes_ = 0;
    Set all_ = 0;
    const SubsetPairs* pairs_ = nullptr;   // of the nodes
    const SubsetPairs* others_ = nullptr;  // of all but one
    // For node v and a set D without it: the share of sums(v, D) that misses T and that meets it,
    // for all subsets T of D by their bits among D alone.
    std::vector<double> misses_, meets_;
    std::vector<double> best_;  // Phi
    // By (U + M, M): e^(sum over v in M of ln sums(v, U) + Phi(U + M) - Phi(U)), then times
    // H(U + M, M) e^-Phi(U + M).
    std::vector<double> ways_;
    std::vector<double> logs_, values_, out_, scratch_;
    std::vector<double> shares_;  // of the layers that may come next
    std::vector<Set> layers_;
    std::vector<std::size_t> bits_;
};

}  // namespace arcwise
