// Numbers of topological sorts, counted and estimated, seen from Python.
#include "arcwise/linear_extensions/linear_extensions.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "packed_dags.hpp"

namespace arcwise::bindings {

void bind_linear_extensions(nb::module_& module) {
    module.attr("LINEAR_EXTENSIONS_BUDGET") = LinearExtensions::default_budget;
    module.def(
        "log_linear_extensions",
        [](PackedDags parents, std::size_t budget, int threads, nb::object progress) {
            const int nodes = nodes_of(parents);
            auto* logs = new std::vector<double>(parents.shape(0));
            const nb::capsule owner(
                logs, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
            run_released(threads, std::move(progress), [&](const RunOptions& o) {
                log_linear_extensions(parents.data(), nodes, budget, *logs, o);
            });
            return nb::ndarray<nb::numpy, double, nb::ndim<1>>(logs->data(), {logs->size()}, owner);
        },
        nb::arg("parents"), nb::arg("budget"), nb::arg("threads"), nb::arg("progress").none(),
        "ln of the number of linear extensions of each DAG.");
    module.def(
        "linear_extensions_modulo",
        [](PackedDags parents, std::size_t budget, const std::vector<std::uint64_t>& primes) {
            const int nodes = nodes_of(parents);
            std::vector<std::uint64_t> remainders(primes.size());
            run_released(1, nb::none(), [&](const RunOptions& o) {
                run_tasks(1, 1, o, [&](std::size_t, TaskContext& context) {
                    LinearExtensions(budget).count_modulo(parents.data(), nodes, primes, remainders,
                                                          &context);
                });
            });
            return remainders;
        },
        nb::arg("parents"), nb::arg("budget"), nb::arg("primes"),
        "The number of linear extensions of the first DAG modulo each prime.");
    module.def(
        "estimate_linear_extensions",
        [](PackedDags parents, std::size_t sets, int runs, std::size_t exact_sets, int exact_nodes,
           std::uint64_t seed, int threads, nb::object progress) {
            const int nodes = nodes_of(parents);
            const EstimateOptions settings{sets, runs, exact_sets, exact_nodes};
            const LinearExtensionEstimate estimate =
                run_released(threads, std::move(progress), [&](const RunOptions& o) {
                    return estimate_linear_extensions(parents.data(), nodes, settings, seed, o);
                });
            return std::tuple(estimate.log_count, estimate.standard_error);
        },
        nb::arg("parents"), nb::arg("sets"), nb::arg("runs"), nb::arg("exact_sets"),
        nb::arg("exact_nodes"), nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none(),
        "ln of an unbiased estimate for the first DAG, and its relative standard error.");
    module.def(
        "log_estimates_of_linear_extensions",
        [](PackedDags parents, std::size_t sets, int runs, std::size_t exact_sets, int exact_nodes,
           std::uint64_t seed, int threads, nb::object progress) {
            const int nodes = nodes_of(parents);
            const EstimateOptions settings{sets, runs, exact_sets, exact_nodes};
            const auto columns = static_cast<std::size_t>(runs);
            auto* logs = new std::vector<double>(parents.shape(0) * columns);
            const nb::capsule owner(
                logs, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
            run_released(threads, std::move(progress), [&](const RunOptions& o) {
                log_estimates_of_linear_extensions(parents.data(), nodes, settings, seed, *logs, o);
            });
            return nb::ndarray<nb::numpy, double, nb::ndim<2>>(logs->data(),
                                                               {parents.shape(0), columns}, owner);
        },
        nb::arg("parents"), nb::arg("sets"), nb::arg("runs"), nb::arg("exact_sets"),
        nb::arg("exact_nodes"), nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none(),
        "ln of independent unbiased estimates for each DAG, as [DAG, estimate].");
}

}  // namespace arcwise::bindings
