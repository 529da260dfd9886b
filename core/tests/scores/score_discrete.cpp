// Discrete scores against counts taken family by family.
#include <cmath>
#include <map>

#include "arcwise/numerics/special.hpp"
#include "arcwise/scores/discrete.hpp"
#include "arcwise/scores/family_score.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

// A random discrete table with columns that depend on each other, and what may go with it.
struct Example {
    std::vector<std::uint16_t> codes;
    std::vector<double> weights;
    std::vector<std::uint8_t> intervened;
    DiscreteTable table;

    Example(int nodes, std::size_t rows, std::uint64_t seed) {
        Random random(seed, 100);
        for (int node = 0; node < nodes; ++node) {
            table.level_counts.push_back(static_cast<std::uint32_t>(2 + below(random, 3)));
            for (std::size_t row = 0; row < rows; ++row) {
                const bool copies = node > 0 && random.uniform() < 0.6;
                const auto place = static_cast<std::size_t>(node - 1) * rows + row;
                const int code = copies ? codes[place] : below(random, 4);
                codes.push_back(static_cast<std::uint16_t>(static_cast<std::uint32_t>(code) %
                                                           table.level_counts.back()));
            }
        }
        table.codes = codes;
        table.rows = rows;
        table.interventions.rows = rows;
    }
    Example(const Example&) = delete;

    void weigh(bool whole, std::uint64_t seed) {
        Random random(seed, 101);
        for (std::size_t row = 0; row < table.rows; ++row) {
            weights.push_back(whole ? below(random, 4) : 3.0 * random.uniform());
        }
        table.weights = weights;
    }

    void intervene(const std::vector<int>& nodes, std::uint64_t seed) {
        Random random(seed, 102);
        intervened.assign(codes.size(), 0);
        for (const int node : nodes) {
            for (std::size_t row = 0; row < table.rows; ++row) {
                intervened[static_cast<std::size_t>(node) * table.rows + row] =
                    random.uniform() < 0.3;
            }
        }
        table.interventions.mask = intervened;
    }
};

using Cells = std::map<std::vector<int>, double>;

Cells count(const DiscreteTable& table, const std::vector<int>& set, int node) {
    Cells cells;
    for (std::size_t row = 0; row < table.rows; ++row) {
        if (table.interventions.at(row, node)) continue;
        std::vector<int> cell;
        for (const int variable : set) cell.push_back(table.column(variable)[row]);
        cells[cell] += table.weights.empty() ? 1.0 : table.weights[row];
    }
    return cells;
}

double possible_cells(const DiscreteTable& table, const std::vector<int>& set) {
    double product = 1.0;
    for (const int variable : set)
        product *= table.level_counts[static_cast<std::size_t>(variable)];
    return product;
}

double direct_bdeu(const DiscreteTable& table, int node, const std::vector<int>& parents,
                   double equivalent_sample_size) {
    std::vector<int> family(parents);
    family.push_back(node);
    double score = 0.0;
    for (const auto& [set, sign] : {std::pair(family, 1.0), std::pair(parents, -1.0)}) {
        const double pseudo_count = equivalent_sample_size / possible_cells(table, set);
        for (const auto& [cell, total] : count(table, set, node)) {
            score += sign * (log_gamma(pseudo_count + total) - log_gamma(pseudo_count));
        }
    }
    return score;
}

double direct_bic(const DiscreteTable& table, int node, const std::vector<int>& parents) {
    std::vector<int> family(parents);
    family.push_back(node);
    Cells of_parents = count(table, parents, node);
    double likelihood = 0.0;
    double rows = 0.0;
    for (const auto& [cell, total] : count(table, family, node)) {
        if (total <= 0.0) continue;
        likelihood += total * std::log(total / of_parents[{cell.begin(), cell.end() - 1}]);
        rows += total;
    }
    const double parameters =
        possible_cells(table, parents) * (possible_cells(table, {node}) - 1.0);
    return likelihood - 0.5 * std::log(rows) * parameters;
}

FamilyTable all_families(int nodes, int max_indegree) {
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> others;
        for (int u = 0; u < nodes; ++u) {
            if (u != node) others.push_back(u);
        }
        table.emplace_back(others, std::vector<int>{}, max_indegree);
    }
    return table;
}

template <class Direct>
void check_scores(const SetFunction& score, FamilyTable table, Direct direct,
                  double tolerance = 1e-10) {
    score_families(score, table, {});
    for (int node = 0; node < static_cast<int>(table.size()); ++node) {
        const NodeFamilies& families = table[static_cast<std::size_t>(node)];
        families.for_each([&](std::uint64_t index, std::span<const int> members) {
            CHECK_CLOSE(families.values()[index], direct(node, families.parents(members)),
                        tolerance);
        });
    }
}

void check_bdeu_and_bic(const Example& example, const FamilyTable& table) {
    for (const double sample_size : {1.0, 7.5}) {
        DiscreteScoreSettings settings;
        settings.equivalent_sample_size = sample_size;
        check_scores(*make_discrete_score(example.table, settings), table,
                     [&](int node, const std::vector<int>& parents) {
                         return direct_bdeu(example.table, node, parents, sample_size);
                     });
    }
    DiscreteScoreSettings settings;
    settings.pseudo_counts = PseudoCounts::none;
    check_scores(*make_discrete_score(example.table, settings), table,
                 [&](int node, const std::vector<int>& parents) {
                     return direct_bic(example.table, node, parents);
                 });
}

}  // namespace

TEST(discrete_scores_agree_with_direct_counts) {
    const Example example(6, 200, 1);
    for (const int max_indegree : {0, 1, 3, 5}) {
        check_bdeu_and_bic(example, all_families(6, max_indegree));
    }
}

TEST(discrete_scores_with_weights) {
    for (const bool whole : {true, false}) {
        Example example(5, 150, 2);
        example.weigh(whole, 2);
        check_bdeu_and_bic(example, all_families(5, 4));
    }
}

TEST(discrete_scores_leave_out_the_rows_in_which_a_node_was_set) {
    Example example(6, 200, 3);
    example.intervene({1, 4}, 3);
    check_bdeu_and_bic(example, all_families(6, 3));
}

TEST(a_node_set_in_every_row_scores_zero) {
    Example example(4, 30, 4);
    example.intervened.assign(example.codes.size(), 0);
    std::fill_n(example.intervened.begin(), 30, std::uint8_t{1});
    example.table.interventions.mask = example.intervened;
    for (const PseudoCounts pseudo_counts : {PseudoCounts::uniform, PseudoCounts::none}) {
        DiscreteScoreSettings settings;
        settings.pseudo_counts = pseudo_counts;
        FamilyTable table = all_families(4, 3);
        score_families(*make_discrete_score(example.table, settings), table, {});
        for (const double value : table[0].values()) CHECK_CLOSE(value, 0.0, 0.0);
    }
}

TEST(few_candidates_and_required_parents_are_scored_alike) {
    const Example example(9, 120, 5);
    FamilyTable table;
    table.emplace_back(std::vector<int>{2, 5}, std::vector<int>{7}, 2);
    table.emplace_back(std::vector<int>{0, 8}, std::vector<int>{3, 4}, 1);
    for (int node = 2; node < 9; ++node) {
        table.emplace_back(std::vector<int>{0, 1}, std::vector<int>{}, 2);
    }
    check_bdeu_and_bic(example, table);
}

TEST(many_levels_and_large_counts_take_their_own_ways) {
    // 3,000 levels do not fit the dense counters; 20,000 alike rows exceed the look-up table.
    DiscreteTable table;
    std::vector<std::uint16_t> codes;
    constexpr std::size_t rows = 200;
    Random random(6, 0);
    for (const int levels : {3000, 2, 3, 3000}) {
        table.level_counts.push_back(static_cast<std::uint32_t>(levels));
        for (std::size_t row = 0; row < rows; ++row) {
            codes.push_back(static_cast<std::uint16_t>(row < 20 ? 0 : below(random, levels)));
        }
    }
    std::vector<double> weights(rows, 1.0);
    std::fill_n(weights.begin(), 20, 1000.0);
    table.codes = codes;
    table.rows = rows;
    table.weights = weights;
    table.interventions.rows = rows;
    // A score is a difference of two sums of the size N ln N, here 200,000.
    check_scores(
        *make_discrete_score(table, {}), all_families(4, 3),
        [&](int node, const std::vector<int>& parents) {
            return direct_bdeu(table, node, parents, 1.0);
        },
        1e-8);
}

TEST(pseudo_counts_of_one_distribution_per_variable) {
    const Example example(4, 100, 7);
    DiscreteScoreSettings settings;
    settings.pseudo_counts = PseudoCounts::marginals;
    settings.equivalent_sample_size = 12.0;
    for (const std::uint32_t levels : example.table.level_counts) {
        std::vector<double>& own = settings.marginals.emplace_back();
        for (std::uint32_t level = 0; level < levels; ++level) {
            own.push_back(2.0 * (level + 1.0) / (levels * (levels + 1.0)));
        }
    }
    const auto direct = [&](int node, const std::vector<int>& parents) {
        std::vector<int> family(parents);
        family.push_back(node);
        double score = 0.0;
        for (const auto& [set, sign] : {std::pair(family, 1.0), std::pair(parents, -1.0)}) {
            for (const auto& [cell, total] : count(example.table, set, node)) {
                double pseudo_count = settings.equivalent_sample_size;
                for (std::size_t i = 0; i < set.size(); ++i) {
                    pseudo_count *= settings.marginals[static_cast<std::size_t>(set[i])]
                                                      [static_cast<std::size_t>(cell[i])];
                }
                score += sign * (log_gamma(pseudo_count + total) - log_gamma(pseudo_count));
            }
        }
        return score;
    };
    check_scores(*make_discrete_score(example.table, settings), all_families(4, 3), direct);
}

TEST(a_prior_that_rules_out_the_data_is_refused) {
    const Example example(2, 50, 8);
    DiscreteScoreSettings settings;
    settings.pseudo_counts = PseudoCounts::marginals;
    for (const std::uint32_t levels : example.table.level_counts) {
        settings.marginals.emplace_back(levels, 0.0)[0] = 1.0;
    }
    FamilyTable table = all_families(2, 1);
    CHECK_THROWS_KIND(score_families(*make_discrete_score(example.table, settings), table, {}),
                      data);
}

TEST(threads_change_no_bit_of_a_score) {
    Example example(16, 300, 9);
    example.intervene({2, 11}, 9);
    const auto score = make_discrete_score(example.table, {});
    // One table that shares its sets between nodes, and one in which each node walks alone.
    FamilyTable few_candidates;
    for (int node = 0; node < 16; ++node) {
        std::vector<int> candidates;
        for (int step = 1; step <= 5; ++step) candidates.push_back((node + step) % 16);
        std::sort(candidates.begin(), candidates.end());
        few_candidates.emplace_back(candidates, std::vector<int>{}, 5);
    }
    for (FamilyTable one : {all_families(16, 4), few_candidates}) {
        FamilyTable three = one;
        score_families(*score, one, RunOptions{Processors{1}, nullptr});
        score_families(*score, three, RunOptions{Processors{3}, nullptr});
        for (std::size_t node = 0; node < one.size(); ++node) {
            CHECK(one[node].values() == three[node].values());
        }
    }
}
