// The posterior given an order, seen from Python.
#include <nanobind/stl/vector.h>

#include <memory>
#include <vector>

#include "arcwise/spaces/orders/given_buckets.hpp"
#include "arcwise/spaces/orders/given_partial_order.hpp"
#include "arcwise/support/bits.hpp"
#include "arrays.hpp"
#include "gate.hpp"
#include "score_sums.hpp"

namespace arcwise::bindings {
namespace {

// The sums must live as long as what stands on them.
template <class Given>
struct PythonGiven {
    std::shared_ptr<const ScoreSums> sums;
    std::unique_ptr<Given> given;
};

template <class Given>
auto edge_probabilities(PythonGiven<Given>& self, nb::object progress) {
    const auto n = static_cast<std::size_t>(self.sums->nodes());
    auto [edges, memory] = new_array<double>({n, n});
    run_released(1, std::move(progress), [&, out = memory](const RunOptions&) {
        self.given->add_edge_probabilities(1.0, out.data());
    });
    return edges;
}

// Draw number i depends on the seed and on i only.
template <class Given>
auto draw(PythonGiven<Given>& self, std::size_t count, std::uint64_t seed, nb::object progress) {
    const auto n = static_cast<std::size_t>(self.sums->nodes());
    const std::size_t words = words_for(n);
    auto [parents, memory] = new_array<std::uint64_t>({count, n, words});
    run_released(1, std::move(progress), [&, out = memory](const RunOptions& options) {
        run_tasks(1, count, options, [&](std::size_t, TaskContext& context) {
            for (std::size_t i = 0; i < count; ++i) {
                Random random(seed, i);
                self.given->draw(random, out.data() + i * n * words);
                context.advance(1);
            }
        });
    });
    return parents;
}

template <class Given>
nb::class_<PythonGiven<Given>> bind_given(nb::module_& module, const char* name) {
    return nb::class_<PythonGiven<Given>>(module, name)
        .def_prop_ro("log_weight",
                     [](const PythonGiven<Given>& self) { return self.given->log_weight(); })
        .def("edge_probabilities", &edge_probabilities<Given>, nb::arg("progress").none())
        .def("draw", &draw<Given>, nb::arg("count"), nb::arg("seed"), nb::arg("progress").none());
}

}  // namespace

void bind_orders(nb::module_& module) {
    bind_given<GivenBuckets>(module, "GivenBuckets")
        .def(
            "__init__",
            [](PythonGiven<GivenBuckets>* self, const PythonScoreSums& sums,
               std::vector<std::vector<int>> buckets, nb::object progress) {
                auto given = run_released(1, std::move(progress), [&](const RunOptions&) {
                    return std::make_unique<GivenBuckets>(*sums.sums, std::move(buckets));
                });
                new (self) PythonGiven<GivenBuckets>{sums.sums, std::move(given)};
            },
            nb::arg("sums"), nb::arg("buckets"), nb::arg("progress").none());
    bind_given<GivenPartialOrder>(module, "GivenPartialOrder")
        .def(
            "__init__",
            [](PythonGiven<GivenPartialOrder>* self, const PythonScoreSums& sums,
               std::vector<std::uint64_t> predecessors, std::vector<int> node_at,
               nb::object progress) {
                auto given = run_released(1, std::move(progress), [&](const RunOptions&) {
                    return std::make_unique<GivenPartialOrder>(
                        *sums.sums, std::make_shared<const DownsetLattice>(std::move(predecessors)),
                        std::move(node_at));
                });
                new (self) PythonGiven<GivenPartialOrder>{sums.sums, std::move(given)};
            },
            nb::arg("sums"), nb::arg("predecessors"), nb::arg("node_at"),
            nb::arg("progress").none());
}

}  // namespace arcwise::bindings
