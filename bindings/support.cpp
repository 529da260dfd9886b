// Exponentials and logarithms that are the same on every processor.
#include "arcwise/numerics/log_space.hpp"
#include "gate.hpp"

namespace arcwise::bindings {
namespace {

void expect_same_length(const Writable& out, const Vector<double>& in) {
    if (out.size() != in.size()) {
        throw Error(ErrorKind::argument, "Both arrays must have the same length.");
    }
}

}  // namespace

void bind_support(nb::module_& module) {
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
}

}  // namespace arcwise::bindings
