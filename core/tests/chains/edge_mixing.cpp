// How edges have mixed, against sums over draws straight from the definitions.
#include "arcwise/chains/edge_mixing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "arcwise/support/bits.hpp"
#include "arcwise/support/random.hpp"
#include "check.hpp"

using namespace arcwise;

namespace {

using Bits = std::vector<std::vector<int>>;  // by chain

// Chains of one edge, from the node `source` to node 0, that comes and goes at a rate.
struct Chains {
    Bits bits;
    std::vector<std::vector<std::uint64_t>> packed;
    int nodes;

    Chains(int nodes_, int source, std::vector<std::size_t> lengths, double rate,
           std::uint64_t seed)
        : nodes(nodes_) {
        Random random(seed, 0);
        const auto words = words_for(nodes);
        for (const std::size_t length : lengths) {
            bits.emplace_back(length);
            packed.emplace_back(length * static_cast<std::size_t>(nodes) * words, 0);
            int state = static_cast<int>(random.bits() & 1);
            for (std::size_t t = 0; t < length; ++t) {
                if (random.uniform() < rate) state = 1 - state;
                bits.back()[t] = state;
                const std::size_t word = t * static_cast<std::size_t>(nodes) * words +
                                         static_cast<std::size_t>(source) / 64;
                if (state == 1) packed.back()[word] |= std::uint64_t{1} << source % 64;
            }
        }
    }
};

struct Found {
    std::vector<double> rhat, effective, shares;
    std::vector<std::int64_t> changes;

    Found(const Chains& chains, std::size_t most_lags, int threads) {
        const auto places = static_cast<std::size_t>(chains.nodes * chains.nodes);
        rhat.resize(places);
        effective.resize(places);
        changes.resize(places);
        shares.resize(places * chains.bits.size());
        std::vector<DagChain> views;
        for (std::size_t i = 0; i < chains.bits.size(); ++i) {
            views.push_back({chains.packed[i].data(), chains.bits[i].size()});
        }
        edge_mixing(views, chains.nodes, {2, most_lags}, {rhat, effective, changes, shares},
                    {Processors{threads}, nullptr});
    }
};

struct Expected {
    double rhat = 0.0;
    double effective = 0.0;

    Expected(const Bits& bits) {
        std::size_t shortest = bits[0].size();
        for (const auto& chain : bits) shortest = std::min(shortest, chain.size());
        const std::size_t half = shortest / 2;
        std::vector<std::vector<long double>> halves;
        for (const auto& chain : bits) {
            halves.emplace_back(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(half));
            const auto last = chain.begin() + static_cast<std::ptrdiff_t>(shortest);
            halves.emplace_back(last - static_cast<std::ptrdiff_t>(half), last);
        }
        const auto length = static_cast<long double>(half);
        const auto count = static_cast<long double>(halves.size());
        std::vector<long double> covariances(half, 0.0L);
        long double grand = 0.0L, squares = 0.0L;
        for (const auto& draws : halves) {
            long double mean = 0.0L;
            for (const long double x : draws) mean += x / length;
            grand += mean / count;
            squares += mean * mean;
            for (std::size_t lag = 0; lag < half; ++lag) {
                for (std::size_t t = 0; t + lag < half; ++t) {
                    covariances[lag] +=
                        (draws[t] - mean) * (draws[t + lag] - mean) / length / count;
                }
            }
        }
        const long double between = (squares - count * grand * grand) / (count - 1);
        const long double within = covariances[0] * length / (length - 1);
        rhat = static_cast<double>(std::sqrt((length - 1) / length + between / within));
        const auto correlation = [&](std::size_t lag) {
            if (lag == 0) return 1.0L;
            return 1 - (within - covariances[lag]) / (covariances[0] + between);
        };
        long double time = -1.0L, smallest = 2.0L;
        for (std::size_t lag = 0;; lag += 2) {
            const long double even = correlation(lag), pair = even + correlation(lag + 1);
            if (pair <= 0 || lag / 2 == (half - 3) / 2) {
                time += pair < 0 ? std::max(even, 0.0L) : even;
                break;
            }
            smallest = std::min(smallest, pair);
            time += 2 * smallest;
        }
        const long double all = length * count;
        effective = static_cast<double>(all / std::max(time, 1 / std::log10(all)));
    }
};

bool near(double one, double other) { return std::abs(one - other) <= 1e-9 * std::abs(other); }

}  // namespace

TEST(edges_have_mixed_as_by_the_definitions) {
    int compared = 0;
    for (const std::size_t draws : {40u, 64u, 101u, 128u, 131u, 260u, 700u}) {
        for (const double rate : {0.03, 0.3, 0.5, 0.9}) {
            for (const int source : {1, 63, 64, 69}) {
                const Chains chains(70, source, {draws, draws + 37, draws}, rate, draws + 7);
                const Found found(chains, 1 << 20, 1);
                const Expected expected(chains.bits);
                const auto place = static_cast<std::size_t>(source * 70);
                CHECK(near(found.rhat[place], expected.rhat));
                CHECK(near(found.effective[place], expected.effective));
                std::int64_t changes = 0;
                for (std::size_t i = 0; i < 3; ++i) {
                    int ones = 0;
                    for (std::size_t t = 0; t < chains.bits[i].size(); ++t) {
                        ones += chains.bits[i][t];
                        changes += t > 0 && chains.bits[i][t] != chains.bits[i][t - 1] ? 1 : 0;
                    }
                    const double share = ones / static_cast<double>(chains.bits[i].size());
                    CHECK(near(found.shares[i * 4900 + place] + 1.0, share + 1.0));
                }
                CHECK(found.changes[place] == changes);
                // No other edge was ever there.
                CHECK(std::isnan(found.rhat[place + 1]) && found.changes[place + 1] == 0);
                ++compared;
            }
        }
    }
    CHECK(compared == 112);
}

TEST(edges_of_stuck_chains_and_of_long_memory_are_told) {
    Chains apart(3, 2, {100, 100}, 0.0, 1);
    apart.bits[0].assign(100, 1);
    apart.bits[1].assign(100, 0);
    for (std::size_t t = 0; t < 100; ++t) {
        apart.packed[0][t * 3] = 4;
        apart.packed[1][t * 3] = 0;
    }
    const Found stuck(apart, 100, 1);
    CHECK(std::isinf(stuck.rhat[6]));
    CHECK(std::isnan(stuck.effective[6]));
    const Chains slow(3, 2, {4000, 4000}, 0.002, 3);
    CHECK(Found(slow, 5, 1).effective[6] == -1.0);
    CHECK(Found(slow, 4000, 1).effective[6] > 0.0);
    CHECK(Found(slow, 4000, 1).effective[6] == Found(slow, 4000, 3).effective[6]);
}
