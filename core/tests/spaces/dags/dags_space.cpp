// The parts the space of DAGs stands on: weights of single families, counts of neighbours, and
// uniformly random DAGs.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "arcwise/spaces/dags/dag_neighbours.hpp"
#include "arcwise/spaces/dags/dags.hpp"
#include "arcwise/spaces/dags/family_weights.hpp"
#include "arcwise/spaces/dags/uniform_dags.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/support/bits.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

using Row = std::vector<std::uint64_t>;

ScoreSums sums_of(const FamilyTable& table, SumMethod method) {
    return ScoreSums(table, std::vector<SumMethod>(table.size(), method), 1e-12, Tabulated::sums,
                     RunOptions{});
}

// All sets of up to `most` of some of the others; `zeros` of them have weight zero, all but the
// smallest; one parent may be required.
FamilyTable generated_table(int nodes, int most, double share, double zeros, bool required,
                            Random& random) {
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> candidates = subset(random, nodes, share);
        std::vector<int> needed;
        if (required && node > 0 && below(random, 2) == 0) needed = {below(random, node)};
        std::erase(candidates, node);
        for (const int parent : needed) std::erase(candidates, parent);
        table.emplace_back(std::move(candidates), std::move(needed), most);
        set_weights(table.back(), random, 10.0, zeros);
        table.back().values()[0] = -1.0;
    }
    return table;
}

Row row_of(const std::vector<int>& members, std::size_t words) {
    Row row(words, 0);
    for (const int member : members) put_member(row.data(), member);
    return row;
}

double looked_up(const NodeFamilies& families, const std::vector<int>& parents) {
    const std::int64_t index = families.find(parents);
    return index < 0 ? minus_infinity : families.values()[static_cast<std::size_t>(index)];
}

std::vector<int> members_of(const std::uint64_t* row, std::size_t words) {
    std::vector<int> members;
    for_each_member(row, words, [&](int node) { members.push_back(node); });
    return members;
}

// A DAG with few edges, each from a smaller to a larger number by a random order.
MutableDag random_dag(int nodes, double share, Random& random) {
    std::vector<int> order;
    for (int node = 0; node < nodes; ++node) {
        order.insert(order.begin() + below(random, node + 1), node);
    }
    MutableDag dag(nodes);
    for (int place = 1; place < nodes; ++place) {
        std::vector<int> parents;
        for (const int earlier : subset(random, place, share)) {
            parents.push_back(order[static_cast<std::size_t>(earlier)]);
        }
        dag.set_parents(order[static_cast<std::size_t>(place)],
                        row_of(parents, dag.words()).data());
    }
    return dag;
}

// The edges that can be added, deleted and reversed, each by trying it.
struct Tried {
    std::vector<std::pair<int, int>> edges[DagNeighbours::kinds];
};

Tried try_all(const MutableDag& dag, const FamilyTable& table, NeighbourRule rule, int most) {
    const auto has_family = [&](const MutableDag& other, int node) {
        const std::vector<int> parents = members_of(other.parents(node), other.words());
        if (rule == NeighbourRule::any) return static_cast<int>(parents.size()) <= most;
        return looked_up(table[static_cast<std::size_t>(node)], parents) > minus_infinity;
    };
    const auto flipped = [](MutableDag& other, int parent, int node) {
        Row row(other.parents(node), other.parents(node) + other.words());
        flip_member(row.data(), parent);
        other.set_parents(node, row.data());
    };
    Tried found;
    for (int node = 0; node < dag.nodes(); ++node) {
        for (int parent = 0; parent < dag.nodes(); ++parent) {
            if (parent == node) continue;
            MutableDag other = dag;
            flipped(other, parent, node);
            const bool there = dag.has(parent, node);
            if (other.acyclic() && has_family(other, node)) {
                found.edges[there ? DagNeighbours::remove : DagNeighbours::add].push_back(
                    {node, parent});
            }
            if (!there) continue;
            flipped(other, node, parent);
            if (other.acyclic() && has_family(other, node) && has_family(other, parent)) {
                found.edges[DagNeighbours::reverse].push_back({node, parent});
            }
        }
    }
    return found;
}

bool same(const DagNeighbours& neighbours, const Tried& tried) {
    for (int kind = 0; kind < DagNeighbours::kinds; ++kind) {
        const auto which = static_cast<DagNeighbours::Kind>(kind);
        if (neighbours.count(which) != tried.edges[kind].size()) return false;
        for (std::size_t index = 0; index < tried.edges[kind].size(); ++index) {
            const auto [parent, node] = neighbours.at(which, index);
            if (tried.edges[kind][index] != std::pair(node, parent)) return false;
        }
    }
    return true;
}

}  // namespace

TEST(weights_of_families_are_those_of_the_table) {
    Random random(5, 0);
    for (const int nodes : {1, 3, 9, 70}) {
        for (const double zeros : {0.0, 0.3, 0.97}) {
            const int most = nodes > 9 ? 2 : 4;
            const FamilyTable table = generated_table(nodes, most, 0.8, zeros, true, random);
            const ScoreSums sums = sums_of(table, SumMethod::scan);
            const FamilyWeights weights(sums);
            for (int trial = 0; trial < 400; ++trial) {
                const int node = below(random, nodes);
                std::vector<int> parents = subset(random, nodes, nodes > 9 ? 0.03 : 0.4);
                std::erase(parents, node);
                const NodeFamilies& own = table[static_cast<std::size_t>(node)];
                if (trial % 2 == 0) {
                    const auto family =
                        static_cast<std::uint64_t>(below(random, static_cast<int>(own.count())));
                    parents = own.parents_of(family);
                }
                const double expected = looked_up(own, parents);
                const Row row = row_of(parents, weights.words());
                CHECK(weights.find(node, row.data()) == expected);
                const LogWeight weight = weights.weigh(node, row.data());
                CHECK((weight.zero_factors > 0) == (expected == minus_infinity));
                CHECK(std::isfinite(weight.value));
            }
        }
    }
}

TEST(neighbours_are_those_found_by_trying) {
    Random random(6, 0);
    for (const int nodes : {1, 2, 6, 67}) {
        for (const double zeros : {0.0, 0.3}) {
            const int most = nodes > 6 ? 2 : 3;
            const FamilyTable table = generated_table(nodes, most, 0.9, zeros, false, random);
            const ScoreSums sums = sums_of(table, SumMethod::scan);
            const FamilyWeights weights(sums);
            for (const NeighbourRule rule : {NeighbourRule::families, NeighbourRule::any}) {
                MutableDag dag(nodes);
                DagNeighbours neighbours(weights);
                neighbours.look_at(dag, rule);
                for (int trial = 0; trial < (nodes > 6 ? 6 : 40); ++trial) {
                    // One or two nodes get other parents, as many as the rule has families of.
                    const MutableDag other = random_dag(nodes, nodes > 6 ? 0.02 : 0.3, random);
                    for (int node = 0; node < nodes; ++node) {
                        const std::vector<int> parents =
                            members_of(other.parents(node), dag.words());
                        const bool fits =
                            rule == NeighbourRule::any
                                ? static_cast<int>(parents.size()) <= weights.most_parents()
                                : weights.find(node, other.parents(node)) > minus_infinity;
                        if (!fits) continue;
                        MutableDag changed = dag;
                        changed.set_parents(node, other.parents(node));
                        if (!changed.acyclic()) continue;
                        const int nodes_changed[] = {node};
                        neighbours.change(dag, nodes_changed, other.parents(node));
                        if (below(random, 3) == 0) neighbours.take_back(dag);
                    }
                    CHECK(same(neighbours, try_all(dag, table, rule, weights.most_parents())));
                }
            }
        }
    }
}

TEST(counts_of_dags_are_those_of_robinson) {
    // With up to three, two and one parents, by inclusion and exclusion over the nodes without
    // children: a(n) = sum over j of (-1)^(j + 1) C(n, j) (sets of n - j nodes)^j a(n - j).
    for (const int most : {0, 1, 2, 3, 20}) {
        std::vector<long double> counts{1.0L};
        for (int n = 1; n <= 9; ++n) {
            long double sum = 0.0L;
            long double choose = 1.0L;
            for (int j = 1; j <= n; ++j) {
                choose = choose * (n - j + 1) / j;
                long double sets = 0.0L;
                long double some = 1.0L;
                for (int size = 0; size <= std::min(most, n - j); ++size) {
                    sets += some;
                    some = some * (n - j - size) / (size + 1);
                }
                const long double sign = j % 2 == 1 ? 1.0L : -1.0L;
                sum += sign * choose * std::pow(sets, static_cast<long double>(j)) *
                       counts[static_cast<std::size_t>(n - j)];
            }
            counts.push_back(sum);
            CHECK_CLOSE(UniformDags(n, most).log_count(), static_cast<double>(std::log(sum)),
                        1e-12 * n * n);
        }
    }
}

TEST(uniform_dags_of_many_nodes_are_acyclic_and_have_few_parents) {
    Random random(8, 0);
    for (const int nodes : {5, 40, 90}) {
        for (const int most : {1, 3, 89}) {
            const UniformDags uniform(nodes, most);
            MutableDag dag(nodes);
            Row rows(static_cast<std::size_t>(nodes) * dag.words());
            for (int trial = 0; trial < 20; ++trial) {
                uniform.draw(random, rows.data());
                MutableDag drawn(nodes);
                for (int node = 0; node < nodes; ++node) {
                    const std::uint64_t* row =
                        rows.data() + static_cast<std::size_t>(node) * dag.words();
                    CHECK(static_cast<int>(count_members(row, dag.words())) <= most);
                    drawn.set_parents(node, row);
                }
                CHECK(drawn.acyclic());
            }
        }
    }
}

TEST(states_of_dags_refuse_codes_that_are_none) {
    Random random(9, 0);
    const auto sums = std::make_shared<const ScoreSums>(
        sums_of(generated_table(3, 1, 1.1, 0.0, false, random), SumMethod::table));
    const Dags space(sums);
    const auto state = space.make_state();
    const auto decoded = [&](std::vector<std::uint16_t> code) { state->decode(code); };
    decoded({0, 1, 2});
    CHECK(state->encode() == (std::vector<std::uint16_t>{0, 1, 2}));
    CHECK_THROWS_KIND(decoded({0, 1}), argument);
    CHECK_THROWS_KIND(decoded({2, 1, 0}), argument);  // a cycle
    CHECK_THROWS_KIND(decoded({1, 0, 0}), argument);  // its own parent
    CHECK_THROWS_KIND(decoded({0, 0, 3}), argument);  // too many parents
    CHECK_THROWS_KIND(decoded({8, 0, 0}), argument);  // no such node
}

TEST(chains_settle_where_the_constraints_allow) {
    // From a uniformly random DAG of many edges to one within a few candidates.
    Random random(10, 0);
    const auto sums = std::make_shared<const ScoreSums>(
        sums_of(generated_table(60, 4, 0.1, 0.0, false, random), SumMethod::table));
    const Dags space(sums);
    const auto state = space.make_state();
    state->draw_uniform(random);
    CHECK(state->log_weight().zero_factors > 0);
    settle(*state, random);
    CHECK(state->log_weight().zero_factors == 0);
}
