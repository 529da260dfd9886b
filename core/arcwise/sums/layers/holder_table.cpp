// One transform over subsets for each candidate.
#include "arcwise/sums/layers/holder_table.hpp"

#include "arcwise/numerics/extended.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"

namespace arcwise {

HolderTable::HolderTable(const NodeSums& sums) : half_(sums.sums_.size() / 2) {
    const Stored<double>& all = sums.sums_;
    const std::size_t candidates = sums.candidates();
    entries_.resize(size(candidates));
    std::vector<double> holding(half_);
    for (std::size_t t = 0; t < candidates; ++t) {
        const std::size_t bit = std::size_t{1} << t;
        const auto without = [&](std::size_t set) {
            return (set & (bit - 1)) | ((set >> 1) & ~(bit - 1));
        };
        std::fill(holding.begin(), holding.end(), minus_infinity);
        for (std::size_t place = 0; place < sums.sorted_->count(); ++place) {
            const std::size_t family = *sums.sorted_->parents(place) & (all.size() - 1);
            if ((family & bit) != 0) {
                holding[without(family)] = sums.sorted_->weight(place) - sums.heaviest_;
            }
        }
        log_sum_over_subsets(holding.data(), static_cast<int>(candidates) - 1);
        for (std::size_t set = 0; set < all.size(); ++set) {
            if ((set & bit) == 0) continue;
            double& entry = entries_[t * half_ + without(set)];
            const double log_holds = holding[without(set)] - all[set];
            if (all[set] == minus_infinity || holding[without(set)] == minus_infinity) {
                entry = 0.0;
            } else if (log_holds < -0.7) {
                entry = share_of_log<double>(log_holds);
            } else {
                entry = -share_of_log<double>(all[set ^ bit] - all[set]);
            }
        }
    }
}

}  // namespace arcwise
