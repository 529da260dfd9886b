// The tables of the modular dynamic program against the recurrences as they are written down.
#include "arcwise/exact/modular_tables.hpp"

#include <bit>
#include <cmath>
#include <vector>

#include "arcwise/exact/subset_recursion.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

FamilyTable random_table(int nodes, double spread, double probability_of_zero) {
    Random random(11, static_cast<std::uint64_t>(nodes));
    FamilyTable table;
    for (int v = 0; v < nodes; ++v) {
        std::vector<int> others;
        for (int u = 0; u < nodes; ++u) {
            if (u != v) others.push_back(u);
        }
        table.emplace_back(others, std::vector<int>{}, nodes - 1);
        set_weights(table.back(), random, spread, probability_of_zero);
        table.back().values()[0] = -0.5 * spread;  // so that there is a DAG
    }
    return table;
}

// H, B and the sums of terms by going through all pairs of sets, in plain long doubles.
struct Plain {
    explicit Plain(const FamilyTable& table)
        : nodes(static_cast<int>(table.size())), sets(std::size_t{1} << nodes) {
        for (int v = 0; v < nodes; ++v) {
            std::vector<long double>& sum = alpha.emplace_back(sets, 0.0L);
            const NodeFamilies& families = table[static_cast<std::size_t>(v)];
            families.for_each([&](std::uint64_t index, std::span<const int> members) {
                std::size_t parents = 0;
                for (const int member : members) {
                    parents |= std::size_t{1}
                               << families.candidates()[static_cast<std::size_t>(member)];
                }
                for (std::size_t set = 0; set < sets; ++set) {
                    if ((parents & ~set) == 0) {
                        sum[set] += std::exp(static_cast<long double>(families.values()[index]));
                    }
                }
            });
        }
        on.assign(sets, 0.0L);
        on[0] = 1.0L;
        for_pairs([&](std::size_t u, std::size_t t, long double product) {
            on[u | t] -= on[u] * product;
        });
        beyond.assign(sets, 0.0L);
        beyond.back() = 1.0L;
        for (std::size_t u = sets - 1; u-- > 0;) {
            for_additions(u, [&](std::size_t t, long double product) {
                beyond[u] -= product * beyond[u | t];
            });
        }
        const auto n = static_cast<std::size_t>(nodes);
        paths.assign(n * n, 0.0L);
        share.assign(n, std::vector<long double>(sets, 0.0L));
        for_pairs([&](std::size_t u, std::size_t t, long double product) {
            const long double term = -on[u] * product * beyond[u | t] / on.back();
            for (std::size_t v = 0; v < n; ++v) {
                if ((t >> v & 1) == 0) continue;
                share[v][u] += term;
                for (std::size_t w = 0; w < n; ++w) {
                    if (((u | t) >> w & 1) != 0) paths[w * n + v] += term;
                }
            }
        });
    }

    // Calls use(T, prod_T (-alpha_j(U))) for every nonempty T outside U.
    template <class Use>
    void for_additions(std::size_t u, Use use) const {
        for (std::size_t t = 1; t < sets; ++t) {
            if ((t & u) != 0) continue;
            long double product = 1.0L;
            for (int v = 0; v < nodes; ++v) {
                if ((t >> v & 1) != 0) product *= -alpha[static_cast<std::size_t>(v)][u];
            }
            use(t, product);
        }
    }
    template <class Use>
    void for_pairs(Use use) const {
        for (std::size_t u = 0; u < sets; ++u) {
            for_additions(u, [&](std::size_t t, long double product) { use(u, t, product); });
        }
    }

    int nodes;
    std::size_t sets;
    std::vector<std::vector<long double>> alpha;
    std::vector<long double> on;
    std::vector<long double> beyond;
    std::vector<std::vector<long double>> share;
    std::vector<long double> paths;
};

template <class Real>
void check_tables(const FamilyTable& table, const Plain& plain, const RunOptions& options) {
    const ScaledSums sums(table, options);
    const std::vector<std::int32_t> scales = scales_of(best_dags(table, options).log_weights);
    ModularTables<Real> found(sums, scales);
    found.fill(options);
    CHECK(found.error() < 1e-10);
    CHECK_CLOSE(found.log_total() + sums.total_offset(),
                static_cast<double>(std::log(plain.on.back())), 1e-10);
    for (std::size_t i = 0; i < plain.paths.size(); ++i) {
        CHECK_CLOSE(found.paths()[i], static_cast<double>(plain.paths[i]), 1e-11);
    }
    CHECK(found.has_shares());
    for (int v = 0; v < plain.nodes; ++v) {
        const std::vector<double> shares = found.take_shares(v);
        for (std::size_t set = 0; set < plain.sets; ++set) {
            if ((set >> v & 1) != 0) continue;
            CHECK_CLOSE(shares[place_without(v, static_cast<std::uint32_t>(set))],
                        static_cast<double>(plain.share[static_cast<std::size_t>(v)][set]), 1e-11);
        }
    }
    CHECK(!found.has_shares());
    const std::vector<double> paths = found.paths();
    const double error = found.error();
    found.fill_terms(options);
    CHECK(found.has_shares());
    CHECK(found.paths() == paths);
    CHECK(found.error() == error);
}

}  // namespace

TEST(modular_tables_agree_with_the_recurrences) {
    for (const int nodes : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
        for (const double spread : {0.0, 3.0, 60.0, 900.0}) {
            const FamilyTable table = random_table(nodes, spread, spread > 50.0 ? 0.5 : 0.0);
            const Plain plain(table);
            check_tables<double>(table, plain, {});
            check_tables<long double>(table, plain, {Processors{2}, nullptr});
        }
    }
}

TEST(modular_tables_keep_their_bits_on_any_number_of_threads) {
    const FamilyTable table = random_table(11, 20.0, 0.1);
    const ScaledSums sums(table, {});
    const std::vector<std::int32_t> scales = scales_of(best_dags(table, {}).log_weights);
    ModularTables<double> one(sums, scales);
    ModularTables<double> three(sums, scales);
    one.fill({});
    three.fill({Processors{3}, nullptr});
    CHECK(one.log_total() == three.log_total());
    CHECK(one.error() == three.error());
    CHECK(one.paths() == three.paths());
    CHECK(one.weights_beyond() == three.weights_beyond());
    for (int v = 0; v < one.nodes(); ++v) CHECK(one.take_shares(v) == three.take_shares(v));
}
