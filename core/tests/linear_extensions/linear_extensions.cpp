// Linear extensions against counting by who can come first, at every size of set; thinning.
#include "arcwise/linear_extensions/linear_extensions.hpp"

#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "arcwise/linear_extensions/volume_estimate.hpp"
#include "arcwise/support/bits.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

using Packed = std::vector<std::uint64_t>;

long double plain_count(const Packed& parents, std::uint64_t left,
                        std::map<std::uint64_t, long double>& known) {
    if (left == 0) return 1.0L;
    const auto found = known.find(left);
    if (found != known.end()) return found->second;
    long double sum = 0.0L;
    for (std::uint64_t rest = left; rest != 0; rest &= rest - 1) {
        const int v = std::countr_zero(rest);
        if ((parents[static_cast<std::size_t>(v)] & left) == 0) {
            sum += plain_count(parents, left & ~(std::uint64_t{1} << v), known);
        }
    }
    return known[left] = sum;
}

long double plain_count(const Packed& parents) {
    std::map<std::uint64_t, long double> known;
    return plain_count(parents, (std::uint64_t{1} << parents.size()) - 1, known);
}

// Parents before children by their numbers, times an odd number modulo the size, so that labels
// tell nothing.
Packed generated(Random& random, int nodes, double density) {
    Packed parents(static_cast<std::size_t>(nodes));
    int step = 2 * below(random, nodes) + 1;
    while (std::gcd(step, nodes) != 1) step += 2;
    const auto label = [&](int v) { return static_cast<std::size_t>(v * step % nodes); };
    for (int v = 0; v < nodes; ++v) {
        for (const int u : subset(random, v, density)) {
            parents[label(v)] |= std::uint64_t{1} << label(u);
        }
    }
    return parents;
}

// The same DAG among `nodes` nodes, the others without edges, labels spread over all words.
Packed spread(const Packed& parents, int nodes) {
    const auto words = static_cast<int>(words_for(nodes));
    const int step = nodes / static_cast<int>(parents.size());
    Packed result(static_cast<std::size_t>(nodes * words));
    for (std::size_t v = 0; v < parents.size(); ++v) {
        for (std::uint64_t rest = parents[v]; rest != 0; rest &= rest - 1) {
            const int u = std::countr_zero(rest) * step;
            result[v * static_cast<std::size_t>(step * words) + static_cast<std::size_t>(u / 64)] |=
                std::uint64_t{1} << (u % 64);
        }
    }
    return result;
}

// Two chains of so many nodes, each node of the second after its neighbour in the first.
Packed ladder(int length) {
    const int nodes = 2 * length;
    const auto words = words_for(nodes);
    Packed parents(static_cast<std::size_t>(nodes) * words);
    const auto add = [&](int v, int u) {
        parents[static_cast<std::size_t>(v) * words + static_cast<std::size_t>(u / 64)] |=
            std::uint64_t{1} << (u % 64);
    };
    for (int i = 0; i < length; ++i) {
        add(length + i, i);
        if (i > 0) add(i, i - 1);
        if (i > 0) add(length + i, length + i - 1);
    }
    return parents;
}

double log_catalan(int n) {
    return std::lgamma(2.0 * n + 1.0) - std::lgamma(n + 1.0) - std::lgamma(n + 2.0);
}

}  // namespace

TEST(linear_extensions_agree_with_plain_counts) {
    Random random(11, 0);
    LinearExtensions extensions;
    for (int repetition = 0; repetition < 300; ++repetition) {
        const int nodes = 1 + below(random, 14);
        const Packed parents = generated(random, nodes, 0.05 + 0.5 * random.uniform());
        const long double expected = plain_count(parents);
        const double log_count = static_cast<double>(std::log(expected));
        CHECK_CLOSE(extensions.log_count(parents.data(), nodes), log_count, 1e-12);
        const std::vector<std::uint64_t> primes{1'000'003, 998'244'353, 1'000'000'007,
                                                2'147'483'647, 2'305'843'009'213'693'951u};
        std::vector<std::uint64_t> remainders(primes.size());
        extensions.count_modulo(parents.data(), nodes, primes, remainders);
        for (std::size_t i = 0; i < primes.size(); ++i) {
            CHECK(remainders[i] == static_cast<std::uint64_t>(expected) % primes[i]);
        }
        for (const int more : {64, 65, 129, 300}) {
            // Nodes without edges may come anywhere: n! / k! times as many orders.
            const Packed among = spread(parents, more);
            CHECK_CLOSE(extensions.log_count(among.data(), more),
                        log_count + std::lgamma(more + 1.0) - std::lgamma(nodes + 1.0), 1e-10);
        }
    }
}

TEST(linear_extensions_with_hanging_trees_agree_with_plain_counts) {
    Random random(13, 0);
    LinearExtensions extensions;
    for (int repetition = 0; repetition < 300; ++repetition) {
        const int core = 1 + below(random, 7);
        const int nodes = core + 1 + below(random, 7);
        Packed parents = generated(random, core, 0.2 + 0.5 * random.uniform());
        // Each further node just above or just below one that was there before.
        for (int v = core; v < nodes; ++v) {
            const int from = below(random, v);
            parents.push_back(0);
            const bool above = random.uniform() < 0.5;
            parents[static_cast<std::size_t>(above ? v : from)] |= std::uint64_t{1}
                                                                   << (above ? from : v);
        }
        const long double expected = plain_count(parents);
        CHECK_CLOSE(extensions.log_count(parents.data(), nodes),
                    static_cast<double>(std::log(expected)), 1e-12);
        const std::vector<std::uint64_t> primes{1'000'003};
        std::vector<std::uint64_t> remainders(1);
        extensions.count_modulo(parents.data(), nodes, primes, remainders);
        CHECK(remainders[0] == static_cast<std::uint64_t>(expected) % primes[0]);
    }
}

TEST(linear_extensions_of_ladders_are_catalan_numbers) {
    LinearExtensions extensions;
    for (const int length : {1, 2, 10, 32, 33, 64, 65, 128, 129, 200, 400}) {
        CHECK_CLOSE(extensions.log_count(ladder(length).data(), 2 * length), log_catalan(length),
                    1e-9);
    }
    CHECK_THROWS_KIND(extensions.log_count(ladder(513).data(), 1026), capacity);
}

TEST(linear_extensions_respect_the_budget) {
    const Packed parents = ladder(20);
    CHECK_THROWS_KIND(LinearExtensions(50).log_count(parents.data(), 40), capacity);
    LinearExtensions enough(400);
    CHECK_CLOSE(enough.log_count(parents.data(), 40), log_catalan(20), 1e-11);
    // A refusal leaves the workspace fit for use.
    LinearExtensions small(50);
    CHECK_THROWS_KIND(small.log_count(parents.data(), 40), capacity);
    CHECK_CLOSE(small.log_count(ladder(5).data(), 10), std::log(42.0), 1e-12);
}

TEST(linear_extensions_refuse_cycles) {
    LinearExtensions extensions;
    const Packed cycle{2, 4, 1};
    CHECK_THROWS_KIND(extensions.log_count(cycle.data(), 3), argument);
    const Packed loop{0, 2};
    CHECK_THROWS_KIND(extensions.log_count(loop.data(), 2), argument);
}

TEST(thinning_keeps_expected_weights) {
    struct Item {
        int name;
        double weight;
        double importance;
    };
    const std::vector<Item> items{{0, 8.0, 4.0}, {1, 1.0, 1.0}, {2, 0.5, 1.5}, {3, 2.0, 0.1},
                                  {4, 0.0, 0.0}, {5, 3.0, 1.0}, {6, 1.0, 0.9}};
    constexpr int draws = 200'000;
    for (const std::size_t most : {1u, 2u, 3u, 5u}) {
        Random random(12, most);
        std::vector<double> sums(items.size(), 0.0);
        std::vector<double> squares(items.size(), 0.0);
        for (int draw = 0; draw < draws; ++draw) {
            std::vector<Item> left = items;
            thin(left, most, random);
            CHECK(left.size() == most);
            for (const Item& item : left) {
                sums[static_cast<std::size_t>(item.name)] += item.weight;
                squares[static_cast<std::size_t>(item.name)] += item.weight * item.weight;
            }
        }
        for (std::size_t i = 0; i < items.size(); ++i) {
            const double mean = sums[i] / draws;
            const double variance = squares[i] / draws - mean * mean;
            // Five standard errors: a false alarm once in two million, 28 times.
            CHECK_CLOSE(mean, items[i].weight, 5.0 * std::sqrt(variance / draws) + 1e-9);
        }
    }
}

TEST(estimates_of_linear_extensions_beyond_the_range_of_doubles) {
    const int runs = sanitized ? 50 : 200;
    for (const int length : {20, 40, 100, 150}) {
        const Packed parents = ladder(length);
        const LinearExtensionEstimate estimate = estimate_linear_extensions(
            parents.data(), 2 * length, {5, runs, 0, 4}, 3, {Processors{2}, nullptr});
        CHECK(estimate.standard_error > 0.0);
        // Six standard errors, as the estimates are skewed.
        CHECK_CLOSE(estimate.log_count, log_catalan(length), 6.0 * estimate.standard_error);
        const LinearExtensionEstimate exact = estimate_linear_extensions(
            parents.data(), 2 * length, {5, 2, 1'000'000, 4}, 3, {Processors{1}, nullptr});
        CHECK_CLOSE(exact.log_count, log_catalan(length), 1e-9);
        CHECK(exact.standard_error == 0.0);
    }
}
