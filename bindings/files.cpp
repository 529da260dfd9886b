// Score files, seen from Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arcwise/files/jkl.hpp"
#include "gate.hpp"

NB_MAKE_OPAQUE(arcwise::FamilyTable)

namespace arcwise::bindings {

void bind_files(nb::module_& module) {
    module.def(
        "write_jkl",
        [](const std::string& path, const std::vector<std::string>& names,
           const FamilyTable& table) {
            const nb::gil_scoped_release release;
            write_jkl(path, names, table);
        },
        nb::arg("path"), nb::arg("names"), nb::arg("table"));
    module.def(
        "read_jkl",
        [](const std::string& path) {
            NamedFamilies read = [&] {
                const nb::gil_scoped_release release;
                return read_jkl(path);
            }();
            return std::tuple(std::move(read.names), std::move(read.table));
        },
        nb::arg("path"));
}

}  // namespace arcwise::bindings
