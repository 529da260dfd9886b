// Spaces by name, and posteriors given an order, seen from Python.
#include "spaces.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arcwise/spaces/orders/bucket_orders.hpp"
#include "arcwise/spaces/orders/partial_orders.hpp"
#include "arcwise/spaces/registry.hpp"
#include "arcwise/support/bits.hpp"
#include "arrays.hpp"
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
    if (self.sums->unfolding()) {
        throw Error(ErrorKind::argument, "Edges given an order need sums that are not folded.");
    }
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
    const Unfolding* unfolding = self.sums->unfolding().get();
    const auto ordinary = static_cast<std::size_t>(self.sums->nodes());
    const auto n = unfolding ? static_cast<std::size_t>(unfolding->nodes()) : ordinary;
    const std::size_t words = words_for(n);
    auto [parents, memory] = new_array<std::uint64_t>({count, n, words});
    run_released(1, std::move(progress), [&, out = memory](const RunOptions& options) {
        run_tasks(1, count, options, [&](std::size_t, TaskContext& context) {
            std::vector<std::uint64_t> drawn(ordinary * words_for(ordinary));
            for (std::size_t i = 0; i < count; ++i) {
                Random random(seed, i);
                std::uint64_t* dag = out.data() + i * n * words;
                self.given->draw(random, unfolding ? drawn.data() : dag);
                if (unfolding) unfolding->draw(drawn.data(), random, dag);
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

void bind_spaces(nb::module_& module) {
    nb::class_<PythonSpace>(module, "Space")
        .def_prop_ro("log_size", [](const PythonSpace& self) { return self.space->log_size(); })
        .def(
            "slowest_edge",
            [](const PythonSpace& self, std::uint64_t order_steps) {
                double steps = 0.0;
                run_released(1, nb::none(), [&](const RunOptions& options) {
                    run_tasks(1, 1, options, [&](std::size_t, TaskContext& context) {
                        const Tuner* tuner = self.space->tuner();
                        if (tuner != nullptr) steps = tuner->slowest_edge(order_steps, &context);
                    });
                });
                return steps;
            },
            nb::arg("order_steps"),
            "About how many steps the slowest edge takes to change, by short chains; 0 if "
            "unknown.");
    module.def(
        "space_moves",
        [](const std::string& name, int nodes) {
            const MoveTable table = space_entry(name).moves(nodes);
            std::vector<std::tuple<std::string, double>> result;
            for (const MoveTable::Kind& kind : table.kinds()) {
                result.emplace_back(kind.name, kind.share);
            }
            return result;
        },
        nb::arg("name"), nb::arg("nodes"),
        "The kinds of moves of a space, and how often each is tried unless asked otherwise.");
    module.def(
        "space_numbers",
        [](const std::string& name, const PythonScoreSums& sums) {
            const SpaceEntry& entry = space_entry(name);
            return entry.usual == nullptr ? std::map<std::string, std::int64_t>{}
                                          : entry.usual(*sums.sums);
        },
        nb::arg("name"), nb::arg("sums"),
        "The numbers of a space that are best chosen by the model, and what they are then.");
    module.def(
        "build_space",
        [](const std::string& name, const PythonScoreSums& sums,
           std::map<std::string, double> moves, std::map<std::string, std::int64_t> numbers,
           std::map<std::string, std::vector<std::uint64_t>> orders) {
            return PythonSpace{
                build_space(name, sums.sums,
                            {std::move(moves), std::move(numbers), std::move(orders)}),
                sums.sums->unfolding()};
        },
        nb::arg("name"), nb::arg("sums"), nb::arg("moves"), nb::arg("numbers"), nb::arg("orders"),
        "A space on the score sums of a model; without moves it has its own shares of them.");
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
