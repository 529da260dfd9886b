// Exact computations, seen from Python.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>

#include "arcwise/exact/exact_computation.hpp"
#include "arrays.hpp"
#include "gate.hpp"

NB_MAKE_OPAQUE(arcwise::FamilyTable)

namespace arcwise::bindings {
namespace {

ExactTarget target_of(bool order_modular) {
    return order_modular ? ExactTarget::order_modular : ExactTarget::modular;
}

// A computation that one Python thread uses at a time: the lock of the interpreter is released
// while it runs.
class HeldComputation {
  public:
    HeldComputation(const FamilyTable& weights, bool order_modular, double tolerance)
        : computation_(exact_computation(weights, target_of(order_modular), tolerance)),
          has_orders_(order_modular) {}

    std::size_t nodes() const { return static_cast<std::size_t>(computation_->nodes()); }
    bool has_orders() const { return has_orders_; }

    // Calls work(computation, options) with the interpreter lock released.
    template <class Work>
    auto run(const Processors& device, nb::object progress, Work work) {
        return run_released(device, std::move(progress), [&](const RunOptions& options) {
            const std::lock_guard lock(mutex_);
            return work(*computation_, options);
        });
    }

  private:
    std::unique_ptr<ExactComputation> computation_;
    bool has_orders_;
    std::mutex mutex_;
};

auto square(const std::vector<double>& numbers, std::size_t n) {
    return copied(std::span<const double>(numbers), {n, n});
}

}  // namespace

void bind_exact(nb::module_& module) {
    nb::class_<Processors>(module, "Processors", "The cores of this machine, as a device.")
        .def(nb::init<int>(), nb::arg("threads"))
        .def_ro("threads", &Processors::threads);
    module.def(
        "exact_cost",
        [](int nodes, std::uint64_t families, bool order_modular, int threads) {
            const ExactTarget target = target_of(order_modular);
            const ExactCost cost = exact_cost(nodes, families, target, threads);
            return std::tuple(cost.bytes, path_bytes(nodes, families, target, threads),
                              cost.operations);
        },
        nb::arg("nodes"), nb::arg("families"), nb::arg("order_modular"), nb::arg("threads"),
        "Bytes without and with paths, and operations.");

    nb::class_<HeldComputation>(module, "ExactComputation")
        .def(nb::init<const FamilyTable&, bool, double>(), nb::arg("weights"),
             nb::arg("order_modular"), nb::arg("tolerance"), nb::keep_alive<1, 2>())
        .def(
            "log_weight",
            [](HeldComputation& self, const Processors& device, nb::object progress) {
                return self.run(
                    device, std::move(progress),
                    [](ExactComputation& c, const RunOptions& o) { return c.log_weight(o); });
            },
            nb::arg("device"), nb::arg("progress").none())
        .def(
            "posterior",
            [](HeldComputation& self, const Processors& device, nb::object progress) {
                ExactPosterior found = self.run(
                    device, std::move(progress),
                    [](ExactComputation& c, const RunOptions& o) { return c.posterior(o); });
                return std::tuple(found.log_weight, std::move(found.probabilities),
                                  square(found.edges, self.nodes()), found.error);
            },
            nb::arg("device"), nb::arg("progress").none(),
            "The log of the summed weights, the probabilities of families and of edges, and the "
            "error of these.")
        .def(
            "paths",
            [](HeldComputation& self, const Processors& device, nb::object progress) {
                const PathProbabilities found =
                    self.run(device, std::move(progress),
                             [](ExactComputation& c, const RunOptions& o) { return c.paths(o); });
                return std::tuple(square(found.matrix, self.nodes()), found.error);
            },
            nb::arg("device"), nb::arg("progress").none(),
            "The probabilities [u, v] that a directed path leads from u to v, with 1 on the "
            "diagonal, and their error.")
        .def(
            "paths_from",
            [](HeldComputation& self, const FamilyTable& with_source, std::size_t source,
               const Processors& device, nb::object progress) {
                if (with_source.size() != self.nodes() + 1 || source > self.nodes() ||
                    with_source[source].count() != 1) {
                    throw Error(ErrorKind::argument,
                                "There must be one more node, which has no parents.");
                }
                const PathProbabilities found = self.run(
                    device, std::move(progress), [&](ExactComputation& c, const RunOptions& o) {
                        return c.paths_from(with_source, static_cast<int>(source), o);
                    });
                return std::tuple(copied(found.matrix), found.error);
            },
            nb::arg("with_source"), nb::arg("source"), nb::arg("device"),
            nb::arg("progress").none(),
            "The probabilities that a directed path leads from a parent-only node to each other "
            "one, and their error; of weights in which it is not folded.")
        .def(
            "best_dag",
            [](HeldComputation& self, const Processors& device, nb::object progress) {
                const BestDag found = self.run(
                    device, std::move(progress),
                    [](ExactComputation& c, const RunOptions& o) { return c.best_dag(o); });
                return std::tuple(found.log_weight, found.parents);
            },
            nb::arg("device"), nb::arg("progress").none())
        .def(
            "prepare_draws",
            [](HeldComputation& self, const Processors& device, nb::object progress) {
                self.run(device, std::move(progress),
                         [](ExactComputation& c, const RunOptions& o) { c.prepare_draws(o); });
            },
            nb::arg("device"), nb::arg("progress").none())
        .def(
            "draw",
            [](HeldComputation& self, std::uint64_t seed, std::uint64_t first, std::size_t count,
               const Processors& device, nb::object progress) {
                const std::size_t orders_wanted = self.has_orders() ? count : 0;
                auto [orders, order_memory] =
                    new_array<std::uint8_t>({orders_wanted, self.nodes()});
                auto [parents, parent_memory] = new_array<std::uint32_t>({count, self.nodes()});
                self.run(device, std::move(progress),
                         [&, orders_out = order_memory, parents_out = parent_memory](
                             ExactComputation& c, const RunOptions& o) {
                             c.draw([&](std::size_t i) { return Random(seed, first + i); }, count,
                                    orders_out, parents_out, o);
                         });
                return std::tuple(orders, parents);
            },
            nb::arg("seed"), nb::arg("first"), nb::arg("count"), nb::arg("device"),
            nb::arg("progress").none(),
            "Orders, of which there are none under the modular target, and parents as bits.");
}

}  // namespace arcwise::bindings
