// The chain over DAGs and unknown values of a discrete table, seen from Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "arcwise/imputation/collapsed_chain.hpp"
#include "arrays.hpp"
#include "gate.hpp"

namespace arcwise::bindings {
namespace {

// A node, its parents and its pseudo-counts.
using Family = std::tuple<int, std::vector<int>, Vector<double>>;

std::vector<CountedFamily> counted(const std::vector<Family>& families,
                                   const std::vector<int>& levels) {
    std::vector<CountedFamily> result;
    for (const auto& [node, parents, pseudo_counts] : families) {
        std::vector<int> members(parents);
        members.push_back(node);
        for (const int member : members) {
            if (member < 0 || static_cast<std::size_t>(member) >= levels.size() ||
                std::count(members.begin(), members.end(), member) != 1) {
                throw Error(ErrorKind::argument, "A family must have variables, each once.");
            }
        }
        const std::span<const double> numbers = view(pseudo_counts);
        result.emplace_back(node, parents, std::vector<double>(numbers.begin(), numbers.end()),
                            levels);
    }
    return result;
}

template <class T>
std::vector<T> vector_of(const Matrix<T>& matrix) {
    const std::span<const T> numbers = view(matrix);
    return {numbers.begin(), numbers.end()};
}

struct PythonCollapsedChain {
    CollapsedChain chain;
    Random random;
};

}  // namespace

void bind_imputation(nb::module_& module) {
    nb::class_<PythonCollapsedChain>(module, "CollapsedChain")
        .def(
            "__init__",
            [](PythonCollapsedChain* self, Matrix<std::uint16_t> codes, Matrix<std::int64_t> cells,
               std::vector<int> levels, std::vector<std::vector<double>> laws,
               std::optional<Matrix<std::uint8_t>> intervened, const std::vector<Family>& families,
               std::uint64_t seed, std::size_t most_completions) {
                if (codes.shape(1) != levels.size() || cells.shape(1) != levels.size()) {
                    throw Error(ErrorKind::argument, "A table must have a column per variable.");
                }
                std::vector<CountedFamily> own = counted(families, levels);
                IncompleteRows rows(
                    vector_of(codes), view(cells), std::move(levels), std::move(laws),
                    intervened ? vector_of(*intervened) : std::vector<std::uint8_t>());
                new (self) PythonCollapsedChain{
                    CollapsedChain(std::move(rows), std::move(own), most_completions),
                    Random(seed, 0)};
            },
            nb::arg("codes"), nb::arg("cells"), nb::arg("levels"), nb::arg("laws"),
            nb::arg("intervened").none(), nb::arg("families"), nb::arg("seed"),
            nb::arg("most_completions"))
        .def("sweep",
             [](PythonCollapsedChain& self) {
                 const nb::gil_scoped_release release;
                 self.chain.sweep(self.random);
             })
        .def(
            "move",
            [](PythonCollapsedChain& self, const std::vector<Family>& proposed, double log_ratio,
               int steps) {
                std::vector<CountedFamily> families = counted(proposed, self.chain.rows().levels);
                const nb::gil_scoped_release release;
                return self.chain.move(std::move(families), log_ratio, steps, self.random);
            },
            nb::arg("proposed"), nb::arg("log_ratio"), nb::arg("steps"))
        .def("codes", [](const PythonCollapsedChain& self) {
            const IncompleteRows& rows = self.chain.rows();
            return copied(std::span<const std::uint16_t>(rows.codes),
                          {rows.rows(), rows.variables()});
        });
}

}  // namespace arcwise::bindings
