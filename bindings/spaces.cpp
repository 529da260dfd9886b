// Spaces, seen from Python, with the exact laws of what the algorithms do in them.
#include "spaces.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arcwise/chains/laws.hpp"
#include "arcwise/spaces/dags/dags.hpp"
#include "arcwise/spaces/layerings/layerings.hpp"
#include "arcwise/spaces/orders/bucket_orders.hpp"
#include "arcwise/spaces/orders/linear_orders.hpp"
#include "arcwise/spaces/orders/partial_orders.hpp"
#include "arcwise/spaces/partitions/partitions.hpp"
#include "score_sums.hpp"

namespace arcwise::bindings {
namespace {

using Law = std::vector<std::tuple<Code, double>>;

Law as_list(const std::map<Code, double>& law) { return Law(law.begin(), law.end()); }

}  // namespace

void bind_spaces(nb::module_& module) {
    nb::class_<PythonSpace>(module, "Space")
        .def_prop_ro("nodes", [](const PythonSpace& self) { return self.space->nodes(); })
        .def_prop_ro("log_size", [](const PythonSpace& self) { return self.space->log_size(); })
        .def_prop_ro("move_names", [](const PythonSpace& self) { return self.space->move_names(); })
        .def(
            "log_weight",
            [](const PythonSpace& self, const Code& code) {
                const auto state = self.space->make_state();
                state->decode(code);
                return std::tuple(state->log_weight().value, state->log_weight().impossible);
            },
            nb::arg("code"), "The log weight of a state, and its nodes without a parent set.")
        .def(
            "step_law",
            [](const PythonSpace& self, const Code& code, double inverse_temperature) {
                return as_list(step_law(*self.space, code, Temperature::at(inverse_temperature)));
            },
            nb::arg("code"), nb::arg("inverse_temperature"))
        .def(
            "tempered_law",
            [](const PythonSpace& self, const std::vector<double>& inverse_temperatures,
               int exchanges_per_step, const std::vector<Code>& codes) {
                TemperingOptions options;
                options.inverse_temperatures = inverse_temperatures;
                options.exchanges_per_step = exchanges_per_step;
                return as_list(tempered_law(*self.space, options, codes));
            },
            nb::arg("inverse_temperatures"), nb::arg("exchanges_per_step"), nb::arg("codes"))
        .def(
            "annealing_law",
            [](const PythonSpace& self, const std::vector<double>& inverse_temperatures) {
                std::vector<std::tuple<Code, double, double>> ends;
                for (AnnealedEnd& end : annealing_law(*self.space, inverse_temperatures)) {
                    ends.emplace_back(std::move(end.state), end.log_weight, end.probability);
                }
                return ends;
            },
            nb::arg("inverse_temperatures"))
        .def("uniform_law",
             [](const PythonSpace& self) { return as_list(uniform_law(*self.space)); });
    module.def(
        "linear_orders",
        [](const PythonScoreSums& sums, const LinearOrders::MoveWeights& move_weights) {
            return PythonSpace{sums.sums, std::make_shared<LinearOrders>(sums.sums, move_weights)};
        },
        nb::arg("sums"), nb::arg("move_weights"));
    module.def("balanced_moves", &LinearOrders::balanced, nb::arg("nodes"));
    module.def(
        "bucket_orders",
        [](const PythonScoreSums& sums, int bucket_size) {
            return PythonSpace{sums.sums, std::make_shared<BucketOrders>(sums.sums, bucket_size)};
        },
        nb::arg("sums"), nb::arg("bucket_size"));
    module.def(
        "partitions",
        [](const PythonScoreSums& sums, const Partitions::MoveWeights& move_weights) {
            return PythonSpace{sums.sums, std::make_shared<Partitions>(sums.sums, move_weights)};
        },
        nb::arg("sums"), nb::arg("move_weights"));
    module.def("usual_partition_moves", [] { return Partitions::usual; });
    module.def(
        "layerings",
        [](const PythonScoreSums& sums, int max_size, const Layerings::MoveWeights& move_weights,
           int partition_moves) {
            return PythonSpace{sums.sums, std::make_shared<Layerings>(
                                              sums.sums, max_size, move_weights, partition_moves)};
        },
        nb::arg("sums"), nb::arg("max_size"), nb::arg("move_weights"), nb::arg("partition_moves"));
    module.def("usual_layering_moves", [] { return Layerings::usual; });
    module.def(
        "usual_layer_size",
        [](const PythonScoreSums& sums) { return Layerings::usual_size(*sums.sums); },
        nb::arg("sums"));
    module.def(
        "dags",
        [](const PythonScoreSums& sums, const Dags::MoveWeights& move_weights) {
            return PythonSpace{sums.sums, std::make_shared<Dags>(sums.sums, move_weights)};
        },
        nb::arg("sums"), nb::arg("move_weights"));
    module.def("usual_dag_moves", [] { return Dags::usual; });
    module.def(
        "partial_orders",
        [](const PythonScoreSums& sums, std::vector<std::uint64_t> predecessors) {
            return PythonSpace{
                sums.sums, std::make_shared<PartialOrders>(*sums.sums, std::move(predecessors))};
        },
        nb::arg("sums"), nb::arg("predecessors"));
}

}  // namespace arcwise::bindings
