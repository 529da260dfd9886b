// Score sums, maxima and draws, by table, rows, walk and scan, against every family looked at.
#include "arcwise/sums/node_sums.hpp"

#include <map>

#include "arcwise/sums/score_sums.hpp"
#include "check.hpp"
#include "sums/brute_sums.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr double tolerance = 1e-13;
constexpr SumMethod methods[] = {SumMethod::table, SumMethod::rows, SumMethod::walk,
                                 SumMethod::scan};

std::vector<int> parents_at(const NodeSums& sums, const NodeFamilies& families,
                            std::int64_t place) {
    std::vector<std::uint64_t> family(sums.words());
    sums.copy_parents(place, family.data());
    std::vector<int> possible(families.candidates());
    possible.insert(possible.end(), families.required().begin(), families.required().end());
    std::vector<int> result;
    for (std::size_t i = 0; i < possible.size(); ++i) {
        if ((family[i / 64] >> (i % 64) & 1) != 0) result.push_back(possible[i]);
    }
    std::sort(result.begin(), result.end());
    return result;
}

// Holds the answers to one question against the definition; numbers below `nodes` are nodes.
void check_query(const NodeSums& sums, const NodeFamilies& families,
                 const std::vector<int>& allowed, const std::vector<int>& required,
                 Random& random) {
    SumMemo memo;
    const auto inside = bits(families, sums.words(), allowed);
    const auto meeting = bits(families, sums.words(), required);
    const auto all = admitted(families, allowed, nullptr);
    const auto some = admitted(families, allowed, &required);
    const double whole = log_sum(all);
    const double part = log_sum(some);
    const auto rounding = [](double x) {
        return x == minus_infinity ? 0.0 : 1e-11 + 1e-13 * std::abs(x);
    };

    CHECK_CLOSE(sums.log_sum(inside.data()), whole, rounding(whole));
    CHECK_CLOSE(sums.log_sum(inside.data(), meeting.data(), memo), part, rounding(part));
    CHECK(sums.log_sum(inside.data(), meeting.data(), memo) ==
          sums.log_sum(inside.data(), meeting.data(), memo));
    CHECK(sums.max(inside.data()) == max_weight(all));

    const auto is_among = [&](std::int64_t place, const std::vector<WeighedSet>& sets) {
        if (place < 0) return sets.empty();
        const std::vector<int> parents = parents_at(sums, families, place);
        return std::any_of(sets.begin(), sets.end(),
                           [&](const WeighedSet& set) { return set.parents == parents; });
    };
    CHECK(is_among(sums.draw(inside.data(), random), all));
    CHECK(is_among(sums.draw(inside.data(), meeting.data(), memo, random), some));
}

void check_random_queries(const NodeFamilies& families, SumMethod method, int nodes,
                          std::uint64_t seed) {
    const NodeSums sums(families, 0, method, tolerance,
                        seed % 2 == 0 ? Tabulated::both : Tabulated::sums);
    CHECK(sums.tabulated() == (method == SumMethod::table));
    Random random(seed, 7);
    for (int i = 0; i < 40; ++i) {
        const double density = random.uniform();
        std::vector<int> allowed = subset(random, nodes, density);
        if (i % 4 == 0) {
            allowed.insert(allowed.end(), families.required().begin(), families.required().end());
        }
        check_query(sums, families, allowed, subset(random, nodes, 0.3), random);
    }
    std::vector<int> everyone;
    for (int node = 0; node < nodes; ++node) everyone.push_back(node);
    check_query(sums, families, everyone, everyone, random);
    check_query(sums, families, everyone, {}, random);
    check_query(sums, families, {}, everyone, random);
}

}  // namespace

TEST(sums_agree_with_the_definition) {
    for (const double spread : {2.0, 300.0, 10'000.0}) {
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            Random random(seed, 0);
            constexpr int nodes = 12;
            // Nodes 0..8 may be candidates, 9 and 10 required parents, 11 is neither.
            const std::vector<int> candidates = subset(random, 9, 0.7);
            std::vector<int> required;
            for (const int node : {9, 10}) {
                if (random.uniform() < 0.4) required.push_back(node);
            }
            const int max_free = seed % 3 == 0 ? 9 : below(random, 4);
            NodeFamilies families(candidates, required, max_free);
            set_weights(families, random, spread, seed % 2 == 0 ? 0.0 : 0.3);
            for (const SumMethod method : methods) {
                check_random_queries(families, method, nodes, seed);
            }
        }
    }
}

TEST(more_than_sixty_four_candidates_have_no_table) {
    constexpr int nodes = 150;
    std::vector<int> candidates;
    for (int node = 1; node < 140; ++node) candidates.push_back(node);
    for (const double spread : {5.0, 10'000.0}) {
        Random random(static_cast<std::uint64_t>(spread), 2);
        NodeFamilies families(candidates, {140, 141}, 2);
        set_weights(families, random, spread);
        check_random_queries(families, SumMethod::walk, nodes, 5);
        check_random_queries(families, SumMethod::scan, nodes, 5);
        CHECK_THROWS_KIND(NodeSums(families, 0, SumMethod::table, tolerance, Tabulated::sums),
                          capacity);
    }
}

TEST(more_than_sixty_four_required_parents_leave_room_for_a_table) {
    constexpr int nodes = 90;
    std::vector<int> required;
    for (int node = 8; node < 88; ++node) required.push_back(node);
    NodeFamilies families({1, 2, 3, 4, 5}, required, 5);
    Random random(6, 0);
    set_weights(families, random, 60.0);
    for (const SumMethod method : methods) {
        check_random_queries(families, method, nodes, 8);
    }
}

TEST(listed_families_are_summed_like_implied_ones) {
    // {}, {0}, {2, 0}, {2, 1} over the candidates 3, 5, 8.
    NodeFamilies families({3, 5, 8}, {}, {0, 2, 0, 2, 1}, {0, 0, 1, 3, 5});
    CHECK_THROWS_KIND(NodeSums(families, 0, SumMethod::walk, tolerance, Tabulated::sums), argument);
    Random random(3, 3);
    set_weights(families, random, 4000.0);
    for (const SumMethod method : {SumMethod::table, SumMethod::scan}) {
        check_random_queries(families, method, 10, 1);
    }
}

TEST(a_tiny_required_part_keeps_its_digits) {
    // Families with parent 7 are this share of the sum, of weights as they come from 10,000 rows.
    for (const double share : {0.3, 0.05, 0.009, 1e-3, 1e-9, 1e-16, 1e-30, 1e-300}) {
        std::vector<int> candidates{0, 1, 2, 3, 4, 5, 6, 7};
        NodeFamilies families(candidates, {}, 8);
        Random random(11, 0);
        families.for_each([&](std::uint64_t index, std::span<const int> members) {
            const bool with_seven = !members.empty() && members[0] == 7;
            families.values()[index] =
                -90'000.0 + log_weight(random, 3.0) + (with_seven ? std::log(share) : 0.0);
        });
        SumMemo memo;
        Random draws(12, 0);
        for (const SumMethod method : methods) {
            const NodeSums sums(families, 0, method, tolerance, Tabulated::both);
            const auto inside = bits(families, 1, candidates);
            const auto meeting = bits(families, 1, {7});
            const std::vector<int> seven{7};
            const double expected = log_sum(admitted(families, candidates, &seven));
            CHECK_CLOSE(sums.log_sum(inside.data(), meeting.data(), memo), expected, 3e-11);
            for (int i = 0; i < 20; ++i) {
                const std::int64_t place = sums.draw(inside.data(), meeting.data(), memo, draws);
                CHECK(place >= 0 && contains(parents_at(sums, families, place), 7));
            }
        }
    }
}

TEST(draws_follow_the_weights) {
    NodeFamilies families({1, 2, 3}, {4}, 2);
    Random random(21, 0);
    set_weights(families, random, 2.0);
    const std::vector<int> allowed{1, 3, 4};
    const std::vector<WeighedSet> sets = admitted(families, allowed, nullptr);
    for (const SumMethod method : methods) {
        const NodeSums sums(families, 0, method, tolerance, Tabulated::both);
        const auto inside = bits(families, 1, allowed);
        constexpr int draws = 20'000;
        std::map<std::vector<int>, int> counts;
        for (int i = 0; i < draws; ++i) {
            ++counts[parents_at(sums, families, sums.draw(inside.data(), random))];
        }
        double chi_square = 0.0;
        for (const WeighedSet& set : sets) {
            const double expected = draws * std::exp(set.log_weight - log_sum(sets));
            const double difference = counts[set.parents] - expected;
            chi_square += difference * difference / expected;
        }
        // Three degrees of freedom: above 21.1 once in ten thousand seeds, and the seed is fixed.
        CHECK(sets.size() == 4);
        CHECK(counts.size() == sets.size());
        CHECK(chi_square < 21.1);
    }
}

TEST(sums_of_all_nodes_do_not_depend_on_threads) {
    FamilyTable table;
    std::vector<SumMethod> by_node;
    Random random(31, 0);
    for (int node = 0; node < 12; ++node) {
        std::vector<int> candidates;
        for (int u = 0; u < 12; ++u) {
            if (u != node) candidates.push_back(u);
        }
        set_weights(table.emplace_back(candidates, std::vector<int>{}, 4), random, 1000.0);
        by_node.push_back(methods[node % 3]);
    }
    const ScoreSums one(table, by_node, tolerance, Tabulated::both,
                        RunOptions{Processors{1}, nullptr});
    const ScoreSums three(table, by_node, tolerance, Tabulated::both,
                          RunOptions{Processors{3}, nullptr});
    CHECK(one.nodes() == 12 && three.nodes() == 12);
    for (int node = 0; node < one.nodes(); ++node) {
        for (std::uint64_t allowed = 0; allowed < 1 << 11; allowed += 5) {
            CHECK(one[node].log_sum(&allowed) == three[node].log_sum(&allowed));
            CHECK(one[node].max(&allowed) == three[node].max(&allowed));
        }
    }
}
