// Draws with more digits follow the same law, and what they read from tables is right.
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "all_branches.hpp"
#include "arcwise/exact/modular_sampler.hpp"
#include "arcwise/exact/order_modular.hpp"
#include "arcwise/exact/parent_draws.hpp"
#include "arcwise/exact/subset_recursion.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

using Law = std::map<std::vector<std::uint32_t>, double>;

FamilyTable random_table(int nodes, double spread, int most_parents) {
    Random random(5, static_cast<std::uint64_t>(nodes));
    FamilyTable table;
    for (int v = 0; v < nodes; ++v) {
        std::vector<int> others;
        for (int u = 0; u < nodes; ++u) {
            if (u != v) others.push_back(u);
        }
        table.emplace_back(others, std::vector<int>{}, most_parents);
        set_weights(table.back(), random, spread);
    }
    return table;
}

template <class Real>
Law law_of(const FamilyTable& table) {
    const ScaledSums sums(table, {});
    const std::vector<std::int32_t> scales = scales_of(best_dags(table, {}).log_weights);
    ModularTables<Real> tables(sums, scales);
    tables.fill({});
    const ParentTables parent_tables(table, {});
    Law law;
    std::vector<std::uint32_t> parents(table.size());
    AllBranches branches(1e-14);
    branches.for_each([&] {
        draw_modular_dags(tables, parent_tables, [&](std::size_t) { return Random(branches); }, 1,
                          parents, {});
        law[parents] += branches.probability();
    });
    return law;
}

}  // namespace

TEST(modular_draws_with_more_digits_follow_the_same_law) {
    for (const double spread : {1.0, 500.0}) {
        const FamilyTable table = random_table(4, spread, 3);
        const Law in_doubles = law_of<double>(table);
        const Law in_long_doubles = law_of<long double>(table);
        CHECK(in_doubles.size() == in_long_doubles.size());
        for (const auto& [dag, probability] : in_doubles) {
            const auto other = in_long_doubles.find(dag);
            CHECK(other != in_long_doubles.end() && std::abs(other->second - probability) < 1e-13);
        }
    }
}

TEST(parents_are_drawn_by_their_weights) {
    // With all families, and with gaps that are filled up.
    for (const int most_parents : {6, 2}) {
        const FamilyTable table = random_table(7, 8.0, most_parents);
        const ParentTables tables(table, {});
        ParentDraws draws(tables);
        struct Question {
            int node;
            std::uint32_t allowed;
            std::uint32_t wanted;
        };
        for (const Question& asked : std::vector<Question>{{0, 0b1111110, 0},
                                                           {3, 0b1100111, 0b0000001},
                                                           {6, 0b0111111, 0b0110000},
                                                           {2, 0b0000011, 0b0000011},
                                                           {5, 0, 0}}) {
            const std::uint32_t allowed = asked.allowed;
            const std::uint32_t wanted = asked.wanted;
            const NodeFamilies& families = table[static_cast<std::size_t>(asked.node)];
            std::map<std::uint32_t, double> expected;
            double total = 0.0;
            families.for_each([&](std::uint64_t index, std::span<const int> members) {
                std::uint32_t set = 0;
                for (const int member : members) {
                    set |= std::uint32_t{1}
                           << families.candidates()[static_cast<std::size_t>(member)];
                }
                if ((set & ~allowed) != 0 || (wanted != 0 && (set & wanted) == 0)) return;
                expected[set] = std::exp(families.values()[index]);
                total += expected[set];
            });
            std::map<std::uint32_t, double> law;
            AllBranches branches;
            branches.for_each([&] {
                Random random(branches);
                draws.enter(asked.node, allowed, wanted);
                const std::uint32_t drawn = draws.draw(random);
                law[drawn] += branches.probability();
            });
            CHECK(law.size() == expected.size());
            for (const auto& [set, weight] : expected) {
                CHECK_CLOSE(law[set], weight / total, 1e-13);
            }
        }
    }
}

TEST(samplers_that_follow_each_other_in_one_place_draw_by_their_own_weights) {
    constexpr std::size_t count = 3000;
    constexpr std::size_t nodes = 5;
    const auto random_of = [](std::size_t i) { return Random(7, i); };
    std::optional<OrderSampler> place;
    for (const double spread : {1.0, 40.0, 4.0}) {
        const FamilyTable table = random_table(nodes, spread, 3);
        const BlockSums sums(table, nodes, {});
        const std::vector<double> forward = forward_recursion(sums, Semiring::sum, {});
        place.emplace(table, sums, forward, RunOptions{});
        std::vector<std::uint8_t> orders[2];
        std::vector<std::uint32_t> parents[2];
        for (const int threads : {1, 3}) {
            const std::size_t which = threads == 1 ? 0 : 1;
            orders[which].resize(count * nodes);
            parents[which].resize(count * nodes);
            place->sample(random_of, count, orders[which], parents[which],
                          RunOptions{Processors{threads}, nullptr});
        }
        CHECK(orders[0] == orders[1]);
        CHECK(parents[0] == parents[1]);
    }
}
