// The Python extension module arcwise._core_testing: what only tests and benchmarks ask of the
// core.
//
// It stands on a core of its own and takes the objects of arcwise._core, whose types nanobind
// shares between extensions. Installed packages do not have it.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "arcwise/exact/subset_recursion.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/registry.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"
#include "arrays.hpp"
#include "laws.hpp"
#include "score_sums.hpp"
#include "spaces.hpp"
#include "temperatures.hpp"

NB_MAKE_OPAQUE(arcwise::FamilyTable)

namespace arcwise::bindings {
namespace {

using Law = std::vector<std::tuple<Code, double>>;
// By the parents of each node as bits.
using DrawLaw = nb::typed<nb::dict, nb::typed<nb::tuple, nb::int_, nb::ellipsis>, double>;

Law as_list(const std::map<Code, double>& law) { return Law(law.begin(), law.end()); }

Pairs pairs_of(bool odd) { return odd ? Pairs::odd : Pairs::even; }

void bind_laws(nb::module_& module) {
    module.def("space_names", &space_names, "The names of all spaces of the core.");
    module.def(
        "log_weight",
        [](const PythonSpace& self, const Code& code, double bridge) {
            const auto state = self.space->make_state();
            go_to(*state, Temperature::at(1.0, bridge));
            state->decode(code);
            return std::tuple(state->log_weight().value, state->log_weight().zero_factors);
        },
        nb::arg("space"), nb::arg("code"), nb::arg("bridge") = 1.0,
        "The log weight of a state, and its nodes without a parent set.");
    module.def(
        "step_kernel",
        [](const PythonSpace& self, const std::vector<Code>& from, const std::vector<Code>& to,
           const PathPoint& point) {
            const auto kernel = step_kernel(*self.space, from, to, temperature_at(point));
            return copied(std::span<const double>(kernel), {from.size(), to.size()});
        },
        nb::arg("space"), nb::arg("from_codes"), nb::arg("to_codes"), nb::arg("point"),
        "The probability of a step from each state to each other; all that can be reached are "
        "listed.");
    module.def(
        "tempered_law",
        [](const PythonSpace& self, const Path& path, bool odd, const std::vector<Code>& codes) {
            return as_list(
                tempered_law(*self.space, temperatures_along(path), pairs_of(odd), codes));
        },
        nb::arg("space"), nb::arg("path"), nb::arg("odd"), nb::arg("codes"),
        "Where a step of every level and exchanges of the even or odd pairs lead.");
    module.def(
        "exchange_law",
        [](const PythonSpace& self, const Path& path, bool odd, const std::vector<Code>& codes) {
            return as_list(
                exchange_law(*self.space, temperatures_along(path), pairs_of(odd), codes));
        },
        nb::arg("space"), nb::arg("path"), nb::arg("odd"), nb::arg("codes"),
        "Where exchanges of the even or odd pairs alone lead.");
    module.def(
        "annealing_law",
        [](const PythonSpace& self, const Path& path, std::size_t population,
           const std::vector<Code>& starts) {
            std::vector<std::tuple<Code, double, double>> ends;
            for (AnnealedEnd& end :
                 annealing_law(*self.space, temperatures_along(path), population, starts)) {
                ends.emplace_back(std::move(end.states), end.log_weight, end.probability);
            }
            return ends;
        },
        nb::arg("space"), nb::arg("path"), nb::arg("population") = 1,
        nb::arg("starts") = std::vector<Code>(),
        "The last states, log weights and probabilities of all annealing runs that are possible.");
    module.def(
        "uniform_law", [](const PythonSpace& self) { return as_list(uniform_law(*self.space)); },
        nb::arg("space"), "The probability of each state to be a uniform draw.");
    module.def(
        "draw_law",
        [](const FamilyTable& weights, bool order_modular) {
            constexpr double tolerance = 1e-8;
            const auto computation = exact_computation(
                weights, order_modular ? ExactTarget::order_modular : ExactTarget::modular,
                tolerance);
            DrawLaw result;
            for (const auto& [parents, probability] : draw_law(*computation)) {
                nb::list key;
                for (const std::uint32_t set : parents) key.append(set);
                result[nb::tuple(key)] = probability;
            }
            return result;
        },
        nb::arg("weights"), nb::arg("order_modular"),
        "The probability of each DAG, by its parents as bits, to be drawn: for a few nodes.");
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

void log_sums_over(const PythonScoreSums& sums, int v, const std::vector<int>& base,
                   const std::vector<int>& nodes, Writable out) {
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

void bind_sums_and_recursion(nb::module_& module) {
    module.def("log_sums_over", &log_sums_over, nb::arg("sums"), nb::arg("node"), nb::arg("base"),
               nb::arg("places"), nb::arg("out").noconvert());
    module.def("parent_probabilities", &parent_probabilities, nb::arg("sums"), nb::arg("node"),
               nb::arg("base"), nb::arg("places"), nb::arg("log_factors"));
    module.def(
        "families_kept",
        [](const PythonScoreSums& sums, int v) { return sums.node(v).families_kept(); },
        nb::arg("sums"), nb::arg("node"));
    module.def(
        "forward_recursion",
        [](const FamilyTable& weights) {
            return copied(forward_recursion(BlockSums(weights), Semiring::sum, {}));
        },
        nb::arg("weights"), "ln F of every set by its bits, relative to the heaviest families.");
}

void bind_numbers(nb::module_& module) {
    module.def("philox", &philox, nb::arg("counter"), nb::arg("key"));
    module.def(
        "random_bits",
        [](std::uint64_t seed, std::uint64_t stream,
           nb::ndarray<std::uint64_t, nb::numpy, nb::ndim<1>, nb::c_contig> out) {
            Random random(seed, stream);
            for (std::size_t i = 0; i < out.size(); ++i) out.data()[i] = random.bits();
        },
        nb::arg("seed"), nb::arg("stream"), nb::arg("out"));
    module.def(
        "log_add_into",
        [](Writable larger, Vector<double> smaller) {
            if (larger.size() != smaller.size()) {
                throw Error(ErrorKind::argument, "Both arrays must have the same length.");
            }
            log_add_into(larger.data(), smaller.data(), larger.size());
        },
        nb::arg("larger").noconvert(), nb::arg("smaller"));
    const auto transform = [](void (*over_subsets)(double*, int)) {
        return [over_subsets](Writable table, int elements) {
            if (elements < 0 || elements > 40 || table.size() != std::size_t{1} << elements) {
                throw Error(ErrorKind::argument, "The table must have 2^elements entries.");
            }
            over_subsets(table.data(), elements);
        };
    };
    module.def("log_sum_over_subsets", transform(&log_sum_over_subsets),
               nb::arg("table").noconvert(), nb::arg("elements"));
    module.def("max_over_subsets", transform(&max_over_subsets), nb::arg("table").noconvert(),
               nb::arg("elements"));
}

}  // namespace
}  // namespace arcwise::bindings

NB_MODULE(_core_testing, module) {
    module.doc() = "The C++ core of arcwise as tests see it; a package for users does not have it.";
    nb::set_leak_warnings(false);
    // The types of the arguments below are those of this module.
    nb::module_::import_("arcwise._core");
    arcwise::bindings::register_errors();
    arcwise::bindings::bind_laws(module);
    arcwise::bindings::bind_sums_and_recursion(module);
    arcwise::bindings::bind_numbers(module);
}
