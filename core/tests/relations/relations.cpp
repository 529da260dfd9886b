// Relations of nodes against their definitions, in DAGs of one word and of several.
#include "arcwise/relations/relations.hpp"

#include <algorithm>
#include <vector>

#include "arcwise/relations/many_dags.hpp"
#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/support/bits.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

using Plain = std::vector<std::vector<bool>>;  // [u][v]

struct Drawn {
    std::vector<std::uint64_t> parents;
    Plain edge;
};

Drawn draw_dag(Random& random, int n, double density) {
    const auto size = static_cast<std::size_t>(n);
    const std::size_t words = words_for(size);
    std::vector<int> order(size);
    for (int v = 0; v < n; ++v) order[static_cast<std::size_t>(v)] = v;
    for (int i = n - 1; i > 0; --i) {
        std::swap(order[static_cast<std::size_t>(i)],
                  order[static_cast<std::size_t>(below(random, i + 1))]);
    }
    Drawn drawn{std::vector<std::uint64_t>(size * words), Plain(size, std::vector<bool>(size))};
    for (std::size_t i = 0; i < size; ++i) {
        for (const int j : subset(random, static_cast<int>(i), density)) {
            const auto u = static_cast<std::size_t>(order[static_cast<std::size_t>(j)]);
            const auto v = static_cast<std::size_t>(order[i]);
            put_member(drawn.parents.data() + v * words, static_cast<int>(u));
            drawn.edge[u][v] = true;
        }
    }
    return drawn;
}

Plain paths(const Plain& edge, int longest) {
    Plain found = edge;
    for (int length = 1; length < longest; ++length) {
        Plain longer = edge;
        for (std::size_t u = 0; u < edge.size(); ++u) {
            for (std::size_t w = 0; w < edge.size(); ++w) {
                for (std::size_t v = 0; v < edge.size() && found[u][w]; ++v) {
                    if (edge[w][v]) longer[u][v] = true;
                }
            }
        }
        found = longer;
    }
    return found;
}

Plain blankets(const Plain& edge) {
    const std::size_t n = edge.size();
    Plain found(n, std::vector<bool>(n));
    for (std::size_t u = 0; u < n; ++u) {
        for (std::size_t v = 0; v < n; ++v) {
            bool both = edge[u][v] || edge[v][u];
            for (std::size_t child = 0; child < n; ++child) {
                both = both || (edge[u][child] && edge[v][child]);
            }
            found[u][v] = u != v && both;
        }
    }
    return found;
}

bool same(const Plain& expected, const std::uint64_t* rows) {
    const std::size_t words = words_for(expected.size());
    for (std::size_t u = 0; u < expected.size(); ++u) {
        for (std::size_t v = 0; v < expected.size(); ++v) {
            if (expected[u][v] != has_member(rows + v * words, static_cast<int>(u))) return false;
        }
    }
    return true;
}

constexpr int sizes[] = {1, 2, 5, 9, 64, 65, 130};

}  // namespace

TEST(paths_and_blankets_are_those_of_the_definition) {
    Random random(1, 0);
    for (const int n : sizes) {
        // One workspace for all, as what it keeps of one DAG must not show in the next.
        DagRelation any(Relation::ancestor, n, 0);
        DagRelation three(Relation::ancestor, n, 3);
        DagRelation blanket(Relation::blanket, n, 0);
        for (int trial = 0; trial < (n < 20 ? 60 : 3); ++trial) {
            const Drawn dag = draw_dag(random, n, n < 20 ? 0.4 : 3.0 / n);
            CHECK(same(paths(dag.edge, n), any.of(dag.parents.data())));
            CHECK(same(paths(dag.edge, 3), three.of(dag.parents.data())));
            CHECK(same(blankets(dag.edge), blanket.of(dag.parents.data())));
        }
    }
}

TEST(a_class_is_the_skeleton_with_some_edges_both_ways) {
    Random random(2, 0);
    for (const int n : sizes) {
        DagRelation whole(Relation::cpdag, n, 0);
        DagRelation fixed(Relation::compelled, n, 0);
        DagRelation loose(Relation::reversible, n, 0);
        for (int trial = 0; trial < 5; ++trial) {
            const Drawn dag = draw_dag(random, n, n < 20 ? 0.5 : 3.0 / n);
            const std::size_t words = words_for(dag.edge.size());
            const std::uint64_t* class_rows = whole.of(dag.parents.data());
            const std::uint64_t* fixed_rows = fixed.of(dag.parents.data());
            const std::uint64_t* loose_rows = loose.of(dag.parents.data());
            for (int u = 0; u < n; ++u) {
                for (int v = 0; v < n; ++v) {
                    const auto at = [&](const std::uint64_t* rows, int from, int to) {
                        return has_member(rows + static_cast<std::size_t>(to) * words, from);
                    };
                    const bool there =
                        dag.edge[static_cast<std::size_t>(u)][static_cast<std::size_t>(v)];
                    const bool back =
                        dag.edge[static_cast<std::size_t>(v)][static_cast<std::size_t>(u)];
                    CHECK(at(class_rows, u, v) == (at(fixed_rows, u, v) || at(loose_rows, u, v)));
                    CHECK(at(loose_rows, u, v) == at(loose_rows, v, u));
                    CHECK(!at(fixed_rows, u, v) || (there && !at(loose_rows, u, v)));
                    CHECK((there || back) ==
                          (at(fixed_rows, u, v) || at(fixed_rows, v, u) || at(loose_rows, u, v)));
                }
            }
        }
    }
}

TEST(a_cycle_is_refused) {
    const std::vector<std::uint64_t> cycle = {4, 1, 2};
    for (const Relation relation : {Relation::ancestor, Relation::cpdag}) {
        CHECK_THROWS_KIND(DagRelation(relation, 3, 0).of(cycle.data()), argument);
    }
}

TEST(sums_are_the_same_bits_on_any_number_of_threads) {
    Random random(3, 0);
    for (const int n : {6, 70}) {
        const auto size = static_cast<std::size_t>(n);
        std::vector<std::uint64_t> parents;
        std::vector<Plain> edges;
        std::vector<double> weights;
        for (int i = 0; i < 300; ++i) {
            const Drawn dag = draw_dag(random, n, 0.1);
            parents.insert(parents.end(), dag.parents.begin(), dag.parents.end());
            edges.push_back(dag.edge);
            weights.push_back(random.uniform());
        }
        const ManyDags dags{parents.data(), edges.size(), n};
        const std::vector<std::uint64_t> offsets = {0, 7, 7, 150, 300};
        std::vector<double> expected(4 * size * size, 0.0);
        for (std::size_t group = 0; group < 4; ++group) {
            for (std::size_t i = offsets[group]; i < offsets[group + 1]; ++i) {
                for (std::size_t u = 0; u < size; ++u) {
                    for (std::size_t v = 0; v < size; ++v) {
                        if (edges[i][u][v]) expected[(group * size + u) * size + v] += weights[i];
                    }
                }
            }
        }
        for (const int threads : {1, 3}) {
            std::vector<double> sums(expected.size(), -1.0);
            relation_sums(dags, {Relation::edge, 0}, weights, offsets, sums,
                          {Processors{threads}, nullptr});
            CHECK(sums == expected);
            std::vector<std::uint32_t> counts(edges.size());
            edge_counts(dags, counts, {Processors{threads}, nullptr});
            std::vector<std::uint8_t> values(2 * edges.size());
            const std::vector<std::pair<int, int>> pairs = {{0, 1}, {n - 1, 0}};
            relation_values(dags, {Relation::edge, 0}, pairs, values,
                            {Processors{threads}, nullptr});
            for (std::size_t i = 0; i < edges.size(); ++i) {
                std::uint32_t count = 0;
                for (const std::vector<bool>& row : edges[i]) {
                    count += static_cast<std::uint32_t>(std::count(row.begin(), row.end(), true));
                }
                CHECK(counts[i] == count);
                CHECK((values[2 * i] == 1) == edges[i][0][1]);
                CHECK((values[2 * i + 1] == 1) == edges[i][size - 1][0]);
            }
        }
    }
}

TEST(equal_rows_get_the_same_number) {
    Random random(4, 0);
    constexpr std::size_t count = 5000;
    constexpr std::size_t width = 3;
    std::vector<std::uint64_t> rows;
    for (std::size_t i = 0; i < count * width; ++i) {
        rows.push_back(static_cast<std::uint64_t>(below(random, 15)) << 60);
    }
    const DistinctPatterns found = distinct_patterns(rows.data(), count, width, {});
    std::vector<std::vector<std::uint64_t>> seen;
    for (std::size_t i = 0; i < count; ++i) {
        const std::vector<std::uint64_t> row(&rows[i * width], &rows[i * width] + width);
        const auto at = std::find(seen.begin(), seen.end(), row);
        CHECK(found.number[i] == static_cast<std::uint64_t>(at - seen.begin()));
        if (at == seen.end()) {
            CHECK(found.first[seen.size()] == i);
            seen.push_back(row);
        }
    }
    CHECK(found.first.size() == seen.size());
    CHECK(seen.size() > 2000);
}
