// Candidate parents by tests of independence, seen from Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arcwise/candidates/pc_skeleton.hpp"
#include "arrays.hpp"
#include "gate.hpp"

namespace arcwise::bindings {
namespace {

using Weights = std::optional<Vector<double>>;

auto skeleton(const IndependenceTest& test, Matrix<std::uint8_t> possible,
              Matrix<std::uint8_t> fixed, double alpha, int max_conditioning, int threads) {
    const auto n = static_cast<std::size_t>(test.variables());
    for (const auto& matrix : {possible, fixed}) {
        if (matrix.shape(0) != n || matrix.shape(1) != n) {
            throw Error(ErrorKind::argument, "A matrix must have a row and a column per node.");
        }
    }
    const PcSkeleton found = run_released(threads, nb::none(), [&](const RunOptions& options) {
        return pc_skeleton(test, view(possible), view(fixed), {alpha, max_conditioning}, options);
    });
    return std::tuple(copied(std::span<const std::uint8_t>(found.joined), {n, n}),
                      copied(std::span<const double>(found.log_p), {n, n}));
}

}  // namespace

void bind_candidates(nb::module_& module) {
    module.def(
        "pc_skeleton_discrete",
        [](Columns<std::uint16_t> codes, std::vector<std::uint32_t> level_counts, Weights weights,
           Matrix<std::uint8_t> possible, Matrix<std::uint8_t> fixed, double alpha,
           int max_conditioning, int threads) {
            DiscreteTable table;
            table.codes = view(codes);
            table.rows = codes.shape(0);
            table.level_counts = std::move(level_counts);
            if (weights) table.weights = view(*weights);
            return skeleton(*make_g_squared_test(std::move(table)), possible, fixed, alpha,
                            max_conditioning, threads);
        },
        nb::arg("codes"), nb::arg("level_counts"), nb::arg("weights").none(), nb::arg("possible"),
        nb::arg("fixed"), nb::arg("alpha"), nb::arg("max_conditioning"), nb::arg("threads"));
    module.def(
        "pc_skeleton_continuous",
        [](Columns<double> values, std::vector<std::string> names, Weights weights,
           Matrix<std::uint8_t> possible, Matrix<std::uint8_t> fixed, double alpha,
           int max_conditioning, int threads) {
            ContinuousTable table;
            table.values = view(values);
            table.rows = values.shape(0);
            table.names = std::move(names);
            if (weights) table.weights = view(*weights);
            return skeleton(*make_fisher_z_test(table), possible, fixed, alpha, max_conditioning,
                            threads);
        },
        nb::arg("values"), nb::arg("names"), nb::arg("weights").none(), nb::arg("possible"),
        nb::arg("fixed"), nb::arg("alpha"), nb::arg("max_conditioning"), nb::arg("threads"));
}

}  // namespace arcwise::bindings
