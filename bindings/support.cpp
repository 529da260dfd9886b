// Random numbers and log-space sums, exposed so that tests can hold them against NumPy.
#include <nanobind/stl/array.h>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"
#include "arcwise/support/random.hpp"
#include "gate.hpp"

namespace arcwise::bindings {

using Writable = nb::ndarray<double, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_support(nb::module_& module) {
    module.def("philox", &philox, nb::arg("counter"), nb::arg("key"));
    module.def(
        "random_bits",
        [](std::uint64_t seed, std::uint64_t stream,
           nb::ndarray<std::uint64_t, nb::numpy, nb::ndim<1>, nb::c_contig> out) {
            Random random(seed, stream);
            for (std::size_t i = 0; i < out.size(); ++i) out.data()[i] = random.bits();
        },
        nb::arg("seed"), nb::arg("stream"), nb::arg("out"));
    module.def(
        "log_add_into",
        [](Writable larger, Vector<double> smaller) {
            if (larger.size() != smaller.size()) {
                throw Error(ErrorKind::argument, "Both arrays must have the same length.");
            }
            log_add_into(larger.data(), smaller.data(), larger.size());
        },
        nb::arg("larger").noconvert(), nb::arg("smaller"));
    const auto transform = [](void (*over_subsets)(double*, int)) {
        return [over_subsets](Writable table, int elements) {
            if (elements < 0 || elements > 40 || table.size() != std::size_t{1} << elements) {
                throw Error(ErrorKind::argument, "The table must have 2^elements entries.");
            }
            const nb::gil_scoped_release release;
            over_subsets(table.data(), elements);
        };
    };
    module.def("log_sum_over_subsets", transform(&log_sum_over_subsets),
               nb::arg("table").noconvert(), nb::arg("elements"));
    module.def("max_over_subsets", transform(&max_over_subsets), nb::arg("table").noconvert(),
               nb::arg("elements"));
}

}  // namespace arcwise::bindings
