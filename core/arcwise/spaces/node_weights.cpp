// Where each possible parent has its bit.
#include "arcwise/spaces/node_weights.hpp"

#include <algorithm>

namespace arcwise {

NodeWeights::NodeWeights(std::shared_ptr<const ScoreSums> sums, Semiring semiring)
    : sums_(std::move(sums)), semiring_(semiring), nodes_(sums_->nodes()), words_(sums_->words()) {
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
        const NodeSums& of_node = (*sums_)[node];
        Table table;
        const bool summed = semiring == Semiring::sum;
        const Stored<double>& values = summed ? of_node.table() : of_node.maxima_table();
        if (!values.empty() && of_node.words() == 1) {
            table = {values.data(), values.size() - 1, of_node.required_bits()[0],
                     summed ? of_node.heaviest() : 0.0};
        }
        tables_.push_back(table);
        const bool requires_parents =
            std::any_of(of_node.required_bits(), of_node.required_bits() + of_node.words(),
                        [](std::uint64_t word) { return word != 0; });
        rows_.push_back(summed && !requires_parents ? of_node.rows() : nullptr);
        any_rows_ = any_rows_ || rows_.back() != nullptr;
        stand_ins_.push_back(looked_for(node, all.data()));
    }
}

}  // namespace arcwise
