// Where each possible parent has its bit.
#include "arcwise/spaces/node_weights.hpp"

namespace arcwise {

NodeWeights::NodeWeights(std::shared_ptr<const ScoreSums> sums, Semiring semiring)
    : sums_(std::move(sums)), nodes_(sums_->nodes()), words_(sums_->words()) {
    flips_.resize(static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(nodes_));
    for (int node = 0; node < nodes_; ++node) {
        std::vector<std::uint64_t> all(words_, 0);
        for (int parent = 0; parent < nodes_; ++parent) {
            const int place = sums_->place(node, parent);
            if (place < 0) continue;
            const auto at = static_cast<std::size_t>(place);
            flips_[index(node, parent)] = {std::uint64_t{1} << (at % 64), at / 64};
            flip(all.data(), node, parent);
        }
        incremental_.emplace_back((*sums_)[node], semiring);
        any_rows_ = any_rows_ || incremental_.back().by_rows();
        stand_ins_.push_back(incremental_.back().log_weight(all.data()));
    }
}

}  // namespace arcwise
