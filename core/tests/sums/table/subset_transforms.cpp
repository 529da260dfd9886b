// Sums and maxima over subsets against sums set by set in long double.
#include "arcwise/sums/table/subset_transforms.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

struct Expected {
    double log_sum = minus_infinity;
    double max = minus_infinity;
};

Expected over_subsets(const std::vector<double>& table, std::size_t set) {
    Expected result;
    for (std::size_t s = set;; s = (s - 1) & set) {
        result.max = std::max(result.max, table[s]);
        if (s == 0) break;
    }
    if (result.max == minus_infinity) return result;
    long double sum = 0.0L;
    for (std::size_t s = set;; s = (s - 1) & set) {
        sum += std::exp(static_cast<long double>(table[s]) - result.max);
        if (s == 0) break;
    }
    result.log_sum = static_cast<double>(result.max + std::log(sum));
    return result;
}

// Compares sets spread over the table; all of them if it is small.
void check_transforms(const std::vector<double>& table, int elements) {
    std::vector<double> sums = table;
    std::vector<double> maxima = table;
    log_sum_over_subsets(sums.data(), elements);
    max_over_subsets(maxima.data(), elements);
    const std::size_t step = table.size() <= 1024 ? 1 : 37;
    for (std::size_t set = 0; set < table.size(); set += step) {
        const Expected expected = over_subsets(table, set);
        CHECK(maxima[set] == expected.max);
        CHECK_CLOSE(sums[set], expected.log_sum, 1e-12 + 1e-15 * std::abs(expected.log_sum));
    }
}

}  // namespace

TEST(subset_sums_are_right_however_far_apart_the_weights_are) {
    // 1,000 takes several windows of plain numbers, 3,000 and more the logarithms themselves.
    for (const double spread : {0.0, 1.0, 100.0, 700.0, 1000.0, 2000.0, 3000.0, 10'000.0, 1e6}) {
        for (const int elements : {0, 1, 2, 3, 5, 6, 7, 10, 11, 13}) {
            Random random(static_cast<std::uint64_t>(spread), static_cast<std::uint64_t>(elements));
            std::vector<double> table(std::size_t{1} << elements);
            for (double& entry : table) entry = 5.0 + log_weight(random, spread, 0.2);
            check_transforms(table, elements);
        }
    }
}

TEST(subset_sums_are_right_when_larger_sets_weigh_more) {
    // The empty set is thousands of nats below the full one, so every set needs another scale.
    for (const double step : {50.0, 150.0, 900.0}) {
        constexpr int elements = 12;
        std::vector<double> table(std::size_t{1} << elements);
        for (std::size_t set = 0; set < table.size(); ++set) {
            table[set] = step * std::popcount(set) - 4000.0;
        }
        check_transforms(table, elements);
    }
}

TEST(empty_tables_stay_empty) {
    for (const int elements : {0, 4, 11}) {
        std::vector<double> table(std::size_t{1} << elements, minus_infinity);
        check_transforms(table, elements);
        table.back() = -1e5;
        check_transforms(table, elements);
    }
}

TEST(subset_counts_come_out_whole) {
    constexpr int elements = 14;
    std::vector<double> table(std::size_t{1} << elements, -3000.0);
    log_sum_over_subsets(table.data(), elements);
    for (std::size_t set = 0; set < table.size(); ++set) {
        CHECK_CLOSE(table[set], -3000.0 + std::popcount(set) * std::log(2.0), 1e-12);
    }
}
