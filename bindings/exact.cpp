// Exact programmes, seen from Python.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arcwise/exact/best_dag.hpp"
#include "arcwise/exact/modular.hpp"
#include "arcwise/exact/modular_programme.hpp"
#include "arcwise/exact/modular_sampler.hpp"
#include "arcwise/exact/order_modular.hpp"
#include "arcwise/exact/order_sampler.hpp"
#include "arcwise/exact/subset_programme.hpp"
#include "arrays.hpp"
#include "gate.hpp"

NB_MAKE_OPAQUE(arcwise::FamilyTable)

namespace arcwise::bindings {
namespace {

auto as_tuple(ExactPosterior posterior) {
    return std::tuple(posterior.log_weight, std::move(posterior.probabilities), posterior.error);
}

}  // namespace

void bind_exact(nb::module_& module) {
    module.def(
        "exact_cost",
        [](int nodes, bool order_modular, int threads) {
            if (order_modular) {
                return std::tuple(order_modular_bytes(nodes, threads),
                                  order_modular_operations(nodes));
            }
            // Counted with the longer numbers, which it may turn out to need.
            return std::tuple(ModularProgramme<long double>::bytes(nodes),
                              ModularProgramme<long double>::work(nodes));
        },
        nb::arg("nodes"), nb::arg("order_modular"), nb::arg("threads"));
    module.def(
        "order_modular_posterior",
        [](const FamilyTable& weights, int threads, nb::object progress) {
            return as_tuple(run_released(threads, std::move(progress), [&](const RunOptions& o) {
                return order_modular_posterior(weights, o);
            }));
        },
        nb::arg("weights"), nb::arg("threads"), nb::arg("progress").none());
    module.def(
        "order_modular_log_weight",
        [](const FamilyTable& weights, int threads, nb::object progress) {
            return run_released(threads, std::move(progress), [&](const RunOptions& o) {
                return order_modular_log_weight(weights, o);
            });
        },
        nb::arg("weights"), nb::arg("threads"), nb::arg("progress").none());
    module.def(
        "forward_programme",
        [](const FamilyTable& weights) {
            const BlockSums sums(weights,
                                 BlockSums::balanced_low(static_cast<int>(weights.size())));
            std::vector<double> forward = forward_programme(sums, Semiring::sum, {});
            auto [values, memory] = new_array<double>({1, forward.size()});
            std::copy(forward.begin(), forward.end(), memory.begin());
            return values;
        },
        nb::arg("weights"), "ln F of every set by its bits, relative to the heaviest families.");
    module.def(
        "modular_posterior",
        [](const FamilyTable& weights, double tolerance, int threads, nb::object progress) {
            return as_tuple(run_released(threads, std::move(progress), [&](const RunOptions& o) {
                return modular_posterior(weights, tolerance, o);
            }));
        },
        nb::arg("weights"), nb::arg("tolerance"), nb::arg("threads"), nb::arg("progress").none());
    module.def(
        "modular_log_weight",
        [](const FamilyTable& weights, double tolerance, int threads, nb::object progress) {
            return run_released(threads, std::move(progress), [&](const RunOptions& o) {
                return modular_log_weight(weights, tolerance, o);
            });
        },
        nb::arg("weights"), nb::arg("tolerance"), nb::arg("threads"), nb::arg("progress").none());
    module.def(
        "best_dag",
        [](const FamilyTable& weights, int threads, nb::object progress) {
            const BestDag best =
                run_released(threads, std::move(progress),
                             [&](const RunOptions& o) { return best_dag(weights, o); });
            return std::tuple(best.log_weight, best.parents);
        },
        nb::arg("weights"), nb::arg("threads"), nb::arg("progress").none());

    nb::class_<OrderSampler>(module, "OrderSampler")
        .def(
            "__init__",
            [](OrderSampler* self, const FamilyTable& weights, int threads, nb::object progress) {
                run_released(threads, std::move(progress),
                             [&](const RunOptions& o) { new (self) OrderSampler(weights, o); });
            },
            nb::arg("weights"), nb::arg("threads"), nb::arg("progress").none())
        .def(
            "sample",
            [](const OrderSampler& sampler, std::uint64_t seed, std::uint64_t first,
               std::size_t count, int threads, nb::object progress) {
                const auto n = static_cast<std::size_t>(sampler.nodes());
                auto [orders, order_memory] = new_array<std::uint8_t>({count, n});
                auto [parents, parent_memory] = new_array<std::uint32_t>({count, n});
                run_released(threads, std::move(progress),
                             [&, orders_out = order_memory,
                              parents_out = parent_memory](const RunOptions& o) {
                                 sampler.sample(seed, first, count, orders_out, parents_out, o);
                             });
                return std::tuple(orders, parents);
            },
            nb::arg("seed"), nb::arg("first"), nb::arg("count"), nb::arg("threads"),
            nb::arg("progress").none());
    nb::class_<ModularSampler>(module, "ModularSampler")
        .def(
            "__init__",
            [](ModularSampler* self, const FamilyTable& weights, double tolerance, int threads,
               nb::object progress) {
                run_released(threads, std::move(progress), [&](const RunOptions& o) {
                    new (self) ModularSampler(weights, tolerance, o);
                });
            },
            nb::arg("weights"), nb::arg("tolerance"), nb::arg("threads"),
            nb::arg("progress").none())
        .def(
            "sample",
            [](const ModularSampler& sampler, std::uint64_t seed, std::uint64_t first,
               std::size_t count, int threads, nb::object progress) {
                auto [parents, memory] =
                    new_array<std::uint32_t>({count, static_cast<std::size_t>(sampler.nodes())});
                run_released(threads, std::move(progress), [&, out = memory](const RunOptions& o) {
                    sampler.sample(seed, first, count, out, o);
                });
                return parents;
            },
            nb::arg("seed"), nb::arg("first"), nb::arg("count"), nb::arg("threads"),
            nb::arg("progress").none());
}

}  // namespace arcwise::bindings
