// The total weight of all DAGs by populations: right on average over all that can be drawn.
#include "arcwise/chains/dags_by_node.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include "all_branches.hpp"
#include "check.hpp"
#include "generated.hpp"

namespace arcwise::tests {
namespace {

constexpr int nodes = 3;

// All parent sets of three nodes; those of the last must hold the first, if so asked.
FamilyTable families(bool required) {
    Random random(5, required ? 1 : 0);
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> others, always;
        for (int other = 0; other < nodes; ++other) {
            if (other == node) continue;
            (required && node == nodes - 1 && other == 0 ? always : others).push_back(other);
        }
        table.emplace_back(std::move(others), std::move(always), 2);
        table.back().values().resize(table.back().count());
        set_weights(table.back(), random, 3.0);
    }
    return table;
}

ScoreSums sums_of(const FamilyTable& table) {
    return ScoreSums(table, std::vector<SumMethod>(table.size(), SumMethod::table), 1e-12,
                     Tabulated::sums, RunOptions{});
}

// Over all choices of families of which one node after the other can be taken away.
double total_of(const ScoreSums& sums) {
    double total = 0.0;
    std::vector<std::int64_t> chosen(nodes, 0);
    const auto add = [&] {
        double log_weight = 0.0;
        std::vector<std::vector<int>> parents;
        for (int node = 0; node < nodes; ++node) {
            const std::int64_t place = chosen[static_cast<std::size_t>(node)];
            log_weight += sums[node].weight(place);
            parents.push_back(sums.family(node, place));
        }
        std::vector<bool> gone(nodes, false);
        for (int round = 0; round < nodes; ++round) {
            for (std::size_t node = 0; node < parents.size(); ++node) {
                bool free = true;
                for (const int parent : parents[node]) {
                    free = free && gone[static_cast<std::size_t>(parent)];
                }
                if (free) gone[node] = true;
            }
        }
        if (gone == std::vector<bool>(nodes, true)) total += std::exp(log_weight);
    };
    for (chosen[0] = 0; chosen[0] < static_cast<std::int64_t>(sums[0].count()); ++chosen[0]) {
        for (chosen[1] = 0; chosen[1] < static_cast<std::int64_t>(sums[1].count()); ++chosen[1]) {
            for (chosen[2] = 0; chosen[2] < static_cast<std::int64_t>(sums[2].count());
                 ++chosen[2]) {
                add();
            }
        }
    }
    return total;
}

double mean_estimate(const ScoreSums& sums, const DagsByNodeOptions& options) {
    double mean = 0.0;
    AllBranches branches;
    branches.for_each([&] {
        Random random(branches);
        const double total = log_total_by_node(sums, options, random, nullptr);
        mean += branches.probability() * std::exp(total);
    });
    return mean;
}

}  // namespace

TEST(estimates_by_node_are_right_on_average) {
    for (const bool required : {false, true}) {
        const FamilyTable table = families(required);
        const ScoreSums sums = sums_of(table);
        const double total = total_of(sums);
        CHECK_CLOSE(mean_estimate(sums, {1, 0}), total, 1e-12 * total);
        CHECK_CLOSE(mean_estimate(sums, {1, 1}), total, 1e-12 * total);
        CHECK_CLOSE(mean_estimate(sums, {2, 0}), total, 1e-12 * total);
    }
}

TEST(populations_by_node_are_streams_of_a_seed_whatever_the_threads) {
    const FamilyTable table = families(false);
    const ScoreSums sums = sums_of(table);
    const DagsByNodeOptions options{50, 2};
    const std::vector<double> alone =
        log_totals_by_node(sums, options, 40, 9, {Processors{1}, nullptr});
    CHECK(alone == log_totals_by_node(sums, options, 40, 9, {Processors{3}, nullptr}));
    double mean = 0.0;
    for (const double log_total : alone) mean += std::exp(log_total) / 40.0;
    // 2,000 DAGs whose weights vary by less than a half: four standard errors are 0.045.
    CHECK(std::abs(mean / total_of(sums) - 1.0) < 0.045);
}

}  // namespace arcwise::tests
