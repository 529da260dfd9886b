// Random numbers, and exponentials, logarithms and log-space sums that no processor changes.
#include <nanobind/stl/array.h>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"
#include "arcwise/support/random.hpp"
#include "gate.hpp"

namespace arcwise::bindings {

using Writable = nb::ndarray<double, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void expect_same_length(const Writable& out, const Vector<double>& in) {
    if (out.size() != in.size()) {
        throw Error(ErrorKind::argument, "Both arrays must have the same length.");
    }
}

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
            expect_same_length(larger, smaller);
            log_add_into(larger.data(), smaller.data(), larger.size());
        },
        nb::arg("larger").noconvert(), nb::arg("smaller"));
    module.def(
        "scaled_exp",
        [](Writable out, Vector<double> logs, double scale) {
            expect_same_length(out, logs);
            scaled_exp(out.data(), logs.data(), scale, out.size());
        },
        nb::arg("out").noconvert(), nb::arg("logs"), nb::arg("scale"));
    module.def(
        "add_logarithms",
        [](Writable out, Vector<double> values) {
            expect_same_length(out, values);
            add_logarithms(out.data(), values.data(), out.size());
        },
        nb::arg("out").noconvert(), nb::arg("values"));
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
