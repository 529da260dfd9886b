// What many DAGs say about pairs of nodes, seen from Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arcwise/relations/many_dags.hpp"
#include "arrays.hpp"
#include "packed_dags.hpp"

namespace arcwise::bindings {
namespace {

RelationAsked asked_for(const std::string& relation, int longest) {
    static const std::pair<const char*, Relation> names[] = {
        {"edge", Relation::edge},
        {"ancestor", Relation::ancestor},
        {"skeleton", Relation::skeleton},
        {"blanket", Relation::blanket},
        {"cpdag", Relation::cpdag},
        {"compelled", Relation::compelled},
        {"reversible", Relation::reversible},
    };
    for (const auto& [name, value] : names) {
        if (relation == name) return {value, longest};
    }
    throw Error(ErrorKind::argument, "There is no relation '" + relation + "'.");
}

ManyDags many(const PackedDags& parents) {
    return {parents.data(), parents.shape(0), nodes_of(parents)};
}

}  // namespace

void bind_relations(nb::module_& module) {
    module.def(
        "find_faulty_dag",
        [](PackedDags parents,
           int threads) -> std::optional<std::tuple<std::size_t, int, std::string>> {
            const ManyDags dags = many(parents);
            const std::optional<FaultyDag> found = run_released(
                threads, nb::none(), [&](const RunOptions& o) { return find_faulty_dag(dags, o); });
            if (!found) return std::nullopt;
            const char* const names[] = {"beyond", "loop", "cycle"};
            return std::tuple(found->dag, found->node,
                              std::string(names[static_cast<std::size_t>(found->fault)]));
        },
        nb::arg("parents"), nb::arg("threads"),
        "The first of the graphs that is no DAG, one of its nodes, and what is wrong: a parent "
        "beyond the nodes, a loop or a cycle; None if all are DAGs.");
    module.def(
        "relation_sums",
        [](PackedDags parents, const std::string& relation, int longest,
           std::optional<Vector<double>> weights, Vector<std::uint64_t> offsets, int threads) {
            const ManyDags dags = many(parents);
            const std::span<const std::uint64_t> ends = view(offsets);
            if (ends.empty() || ends.front() != 0 || ends.back() != dags.count ||
                !std::is_sorted(ends.begin(), ends.end()) ||
                (weights && weights->size() != dags.count)) {
                throw Error(ErrorKind::argument,
                            "The weights and groups are not those of the DAGs.");
            }
            const auto n = static_cast<std::size_t>(dags.nodes);
            auto [array, sums] = new_array<double>({ends.size() - 1, n, n});
            const std::span<const double> each =
                weights ? view(*weights) : std::span<const double>();
            run_released(threads, nb::none(), [&, sums = sums](const RunOptions& o) {
                relation_sums(dags, asked_for(relation, longest), each, ends, sums, o);
            });
            return array;
        },
        nb::arg("parents"), nb::arg("relation"), nb::arg("longest"), nb::arg("weights").none(),
        nb::arg("offsets"), nb::arg("threads"),
        "The summed weights of the DAGs that relate u to v, as [group, u, v].");
    module.def(
        "relation_values",
        [](PackedDags parents, const std::string& relation, int longest,
           const std::vector<std::pair<int, int>>& pairs, int threads) {
            const ManyDags dags = many(parents);
            for (const auto& [source, target] : pairs) {
                if (std::min(source, target) < 0 || std::max(source, target) >= dags.nodes) {
                    throw Error(ErrorKind::argument, "A pair names a node that is not there.");
                }
            }
            auto [array, values] = new_array<std::uint8_t>({dags.count, pairs.size()});
            run_released(threads, nb::none(), [&, values = values](const RunOptions& o) {
                relation_values(dags, asked_for(relation, longest), pairs, values, o);
            });
            return array;
        },
        nb::arg("parents"), nb::arg("relation"), nb::arg("longest"), nb::arg("pairs"),
        nb::arg("threads"), "1 for each DAG and pair (u, v) where the DAG relates u to v.");
    module.def(
        "relation_rows",
        [](PackedDags parents, const std::string& relation, int longest, int threads) {
            const ManyDags dags = many(parents);
            auto [array, rows] = new_array<std::uint64_t>(
                {dags.count, static_cast<std::size_t>(dags.nodes), dags.words()});
            run_released(threads, nb::none(), [&, rows = rows](const RunOptions& o) {
                relation_rows(dags, asked_for(relation, longest), rows, o);
            });
            return array;
        },
        nb::arg("parents"), nb::arg("relation"), nb::arg("longest"), nb::arg("threads"),
        "The nodes related to each node of each DAG, packed as the parents are.");
    module.def(
        "edge_counts",
        [](PackedDags parents, int threads) {
            const ManyDags dags = many(parents);
            auto [array, counts] = new_array<std::uint32_t>({dags.count});
            run_released(threads, nb::none(), [&, counts = counts](const RunOptions& o) {
                edge_counts(dags, counts, o);
            });
            return array;
        },
        nb::arg("parents"), nb::arg("threads"), "The number of edges of each DAG.");
    module.def(
        "distinct_patterns",
        [](Matrix<std::uint64_t> rows) {
            const DistinctPatterns found = run_released(1, nb::none(), [&](const RunOptions& o) {
                return distinct_patterns(rows.data(), rows.shape(0), rows.shape(1), o);
            });
            // Signed, as NumPy before 2.3 refuses to count or repeat by unsigned numbers.
            const auto whole = [](const auto& numbers) {
                return copied(std::vector<std::int64_t>(numbers.begin(), numbers.end()));
            };
            return std::tuple(whole(found.first), whole(found.number));
        },
        nb::arg("rows"),
        "Where each different row first appears, and the number of each row among them.");
}

}  // namespace arcwise::bindings
