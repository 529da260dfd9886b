// Exact probabilities of directed paths, seen from Python.
#include "arcwise/exact/ancestors.hpp"

#include <nanobind/stl/tuple.h>

#include "gate.hpp"

NB_MAKE_OPAQUE(arcwise::FamilyTable)

namespace arcwise::bindings {
namespace {

auto square(std::vector<double> numbers, std::size_t n) {
    auto* kept = new std::vector<double>(std::move(numbers));
    const nb::capsule owner(kept,
                            [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    const std::size_t shape[2] = {n, n};
    return nb::ndarray<nb::numpy, double, nb::ndim<2>>(kept->data(), 2, shape, owner);
}

}  // namespace

void bind_ancestors(nb::module_& module) {
    module.def(
        "ancestor_probabilities",
        [](const FamilyTable& weights, bool order_modular, int threads, nb::object progress,
           double tolerance) {
            AncestorProbabilities result =
                run_released(threads, std::move(progress), [&](const RunOptions& o) {
                    return order_modular ? order_modular_ancestors(weights, o)
                                         : modular_ancestors(weights, tolerance, o);
                });
            return std::tuple(square(std::move(result.matrix), weights.size()), result.error);
        },
        nb::arg("weights"), nb::arg("order_modular"), nb::arg("threads"),
        nb::arg("progress").none(), nb::arg("tolerance") = 1e-8,
        "Return the matrix of the probabilities [u, v] that a directed path leads from u to v, "
        "with "
        "1 on the diagonal, and its error. The tolerance is that of modular_posterior.");
    module.def(
        "ancestor_probabilities_bytes",
        [](int nodes, bool order_modular, int threads) {
            return order_modular ? order_modular_ancestors_bytes(nodes, threads)
                                 : modular_ancestors_bytes(nodes, threads);
        },
        nb::arg("nodes"), nb::arg("order_modular"), nb::arg("threads"));
}

}  // namespace arcwise::bindings
