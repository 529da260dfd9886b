// Models of all parent sets, for tests that need any.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "generated.hpp"

namespace arcwise::tests {

// Every set of up to so many others is a family of each node, with a random weight.
inline FamilyTable all_families(int nodes, int most_parents, Random& random, double spread) {
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> others;
        for (int other = 0; other < nodes; ++other) {
            if (other != node) others.push_back(other);
        }
        table.emplace_back(std::move(others), std::vector<int>{}, most_parents);
        table.back().values().resize(table.back().count());
        set_weights(table.back(), random, spread);
    }
    return table;
}

inline std::shared_ptr<const ScoreSums> tabulated(const FamilyTable& table) {
    return std::make_shared<const ScoreSums>(table,
                                             std::vector<SumMethod>(table.size(), SumMethod::table),
                                             1e-12, Tabulated::sums, RunOptions{});
}

}  // namespace arcwise::tests
