// Families with parent-only nodes folded into them, seen from Python.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arcwise/exact/exact_computation.hpp"
#include "arcwise/families/fold_families.hpp"
#include "arcwise/support/bits.hpp"
#include "arrays.hpp"
#include "gate.hpp"

NB_MAKE_OPAQUE(arcwise::FamilyTable)

namespace arcwise::bindings {
namespace {

// DAGs x nodes x words.
using PackedDags =
    nb::ndarray<const std::uint64_t, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void check_parent_only(const FamilyTable& table, const std::vector<int>& parent_only) {
    int before = -1;
    for (const int node : parent_only) {
        if (node <= before || static_cast<std::size_t>(node) >= table.size()) {
            throw Error(ErrorKind::argument,
                        "Parent-only nodes must be nodes, each once, in ascending order.");
        }
        before = node;
    }
}

// Calls unfold(number, ordinary DAG, DAG) for each.
template <class Unfold>
auto unfolded(const FoldedFamilies& folded, const PackedDags& dags, Unfold unfold) {
    const std::size_t ordinary = folded.unfolding->ordinary().size();
    if (dags.shape(1) != ordinary || dags.shape(2) != words_for(ordinary)) {
        throw Error(ErrorKind::argument, "The DAGs must be of the ordinary nodes, 64 to a word.");
    }
    const std::size_t count = dags.shape(0);
    const auto nodes = static_cast<std::size_t>(folded.unfolding->nodes());
    auto [result, memory] = new_array<std::uint64_t>({count, nodes, words_for(nodes)});
    const std::uint64_t* from = dags.data();
    run_released(1, nb::none(), [&, to = memory.data()](const RunOptions&) {
        for (std::size_t i = 0; i < count; ++i) {
            unfold(i, from + i * ordinary * words_for(ordinary), to + i * nodes * words_for(nodes));
        }
    });
    return result;
}

}  // namespace

void bind_folded_families(nb::module_& module) {
    nb::class_<FoldedFamilies>(module, "FoldedFamilies")
        .def(
            "__init__",
            [](FoldedFamilies* self, const FamilyTable& table, const std::vector<int>& parent_only,
               int threads, nb::object progress) {
                check_parent_only(table, parent_only);
                new (self) FoldedFamilies(
                    run_released(threads, std::move(progress), [&](const RunOptions& options) {
                        return fold_families(table, parent_only, options);
                    }));
            },
            nb::arg("table"), nb::arg("parent_only"), nb::arg("threads"),
            nb::arg("progress").none())
        .def_ro("sums", &FoldedFamilies::sums)
        .def_ro("maxima", &FoldedFamilies::maxima)
        .def(
            "draw",
            [](const FoldedFamilies& self, const PackedDags& dags, std::uint64_t seed,
               std::uint64_t first) {
                return unfolded(self, dags,
                                [&](std::size_t i, const std::uint64_t* from, std::uint64_t* to) {
                                    Random random(seed, first + i);
                                    self.unfolding->draw(from, random, to);
                                });
            },
            nb::arg("dags"), nb::arg("seed"), nb::arg("first"),
            "DAGs over all nodes from DAGs over the ordinary ones; the parent-only parents are "
            "drawn, by the seed and the number of the DAG.")
        .def(
            "best",
            [](const FoldedFamilies& self, const PackedDags& dags) {
                return unfolded(self, dags,
                                [&](std::size_t, const std::uint64_t* from, std::uint64_t* to) {
                                    self.unfolding->take_best(from, to);
                                });
            },
            nb::arg("dags"), "The same with the parent-only parents of largest weight.")
        .def(
            "shares",
            [](const FoldedFamilies& self, const PackedDags& dags) {
                const auto n = static_cast<std::size_t>(self.unfolding->nodes());
                auto [edges, memory] = new_array<double>({n, n});
                ShareMemo memo;
                const std::size_t ordinary = self.unfolding->ordinary().size();
                if (dags.shape(0) != 1 || dags.shape(1) != ordinary ||
                    dags.shape(2) != words_for(ordinary)) {
                    throw Error(ErrorKind::argument, "There must be one DAG of ordinary nodes.");
                }
                self.unfolding->add_shares(dags.data(), memo, memory.data());
                return edges;
            },
            nb::arg("dags"),
            "The probabilities of edges from parent-only nodes, given a DAG of the ordinary ones.")
        .def(
            "probabilities",
            [](const FoldedFamilies& self, const FamilyTable& weights,
               const FamilyTable& of_folded) {
                if (weights.size() != static_cast<std::size_t>(self.unfolding->nodes()) ||
                    of_folded.size() != self.sums.size()) {
                    throw Error(ErrorKind::argument, "The tables must be those of this folding.");
                }
                ExactPosterior found;
                run_released(1, nb::none(), [&](const RunOptions&) {
                    found.probabilities = unfold_probabilities(weights, self, of_folded);
                    found.fill_edges();
                });
                const std::size_t n = weights.size();
                auto edges = copied(std::span<const double>(found.edges), {n, n});
                return std::tuple(std::move(found.probabilities), std::move(edges));
            },
            nb::arg("weights"), nb::arg("of_folded"),
            "The probabilities of all families and of edges, from those of the folded families.");
}

}  // namespace arcwise::bindings
