// The recursion of a bucket against one that adds set by set in long double, and against all orders
// one by one.
#include "arcwise/spaces/orders/bucket_recursion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "arcwise/support/bits.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

using Tables = std::vector<std::vector<double>>;

Tables random_tables(int members, double spread, double probability_of_zero, std::uint64_t seed) {
    Random random(seed, static_cast<std::uint64_t>(members));
    Tables tables(static_cast<std::size_t>(members));
    for (auto& table : tables) {
        for (std::size_t i = 0; i < (std::size_t{1} << members) / 2; ++i) {
            table.push_back(log_weight(random, spread, probability_of_zero));
        }
    }
    return tables;
}

std::vector<const double*> pointers(const Tables& tables) {
    std::vector<const double*> result;
    for (const auto& table : tables) result.push_back(table.data());
    return result;
}

long double log_add_naively(long double a, long double b) {
    const long double high = std::max(a, b);
    if (std::isinf(high)) return high;
    return high + std::log1p(std::exp(std::min(a, b) - high));
}

double entry(const Tables& tables, std::size_t member, std::size_t before) {
    std::size_t place = 0;
    std::size_t position = 0;
    for (std::size_t other = 0; other < tables.size(); ++other) {
        if (other == member) continue;
        if ((before >> other & 1) != 0) place |= std::size_t{1} << position;
        ++position;
    }
    return tables[member][place];
}

std::vector<long double> naive_forward(const Tables& tables) {
    std::vector<long double> result(std::size_t{1} << tables.size(), minus_infinity);
    result[0] = 0.0L;
    for (std::size_t set = 1; set < result.size(); ++set) {
        for (std::size_t i = 0; i < tables.size(); ++i) {
            const std::size_t before = set & ~(std::size_t{1} << i);
            if (before == set) continue;
            result[set] = log_add_naively(result[set], result[before] + entry(tables, i, before));
        }
    }
    return result;
}

std::vector<long double> naive_backward(const Tables& tables) {
    std::vector<long double> result(std::size_t{1} << tables.size(), minus_infinity);
    result.back() = 0.0L;
    for (std::size_t set = result.size() - 1; set-- > 0;) {
        for (std::size_t i = 0; i < tables.size(); ++i) {
            const std::size_t after = set | std::size_t{1} << i;
            if (after == set) continue;
            result[set] = log_add_naively(result[set], result[after] + entry(tables, i, set));
        }
    }
    return result;
}

// Sums of up to twenty numbers, each of up to `spread` and rounded a few times.
double tolerance(int members, double spread) { return 1e-13 + 1e-16 * members * members * spread; }

}  // namespace

TEST(bucket_recursion_agrees_with_a_naive_one) {
    BucketRecursion recursion(3);  // grows as it is used
    for (int members = 1; members <= 12; ++members) {
        for (const double spread : {0.0, 1.0, 40.0, 1000.0, 50'000.0}) {
            for (const double zeros : {0.0, 0.3, 0.9}) {
                const Tables tables = random_tables(members, spread, zeros, 1);
                const auto log_sums = pointers(tables);
                const auto expected = naive_forward(tables);
                const auto from_the_end = naive_backward(tables);
                const double close_to = tolerance(members, spread);
                CHECK_CLOSE(recursion.log_score(log_sums), static_cast<double>(expected.back()),
                            close_to);
                std::vector<double> forward(expected.size());
                std::vector<double> backward(expected.size());
                recursion.log_forward(log_sums, forward.data());
                recursion.log_backward(log_sums, backward.data());
                for (std::size_t set = 0; set < expected.size(); ++set) {
                    CHECK_CLOSE(forward[set], static_cast<double>(expected[set]), close_to);
                    CHECK_CLOSE(backward[set], static_cast<double>(from_the_end[set]), close_to);
                }
            }
        }
    }
}

TEST(bucket_recursion_adds_up_all_orders) {
    BucketRecursion recursion;
    for (int members = 1; members <= 6; ++members) {
        const Tables tables = random_tables(members, 5.0, 0.2, 2);
        std::vector<std::size_t> order(static_cast<std::size_t>(members));
        std::iota(order.begin(), order.end(), std::size_t{0});
        long double sum = 0.0L;
        do {
            std::size_t before = 0;
            long double product = 0.0L;
            for (const std::size_t member : order) {
                product += entry(tables, member, before);
                before |= std::size_t{1} << member;
            }
            sum += std::exp(product);
        } while (std::next_permutation(order.begin(), order.end()));
        CHECK_CLOSE(recursion.log_score(pointers(tables)), static_cast<double>(std::log(sum)),
                    1e-13);
    }
}

TEST(bucket_recursion_does_not_depend_on_the_names_of_members) {
    BucketRecursion recursion;
    for (int members = 2; members <= 11; ++members) {
        const Tables tables = random_tables(members, 60.0, 0.1, 3);
        // Member i becomes member (i + 2) modulo the number of members.
        const auto count = static_cast<std::size_t>(members);
        Tables renamed(count, std::vector<double>(tables[0].size()));
        for (std::size_t before = 0; before < std::size_t{1} << count; ++before) {
            std::size_t moved = 0;
            for (std::size_t i = 0; i < count; ++i) {
                if ((before >> i & 1) != 0) moved |= std::size_t{1} << (i + 2) % count;
            }
            for (std::size_t i = 0; i < count; ++i) {
                if ((before >> i & 1) != 0) continue;
                const std::size_t now = (i + 2) % count;
                renamed[now][squeeze_bit(moved, now)] = tables[i][squeeze_bit(before, i)];
            }
        }
        CHECK_CLOSE(recursion.log_score(pointers(renamed)), recursion.log_score(pointers(tables)),
                    1e-12);
    }
}

TEST(bucket_without_an_order_has_weight_zero) {
    BucketRecursion recursion;
    for (int members = 1; members <= 9; ++members) {
        // Whatever comes before the last member, it has no family.
        Tables tables = random_tables(members, 1.0, 0.0, 4);
        for (double& value : tables.back()) value = minus_infinity;
        const auto log_sums = pointers(tables);
        CHECK(recursion.log_score(log_sums) == minus_infinity);
        std::vector<double> forward(std::size_t{1} << members);
        recursion.log_forward(log_sums, forward.data());
        const std::size_t with_last = forward.size() / 2;
        for (std::size_t set = 0; set < forward.size(); ++set) {
            CHECK((forward[set] == minus_infinity) == (set >= with_last));
        }
    }
}

TEST(bucket_predecessors_follow_the_law_of_orders) {
    BucketRecursion recursion;
    for (const int members : {1, 2, 3, 4, 7}) {
        for (const double spread : {3.0, 2000.0}) {
            const Tables tables = random_tables(members, spread, 0.1, 5);
            const auto forward = naive_forward(tables);
            const auto backward = naive_backward(tables);
            const BucketOrderLaw law(pointers(tables), recursion);
            if (std::isinf(law.log_score())) continue;
            for (int member = 0; member < members; ++member) {
                const auto own = static_cast<std::size_t>(member);
                std::vector<double> out(tables[0].size());
                law.log_predecessors(member, out.data());
                double total = 0.0;
                for (std::size_t set = 0; set < forward.size(); ++set) {
                    if ((set >> own & 1) != 0) continue;
                    const long double expected = forward[set] + entry(tables, own, set) +
                                                 backward[set | std::size_t{1} << own] -
                                                 forward.back();
                    const double found = out[squeeze_bit(set, own)];
                    CHECK_CLOSE(found, static_cast<double>(expected), tolerance(members, spread));
                    total += std::exp(found);
                }
                CHECK_CLOSE(total, 1.0, 1e-11);
            }
        }
    }
}

TEST(bucket_orders_are_drawn_in_proportion_to_their_weight) {
    // Three members, six orders, 60,000 draws: a count is off by 5.5 standard deviations less than
    // once in four million times.
    const Tables tables = random_tables(3, 2.0, 0.0, 6);
    BucketRecursion recursion;
    const BucketOrderLaw law(pointers(tables), recursion);
    std::vector<int> counts(64, 0);
    constexpr int draws = 60'000;
    for (int i = 0; i < draws; ++i) {
        Random random(7, static_cast<std::uint64_t>(i));
        int order[3];
        law.draw(random, order);
        ++counts[static_cast<std::size_t>(order[0] * 16 + order[1] * 4 + order[2])];
    }
    std::vector<std::size_t> order{0, 1, 2};
    int seen = 0;
    do {
        const double weight = entry(tables, order[0], 0) +
                              entry(tables, order[1], std::size_t{1} << order[0]) +
                              entry(tables, order[2], 7 ^ (std::size_t{1} << order[2]));
        const double expected = draws * std::exp(weight - law.log_score());
        const int count = counts[order[0] * 16 + order[1] * 4 + order[2]];
        CHECK_CLOSE(count, expected, 5.5 * std::sqrt(expected));
        seen += count;
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(seen == draws);
}
