// Builds every node's sums as one task.
#include "arcwise/sums/score_sums.hpp"

#include <optional>

namespace arcwise {

std::vector<NodeSums> make_score_sums(const FamilyTable& table,
                                      const std::vector<SumMethod>& methods, double tolerance,
                                      bool with_max, const RunOptions& options) {
    std::vector<std::optional<NodeSums>> built(table.size());
    run_tasks(table.size(), table.size(), options, [&](std::size_t node, TaskContext& context) {
        built[node].emplace(table[node], static_cast<int>(node), methods[node], tolerance,
                            with_max);
        context.advance(1);
    });
    std::vector<NodeSums> result;
    result.reserve(table.size());
    for (std::optional<NodeSums>& sums : built) result.push_back(std::move(*sums));
    return result;
}

}  // namespace arcwise
