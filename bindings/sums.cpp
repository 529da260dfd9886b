// Score sums, seen from Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "arcwise/chains/dags_by_node.hpp"
#include "gate.hpp"
#include "score_sums.hpp"

NB_MAKE_OPAQUE(arcwise::FamilyTable)

namespace arcwise::bindings {
namespace {

using Required = std::optional<std::vector<int>>;

double log_sum(PythonScoreSums& sums, int v, const std::vector<int>& allowed,
               const Required& required) {
    const auto inside = sums.bits(v, allowed);
    if (!required) return sums.node(v).log_sum(inside.data());
    const auto wanted = sums.bits(v, *required);
    return sums.node(v).log_sum(inside.data(), wanted.data(), sums.memo);
}

std::tuple<double, std::optional<std::vector<int>>> best(const PythonScoreSums& sums, int v,
                                                         const std::vector<int>& allowed,
                                                         const Required& required) {
    const auto inside = sums.bits(v, allowed);
    const auto wanted = sums.bits(v, required.value_or(std::vector<int>{}));
    const std::int64_t place = sums.node(v).best(inside.data(), required ? wanted.data() : nullptr);
    if (place < 0) return {-std::numeric_limits<double>::infinity(), std::nullopt};
    return {sums.node(v).weight(place), sums.sums->family(v, place)};
}

std::vector<std::vector<int>> draw(PythonScoreSums& sums, int v, const std::vector<int>& allowed,
                                   const Required& required, std::size_t count, std::uint64_t seed,
                                   std::uint64_t stream) {
    const auto inside = sums.bits(v, allowed);
    const auto wanted = sums.bits(v, required.value_or(std::vector<int>{}));
    Random random(seed, stream);
    std::vector<std::vector<int>> result;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t place =
            required ? sums.node(v).draw(inside.data(), wanted.data(), sums.memo, random)
                     : sums.node(v).draw(inside.data(), random);
        if (place < 0) break;
        result.push_back(sums.sums->family(v, place));
    }
    return result;
}

// Sets of places are the bits of an index, so there may be no more than this.
constexpr std::size_t most_places = 24;

// Where nodes stand among the possible parents of v; -1 for those that are none.
std::vector<int> places_of(const PythonScoreSums& sums, int v, const std::vector<int>& nodes) {
    if (nodes.size() > most_places) throw Error(ErrorKind::argument, "There are too many places.");
    sums.node(v);
    std::vector<int> places;
    for (const int node : nodes) {
        sums.node(node);
        places.push_back(sums.sums->place(v, node));
    }
    return places;
}

using Doubles = nb::ndarray<double, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void log_sums_over(const PythonScoreSums& sums, int v, const std::vector<int>& base,
                   const std::vector<int>& nodes, Doubles out) {
    const std::vector<int> places = places_of(sums, v, nodes);
    if (out.shape(0) != std::size_t{1} << places.size()) {
        throw Error(ErrorKind::argument, "There must be room for every set of places.");
    }
    sums.node(v).log_sums_over(sums.bits(v, base).data(), places, out.data());
}

// By node.
std::vector<double> parent_probabilities(const PythonScoreSums& sums, int v,
                                         const std::vector<int>& base,
                                         const std::vector<int>& nodes,
                                         const std::vector<double>& log_factors) {
    const std::vector<int> places = places_of(sums, v, nodes);
    if (log_factors.size() != std::size_t{1} << places.size()) {
        throw Error(ErrorKind::argument, "Every set of places needs a factor.");
    }
    const std::vector<int>& possible = sums.sums->possible_parents(v);
    std::vector<double> by_place(possible.size(), 0.0);
    sums.node(v).add_parent_probabilities(sums.bits(v, base).data(), places, log_factors.data(),
                                          by_place.data());
    std::vector<double> by_node(static_cast<std::size_t>(sums.sums->nodes()), 0.0);
    for (std::size_t i = 0; i < possible.size(); ++i) {
        by_node[static_cast<std::size_t>(possible[i])] = by_place[i];
    }
    return by_node;
}

SumMethod as_method(const std::string& name) {
    if (name == "table") return SumMethod::table;
    if (name == "rows") return SumMethod::rows;
    if (name == "walk") return SumMethod::walk;
    if (name == "scan") return SumMethod::scan;
    throw Error(ErrorKind::argument, "There is no way to sum called " + name + ".");
}

Tabulated as_tabulated(const std::string& name) {
    if (name == "sums") return Tabulated::sums;
    if (name == "maxima") return Tabulated::maxima;
    if (name == "both") return Tabulated::both;
    throw Error(ErrorKind::argument, "Nothing called " + name + " can be tabulated.");
}

}  // namespace

void bind_sums(nb::module_& module) {
    nb::class_<PythonScoreSums>(module, "ScoreSums")
        .def(
            "__init__",
            [](PythonScoreSums* self, const FamilyTable& table,
               const std::vector<std::string>& methods, double tolerance,
               const std::string& tabulated, int threads, nb::object progress,
               const FoldedFamilies* folded) {
                if (methods.size() != table.size()) {
                    throw Error(ErrorKind::argument, "Every node needs a method.");
                }
                std::vector<SumMethod> by_node;
                for (const std::string& method : methods) by_node.push_back(as_method(method));
                new (self) PythonScoreSums{
                    run_released(threads, std::move(progress),
                                 [&](const RunOptions& o) {
                                     return std::make_shared<const ScoreSums>(
                                         table, by_node, tolerance, as_tabulated(tabulated), o,
                                         folded == nullptr ? nullptr : folded->unfolding);
                                 }),
                    SumMemo()};
            },
            nb::arg("table"), nb::arg("methods"), nb::arg("tolerance"), nb::arg("tabulated"),
            nb::arg("threads"), nb::arg("progress").none(), nb::arg("folded").none() = nb::none())
        .def(
            "write",
            [](const PythonScoreSums& self, const std::string& path) {
                const nb::gil_scoped_release release;
                self.sums->write(path);
            },
            nb::arg("path"))
        .def_static(
            "map",
            [](const std::string& path, std::size_t start) {
                return PythonScoreSums{
                    std::make_shared<const ScoreSums>(ScoreSums::map(path, start)), SumMemo()};
            },
            nb::arg("path"), nb::arg("start"))
        .def("log_sum", &log_sum, nb::arg("node"), nb::arg("allowed"), nb::arg("required").none())
        .def(
            "max",
            [](const PythonScoreSums& sums, int v, const std::vector<int>& allowed) {
                return sums.node(v).max(sums.bits(v, allowed).data());
            },
            nb::arg("node"), nb::arg("allowed"))
        .def("best", &best, nb::arg("node"), nb::arg("allowed"), nb::arg("required").none())
        .def("log_sums_over", &log_sums_over, nb::arg("node"), nb::arg("base"), nb::arg("places"),
             nb::arg("out"))
        .def("parent_probabilities", &parent_probabilities, nb::arg("node"), nb::arg("base"),
             nb::arg("places"), nb::arg("log_factors"))
        .def(
            "families_kept",
            [](const PythonScoreSums& sums, int v) { return sums.node(v).families_kept(); },
            nb::arg("node"))
        .def(
            "log_totals_by_node",
            [](const PythonScoreSums& self, std::size_t particles, int redraws,
               std::size_t populations, std::uint64_t seed, int threads, nb::object progress) {
                if (particles == 0 || redraws < 0) {
                    throw Error(ErrorKind::argument, "A population needs a DAG.");
                }
                return run_released(threads, std::move(progress), [&](const RunOptions& o) {
                    return log_totals_by_node(*self.sums, {particles, redraws}, populations, seed,
                                              o);
                });
            },
            nb::arg("particles"), nb::arg("redraws"), nb::arg("populations"), nb::arg("seed"),
            nb::arg("threads"), nb::arg("progress").none(),
            "ln of unbiased estimates of the total weight of all DAGs, one of each population.")
        .def("draw", &draw, nb::arg("node"), nb::arg("allowed"), nb::arg("required").none(),
             nb::arg("count"), nb::arg("seed"), nb::arg("stream"));
}

}  // namespace arcwise::bindings
