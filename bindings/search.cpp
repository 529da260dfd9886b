// The search for the best DAG, seen from Python.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arcwise/search/map_search.hpp"
#include "arrays.hpp"
#include "score_sums.hpp"

namespace arcwise::bindings {
namespace {

// Restarts on the same sums, as many as were asked for so far.
struct OrderSearch {
    OrderSearch(const PythonScoreSums& of, std::uint64_t with_patience, std::uint64_t from_seed,
                std::vector<std::vector<int>> from)
        : sums(of.sums), patience(with_patience), seed(from_seed), starts(std::move(from)) {
        for (const std::vector<int>& start : starts) {
            std::vector<int> sorted(start);
            std::sort(sorted.begin(), sorted.end());
            for (int node = 0; node < sums->nodes(); ++node) {
                if (sorted.size() != static_cast<std::size_t>(sums->nodes()) ||
                    sorted[static_cast<std::size_t>(node)] != node) {
                    throw Error(ErrorKind::argument, "An order must name every node once.");
                }
            }
        }
    }
    OrderSearch(const OrderSearch&) = delete;
    OrderSearch& operator=(const OrderSearch&) = delete;

    std::shared_ptr<const ScoreSums> sums;
    std::uint64_t patience;
    std::uint64_t seed;
    std::vector<std::vector<int>> starts;
    std::vector<FoundOrder> found;
};

}  // namespace

void bind_search(nb::module_& module) {
    nb::class_<OrderSearch>(module, "OrderSearch")
        .def(nb::init<const PythonScoreSums&, std::uint64_t, std::uint64_t,
                      std::vector<std::vector<int>>>(),
             nb::arg("sums"), nb::arg("patience"), nb::arg("seed"), nb::arg("starts"))
        .def("__len__", [](const OrderSearch& self) { return self.found.size(); })
        .def(
            "run",
            [](OrderSearch& self, std::uint64_t first, std::size_t count, int threads,
               nb::object progress) {
                run_released(threads, std::move(progress), [&](const RunOptions& o) {
                    search_orders(self.sums, self.patience, self.seed, first, count, self.starts, o,
                                  self.found);
                });
            },
            nb::arg("first"), nb::arg("count"), nb::arg("threads"), nb::arg("progress").none())
        .def("log_weights",
             [](const OrderSearch& self) {
                 std::vector<double> result;
                 for (const FoundOrder& found : self.found) result.push_back(found.log_weight);
                 return copied(result);
             })
        .def("finished",
             [](const OrderSearch& self) {
                 std::vector<bool> result;
                 for (const FoundOrder& found : self.found) result.push_back(found.finished);
                 return result;
             })
        .def(
            "order",
            [](const OrderSearch& self, std::size_t restart) {
                return self.found.at(restart).order;
            },
            nb::arg("restart"));
}

}  // namespace arcwise::bindings
