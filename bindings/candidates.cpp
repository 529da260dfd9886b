// Candidate parents by tests of independence, seen from Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "arcwise/candidates/pc_skeleton.hpp"
#include "arrays.hpp"
#include "gate.hpp"

namespace arcwise::bindings {
namespace {

using Weights = std::optional<Vector<double>>;

void search(const IndependenceTest& test, Matrix<std::uint8_t> possible, Matrix<std::uint8_t> fixed,
            const PcSettings& settings, int threads, nb::object progress, PcSkeleton& found) {
    const auto n = static_cast<std::size_t>(test.variables());
    for (const auto& matrix : {possible, fixed}) {
        if (matrix.shape(0) != n || matrix.shape(1) != n) {
            throw Error(ErrorKind::argument, "A matrix must have a row and a column per node.");
        }
    }
    run_released(threads, std::move(progress), [&](const RunOptions& options) {
        pc_skeleton(test, view(possible), view(fixed), settings, options, found);
    });
}

std::size_t variables(const PcSkeleton& skeleton) {
    return static_cast<std::size_t>(std::llround(std::sqrt(skeleton.joined.size())));
}

}  // namespace

void bind_candidates(nb::module_& module) {
    nb::class_<PcSkeleton>(module, "PcSkeleton")
        .def(nb::init<>())
        .def("joined",
             [](const PcSkeleton& self) {
                 const std::size_t n = variables(self);
                 return copied(std::span<const std::uint8_t>(self.joined), {n, n});
             })
        .def("log_p",
             [](const PcSkeleton& self) {
                 const std::size_t n = variables(self);
                 return copied(std::span<const double>(self.log_p), {n, n});
             })
        .def_ro("conditioned", &PcSkeleton::conditioned)
        .def_ro("complete", &PcSkeleton::complete);
    module.def(
        "pc_skeleton_discrete",
        [](PcSkeleton& found, Columns<std::uint16_t> codes, std::vector<std::uint32_t> level_counts,
           Weights weights, Matrix<std::uint8_t> possible, Matrix<std::uint8_t> fixed, double alpha,
           int max_conditioning, double most_work, int threads, nb::object progress) {
            DiscreteTable table;
            table.codes = view(codes);
            table.rows = codes.shape(0);
            table.level_counts = std::move(level_counts);
            if (weights) table.weights = view(*weights);
            search(*make_g_squared_test(std::move(table)), possible, fixed,
                   {alpha, max_conditioning, most_work}, threads, std::move(progress), found);
        },
        nb::arg("found"), nb::arg("codes"), nb::arg("level_counts"), nb::arg("weights").none(),
        nb::arg("possible"), nb::arg("fixed"), nb::arg("alpha"), nb::arg("max_conditioning"),
        nb::arg("most_work"), nb::arg("threads"), nb::arg("progress").none());
    module.def(
        "pc_skeleton_continuous",
        [](PcSkeleton& found, Columns<double> values, std::vector<std::string> names,
           Weights weights, Matrix<std::uint8_t> possible, Matrix<std::uint8_t> fixed, double alpha,
           int max_conditioning, double most_work, int threads, nb::object progress) {
            ContinuousTable table;
            table.values = view(values);
            table.rows = values.shape(0);
            table.names = std::move(names);
            if (weights) table.weights = view(*weights);
            search(*make_fisher_z_test(table), possible, fixed,
                   {alpha, max_conditioning, most_work}, threads, std::move(progress), found);
        },
        nb::arg("found"), nb::arg("values"), nb::arg("names"), nb::arg("weights").none(),
        nb::arg("possible"), nb::arg("fixed"), nb::arg("alpha"), nb::arg("max_conditioning"),
        nb::arg("most_work"), nb::arg("threads"), nb::arg("progress").none());
    module.def(
        "pc_skeleton_blocks",
        [](PcSkeleton& found, Columns<double> values, std::vector<std::string> names,
           std::vector<int> starts, Weights weights, Matrix<std::uint8_t> possible,
           Matrix<std::uint8_t> fixed, double alpha, int max_conditioning, double most_work,
           int threads, nb::object progress) {
            if (starts.empty() || starts.front() != 0 ||
                starts.back() != static_cast<int>(values.shape(1)) ||
                !std::is_sorted(starts.begin(), starts.end())) {
                throw Error(ErrorKind::argument, "Columns must belong to the variables in order.");
            }
            ContinuousTable table;
            table.values = view(values);
            table.rows = values.shape(0);
            table.names = std::move(names);
            if (weights) table.weights = view(*weights);
            search(*make_block_test(table, std::move(starts)), possible, fixed,
                   {alpha, max_conditioning, most_work}, threads, std::move(progress), found);
        },
        nb::arg("found"), nb::arg("values"), nb::arg("names"), nb::arg("starts"),
        nb::arg("weights").none(), nb::arg("possible"), nb::arg("fixed"), nb::arg("alpha"),
        nb::arg("max_conditioning"), nb::arg("most_work"), nb::arg("threads"),
        nb::arg("progress").none());
}

}  // namespace arcwise::bindings
