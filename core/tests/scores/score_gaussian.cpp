// Gaussian scores against determinants by a plain Cholesky factorisation in long double.
#include <cmath>
#include <numbers>

#include "arcwise/numerics/special.hpp"
#include "arcwise/scores/family_score.hpp"
#include "arcwise/scores/gaussian.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

using Matrix = std::vector<std::vector<long double>>;

// ln Γ_p(x), the multivariate gamma function of dimension p, for x > (p - 1) / 2.
double log_multivariate_gamma(int dimension, double x) {
    double result = 0.25 * dimension * (dimension - 1) * std::log(std::numbers::pi);
    for (int j = 0; j < dimension; ++j) result += log_gamma(x - 0.5 * j);
    return result;
}

double log_determinant(const Matrix& matrix, const std::vector<int>& set) {
    Matrix factor(set.size(), std::vector<long double>(set.size()));
    long double result = 0.0L;
    for (std::size_t i = 0; i < set.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            long double rest =
                matrix[static_cast<std::size_t>(set[i])][static_cast<std::size_t>(set[j])];
            for (std::size_t k = 0; k < j; ++k) rest -= factor[i][k] * factor[j][k];
            factor[i][j] = i == j ? std::sqrt(rest) : rest / factor[j][j];
        }
        result += 2.0L * std::log(factor[i][i]);
    }
    return static_cast<double>(result);
}

struct Example {
    int nodes;
    std::vector<double> values;
    std::vector<double> weights;
    std::vector<std::uint8_t> intervened;
    ContinuousTable table;

    // Columns far from zero that depend on the one before; all three extras if wanted.
    Example(int variables, std::size_t rows, std::uint64_t seed, bool weigh, bool intervene)
        : nodes(variables) {
        Random random(seed, 200);
        for (int node = 0; node < nodes; ++node) {
            table.names.emplace_back(1, static_cast<char>('a' + node));
            for (std::size_t row = 0; row < rows; ++row) {
                const std::size_t place = values.size();
                const double noise = 6.0 * (random.uniform() + random.uniform() - 1.0);
                values.push_back(
                    50.0 * node + noise +
                    (node > 0 ? 0.8 * (values[place - rows] - 50.0 * (node - 1)) : 0.0));
            }
        }
        table.values = values;
        table.rows = rows;
        table.interventions.rows = rows;
        for (std::size_t row = 0; weigh && row < rows; ++row) {
            weights.push_back(0.5 + random.uniform());
        }
        table.weights = weights;
        if (!intervene) return;
        intervened.assign(values.size(), 0);
        for (std::size_t row = 0; row < rows; ++row) intervened[2 * rows + row] = row % 4 == 0;
        table.interventions.mask = intervened;
    }
    Example(const Example&) = delete;

    double total(int node) const {
        double sum = 0.0;
        for (std::size_t row = 0; row < table.rows; ++row) {
            if (!table.interventions.at(row, node)) sum += weights.empty() ? 1.0 : weights[row];
        }
        return sum;
    }

    std::vector<long double> mean(int node) const {
        std::vector<long double> result;
        for (int variable = 0; variable < nodes; ++variable) {
            long double sum = 0.0L;
            for (std::size_t row = 0; row < table.rows; ++row) {
                if (table.interventions.at(row, node)) continue;
                sum += (weights.empty() ? 1.0L : weights[row]) * table.column(variable)[row];
            }
            result.push_back(sum / total(node));
        }
        return result;
    }

    Matrix scatter(int node) const {
        const std::vector<long double> centre = mean(node);
        Matrix result(static_cast<std::size_t>(nodes),
                      std::vector<long double>(static_cast<std::size_t>(nodes), 0.0L));
        for (std::size_t row = 0; row < table.rows; ++row) {
            if (table.interventions.at(row, node)) continue;
            const long double weight = weights.empty() ? 1.0L : weights[row];
            for (std::size_t i = 0; i < result.size(); ++i) {
                for (std::size_t j = 0; j < result.size(); ++j) {
                    result[i][j] += weight * (table.column(static_cast<int>(i))[row] - centre[i]) *
                                    (table.column(static_cast<int>(j))[row] - centre[j]);
                }
            }
        }
        return result;
    }
};

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

// BGe of one set as in Kuipers, Moffa and Heckerman (2014).
double direct_bge_of_set(const Example& example, const BgeSettings& settings, int node,
                         const std::vector<int>& set) {
    const auto n = static_cast<std::size_t>(example.nodes);
    const double rows = example.total(node);
    const std::vector<long double> mean = example.mean(node);
    Matrix prior(n, std::vector<long double>(n));
    Matrix data = example.scatter(node);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            prior[i][j] = settings.prior_scale[i * n + j];
            data[i][j] += prior[i][j] + rows * settings.alpha_mu / (rows + settings.alpha_mu) *
                                            (mean[i] - settings.prior_mean[i]) *
                                            (mean[j] - settings.prior_mean[j]);
        }
    }
    const int l = static_cast<int>(set.size());
    const double freedom = settings.alpha_w - static_cast<double>(n) + l;
    return 0.5 * l * std::log(settings.alpha_mu / (rows + settings.alpha_mu)) -
           0.5 * l * rows * std::log(std::numbers::pi) +
           log_multivariate_gamma(l, 0.5 * (rows + freedom)) -
           log_multivariate_gamma(l, 0.5 * freedom) + 0.5 * freedom * log_determinant(prior, set) -
           0.5 * (rows + freedom) * log_determinant(data, set);
}

double direct_bic_of_set(const Example& example, int node, const std::vector<int>& set) {
    const double rows = example.total(node);
    const auto l = static_cast<double>(set.size());
    return -0.5 * rows *
               (l * (1.0 + std::log(2.0 * std::numbers::pi)) +
                log_determinant(example.scatter(node), set) - l * std::log(rows)) -
           0.25 * l * (l + 3.0) * std::log(rows);
}

template <class OfSet>
void check_scores(const SetFunction& score, FamilyTable table, OfSet of_set) {
    score_families(score, table, RunOptions{Processors{2}, nullptr});
    for (int node = 0; node < static_cast<int>(table.size()); ++node) {
        const NodeFamilies& families = table[static_cast<std::size_t>(node)];
        families.for_each([&](std::uint64_t index, std::span<const int> members) {
            std::vector<int> set = families.parents(members);
            const double without = of_set(node, set);
            set.push_back(node);
            CHECK_CLOSE(families.values()[index], of_set(node, set) - without, 1e-8);
        });
    }
}

BgeSettings settings_for(int nodes, bool diagonal) {
    const auto n = static_cast<std::size_t>(nodes);
    BgeSettings settings{1.5, nodes + 3.5, std::vector<double>(n), std::vector<double>(n * n)};
    for (std::size_t i = 0; i < n; ++i) {
        settings.prior_mean[i] = 10.0 * static_cast<double>(i);
        for (std::size_t j = 0; j < n; ++j) {
            const double off_diagonal = diagonal ? 0.0 : 0.1 / (1.0 + static_cast<double>(i + j));
            settings.prior_scale[i * n + j] =
                i == j ? 0.7 + 0.1 * static_cast<double>(i) : off_diagonal;
        }
    }
    return settings;
}

}  // namespace

TEST(bge_agrees_with_plain_determinants) {
    for (const bool diagonal : {true, false}) {
        for (const bool extras : {false, true}) {
            const Example example(6, 80, 1, extras, extras);
            const BgeSettings settings = settings_for(6, diagonal);
            check_scores(*make_bge_score(example.table, settings), all_families(6, 5),
                         [&](int node, const std::vector<int>& set) {
                             return direct_bge_of_set(example, settings, node, set);
                         });
        }
    }
}

TEST(gaussian_bic_agrees_with_plain_determinants) {
    for (const bool extras : {false, true}) {
        const Example example(6, 80, 2, extras, extras);
        check_scores(*make_gaussian_bic_score(example.table), all_families(6, 5),
                     [&](int node, const std::vector<int>& set) {
                         return direct_bic_of_set(example, node, set);
                     });
    }
}

TEST(candidates_and_required_parents_share_no_table) {
    const Example example(12, 60, 3, false, false);
    const BgeSettings settings = settings_for(12, false);
    FamilyTable table;
    for (int node = 0; node < 12; ++node) {
        std::vector<int> candidates;
        for (const int step : {1, 4, 6}) candidates.push_back((node + step) % 12);
        std::sort(candidates.begin(), candidates.end());
        table.emplace_back(candidates, std::vector<int>{(node + 2) % 12}, 3);
    }
    check_scores(*make_bge_score(example.table, settings), table,
                 [&](int node, const std::vector<int>& set) {
                     return direct_bge_of_set(example, settings, node, set);
                 });
}

TEST(bge_takes_columns_that_are_copies_and_bic_refuses_them) {
    Example example(4, 50, 4, false, false);
    for (std::size_t row = 0; row < 50; ++row) example.values[150 + row] = example.values[row];
    FamilyTable table = all_families(4, 3);
    score_families(*make_bge_score(example.table, settings_for(4, true)), table, {});
    for (const NodeFamilies& families : table) {
        for (const double value : families.values()) CHECK(std::isfinite(value));
    }
    CHECK_THROWS_KIND(score_families(*make_gaussian_bic_score(example.table), table, {}),
                      numerical);
}

TEST(fewer_rows_than_parents_are_refused_by_bic) {
    const Example example(6, 4, 5, false, false);
    FamilyTable table = all_families(6, 5);
    CHECK_THROWS_KIND(score_families(*make_gaussian_bic_score(example.table), table, {}),
                      numerical);
}

TEST(threads_change_no_bit_of_a_gaussian_score) {
    const Example example(16, 100, 6, false, true);
    const auto score = make_bge_score(example.table, settings_for(16, true));
    FamilyTable one = all_families(16, 4);
    FamilyTable three = one;
    score_families(*score, one, RunOptions{Processors{1}, nullptr});
    score_families(*score, three, RunOptions{Processors{3}, nullptr});
    for (std::size_t node = 0; node < one.size(); ++node) {
        CHECK(one[node].values() == three[node].values());
    }
}
