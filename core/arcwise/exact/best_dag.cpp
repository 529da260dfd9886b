// Walks back through the table of best DAGs on subsets.
#include "arcwise/exact/best_dag.hpp"

#include <cmath>
#include <limits>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/exact/subset_recursion.hpp"

namespace arcwise {

BestDags best_dags(const FamilyTable& weights, const RunOptions& options) {
    const BlockSums sums(weights, options.unwatched());
    BestDags found{{}, forward_recursion(sums, Semiring::maximum, options)};
    const std::vector<double>& best = found.log_weights;
    if (std::isinf(best.back())) refuse_impossible();
    BestDag& result = found.on_all;
    result.parents.resize(weights.size());
    auto left = static_cast<std::uint32_t>(best.size() - 1);
    while (left != 0) {
        int last = -1;
        NodeBlockSums::Best chosen{0.0, -1};
        double largest = -std::numeric_limits<double>::infinity();
        for (int v = 0; v < sums.nodes(); ++v) {
            const std::uint32_t bit = std::uint32_t{1} << v;
            if ((left & bit) == 0) continue;
            const NodeBlockSums::Best candidate = sums[v].best_family(left ^ bit);
            if (candidate.family >= 0 && candidate.weight + best[left ^ bit] > largest) {
                largest = candidate.weight + best[left ^ bit];
                last = v;
                chosen = candidate;
            }
        }
        const auto v = static_cast<std::size_t>(last);
        const NodeFamilies& families = weights[v];
        result.log_weight += families.values()[static_cast<std::size_t>(chosen.family)];
        for (const int parent : families.parents_of(static_cast<std::uint64_t>(chosen.family))) {
            result.parents[v] |= std::uint32_t{1} << parent;
        }
        left ^= std::uint32_t{1} << last;
    }
    return found;
}

}  // namespace arcwise
