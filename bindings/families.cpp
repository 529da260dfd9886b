// Family tables, seen from Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "arcwise/families/family_table.hpp"
#include "gate.hpp"

NB_MAKE_OPAQUE(arcwise::FamilyTable)
NB_MAKE_OPAQUE(arcwise::PlusOneTable)

namespace arcwise::bindings {
namespace {

template <class Table>
auto& at(Table& table, std::size_t node) {
    if (node >= table.size()) throw Error(ErrorKind::argument, "There is no such node.");
    return table[node];
}

using Doubles = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

template <class Table>
Doubles values(nb::handle_t<Table> self, std::size_t node) {
    std::vector<double>& numbers = at(nb::cast<Table&>(self), node).values();
    const std::size_t shape[1] = {numbers.size()};
    return Doubles(numbers.data(), 1, shape, self);  // the table owns the memory
}

template <class T>
auto owned(std::vector<T> numbers) {
    auto* kept = new std::vector<T>(std::move(numbers));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    const std::size_t shape[1] = {kept->size()};
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), 1, shape, owner);
}

auto parent_sets(FamilyTable& table, std::size_t node) {
    const NodeFamilies& families = at(table, node);
    std::vector<std::int32_t> flat;
    std::vector<std::uint64_t> offsets{0};
    families.for_each([&](std::uint64_t, std::span<const int> members) {
        for (const int parent : families.parents(members)) flat.push_back(parent);
        offsets.push_back(flat.size());
    });
    return std::tuple(owned(std::move(flat)), owned(std::move(offsets)));
}

auto plus_one_parent_sets(PlusOneTable& table, std::size_t node) {
    std::vector<std::int32_t> flat;
    std::vector<std::uint64_t> offsets{0};
    at(table, node).for_each([&](const std::vector<int>& parents) {
        flat.insert(flat.end(), parents.begin(), parents.end());
        offsets.push_back(flat.size());
    });
    return std::tuple(owned(std::move(flat)), owned(std::move(offsets)));
}

// Numbers of other nodes than `node`, in any order.
void check_others(const std::vector<int>& numbers, std::size_t node, std::size_t nodes) {
    for (const int number : numbers) {
        if (number < 0 || static_cast<std::size_t>(number) >= nodes ||
            static_cast<std::size_t>(number) == node) {
            throw Error(ErrorKind::argument, "The parents of a node must be other nodes.");
        }
    }
}

void check_max_free(int max_free) {
    if (max_free < 0) {
        throw Error(ErrorKind::argument, "The number of free parents must be 0 or more.");
    }
}

// Node numbers that ascend, all below `nodes`, and none of them `node`.
void check_nodes(const std::vector<int>& numbers, std::size_t node, std::size_t nodes) {
    int before = -1;
    for (const int number : numbers) {
        if (number <= before || static_cast<std::size_t>(number) >= nodes ||
            static_cast<std::size_t>(number) == node) {
            throw Error(ErrorKind::argument,
                        "The candidates or required parents of a node must be "
                        "other nodes, each once, in ascending order.");
        }
        before = number;
    }
}

void check_disjoint(const std::vector<int>& one, const std::vector<int>& other) {
    std::vector<int> both;
    std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                          std::back_inserter(both));
    if (!both.empty()) throw Error(ErrorKind::argument, "A parent of a node is given twice.");
}

void check_settings(const std::vector<std::vector<int>>& candidates,
                    const std::vector<std::vector<int>>& required, const std::vector<int>& max_free,
                    std::size_t node) {
    check_nodes(candidates[node], node, candidates.size());
    check_nodes(required[node], node, candidates.size());
    check_disjoint(candidates[node], required[node]);
    check_max_free(max_free[node]);
}

// What is listed from outside may be anything.
void check_listed(const std::vector<std::uint16_t>& descending, std::size_t candidates) {
    for (std::size_t i = 0; i < descending.size(); ++i) {
        if (descending[i] >= candidates || (i > 0 && descending[i] == descending[i - 1])) {
            throw Error(ErrorKind::argument,
                        "A listed family must have candidates as members, each once.");
        }
    }
}

void check_square(const FamilyTable& table, const auto& matrix) {
    if (matrix.shape(0) != table.size() || matrix.shape(1) != table.size()) {
        throw Error(ErrorKind::argument, "A matrix must have a row and a column per node.");
    }
}

}  // namespace

void bind_families(nb::module_& module) {
    nb::class_<FamilyTable>(module, "FamilyTable")
        .def(
            "__init__",
            [](FamilyTable* self, const std::vector<std::vector<int>>& candidates,
               const std::vector<std::vector<int>>& required, const std::vector<int>& max_free,
               const std::vector<std::vector<int>>& outside, bool with_values) {
                if (candidates.size() != required.size() || candidates.size() != max_free.size() ||
                    (!outside.empty() && candidates.size() != outside.size())) {
                    throw Error(ErrorKind::argument, "Every node needs all settings.");
                }
                FamilyTable table;
                for (std::size_t node = 0; node < candidates.size(); ++node) {
                    check_settings(candidates, required, max_free, node);
                    if (!outside.empty()) {
                        check_nodes(outside[node], node, candidates.size());
                        check_disjoint(outside[node], candidates[node]);
                        check_disjoint(outside[node], required[node]);
                    }
                    table.emplace_back(candidates[node], required[node], max_free[node],
                                       outside.empty() ? std::vector<int>{} : outside[node],
                                       with_values);
                }
                new (self) FamilyTable(std::move(table));
            },
            nb::arg("candidates"), nb::arg("required"), nb::arg("max_free"),
            nb::arg("outside") = std::vector<std::vector<int>>{}, nb::arg("with_values") = true)
        .def_static(
            "from_lists",
            [](const std::vector<std::vector<int>>& candidates,
               const std::vector<std::vector<std::vector<std::uint16_t>>>& members,
               const std::vector<std::vector<double>>& values,
               const std::vector<std::vector<int>>& required) {
                const std::size_t nodes = candidates.size();
                if (members.size() != nodes || values.size() != nodes ||
                    (!required.empty() && required.size() != nodes)) {
                    throw Error(ErrorKind::argument, "Every node needs all settings.");
                }
                FamilyTable table;
                for (std::size_t node = 0; node < nodes; ++node) {
                    check_nodes(candidates[node], node, nodes);
                    if (!required.empty()) {
                        check_nodes(required[node], node, nodes);
                        check_disjoint(candidates[node], required[node]);
                    }
                    if (values[node].size() != members[node].size()) {
                        throw Error(ErrorKind::argument, "Every listed family needs a value.");
                    }
                    std::vector<std::uint16_t> flat;
                    std::vector<std::uint64_t> offsets{0};
                    for (std::vector<std::uint16_t> set : members[node]) {
                        std::sort(set.begin(), set.end(), std::greater<>());
                        check_listed(set, candidates[node].size());
                        flat.insert(flat.end(), set.begin(), set.end());
                        offsets.push_back(flat.size());
                    }
                    NodeFamilies& own = table.emplace_back(
                        candidates[node], required.empty() ? std::vector<int>{} : required[node],
                        std::move(flat), std::move(offsets));
                    own.values() = values[node];
                }
                return table;
            },
            nb::arg("candidates"), nb::arg("members"), nb::arg("values"),
            nb::arg("required") = std::vector<std::vector<int>>{})
        .def("__len__", [](const FamilyTable& table) { return table.size(); })
        .def(
            "count", [](FamilyTable& table, std::size_t node) { return at(table, node).count(); },
            nb::arg("node"))
        .def(
            "candidates",
            [](FamilyTable& table, std::size_t node) { return at(table, node).candidates(); },
            nb::arg("node"))
        .def(
            "required",
            [](FamilyTable& table, std::size_t node) { return at(table, node).required(); },
            nb::arg("node"))
        .def(
            "listed", [](FamilyTable& table, std::size_t node) { return at(table, node).listed(); },
            nb::arg("node"))
        .def(
            "max_free",
            [](FamilyTable& table, std::size_t node) { return at(table, node).max_free(); },
            nb::arg("node"))
        .def(
            "outside",
            [](FamilyTable& table, std::size_t node) {
                const NodeFamilies& families = at(table, node);
                const auto border =
                    families.candidates().begin() + static_cast<std::ptrdiff_t>(families.inside());
                return std::vector<int>(border, families.candidates().end());
            },
            nb::arg("node"))
        .def("values", &values<FamilyTable>, nb::arg("node"))
        .def("parent_sets", &parent_sets, nb::arg("node"))
        .def(
            "find",
            [](FamilyTable& table, std::size_t node, const std::vector<int>& parents) {
                return at(table, node).find(parents);
            },
            nb::arg("node"), nb::arg("parents"))
        .def("copy", [](const FamilyTable& table) { return FamilyTable(table); })
        .def(
            "add_prior",
            [](FamilyTable& table, Vector<double> constant, Matrix<double> size,
               Matrix<double> edge) {
                check_square(table, size);
                check_square(table, edge);
                if (constant.size() != table.size()) {
                    throw Error(ErrorKind::argument, "The constant needs one number per node.");
                }
                const PriorTerms terms{view(constant), view(size), view(edge)};
                const nb::gil_scoped_release release;
                add_prior(terms, table);
            },
            nb::arg("constant"), nb::arg("size"), nb::arg("edge"))
        .def(
            "restricted",
            [](const FamilyTable& table, Matrix<std::uint8_t> allowed,
               Matrix<std::uint8_t> required, Vector<std::int64_t> max_indegree) {
                check_square(table, allowed);
                check_square(table, required);
                if (max_indegree.size() != table.size()) {
                    throw Error(ErrorKind::argument, "max_indegree needs one number per node.");
                }
                const nb::gil_scoped_release release;
                return restrict_families(table, view(allowed), view(required), view(max_indegree));
            },
            nb::arg("allowed"), nb::arg("required"), nb::arg("max_indegree"));

    // What a score's `fill` sees of it is as in FamilyTable.
    nb::class_<PlusOneTable>(module, "PlusOneTable")
        .def(
            "__init__",
            [](PlusOneTable* self, const std::vector<std::vector<int>>& candidates,
               const std::vector<std::vector<int>>& required,
               const std::vector<std::vector<int>>& outside, const std::vector<int>& max_free) {
                const std::size_t nodes = candidates.size();
                if (required.size() != nodes || outside.size() != nodes ||
                    max_free.size() != nodes) {
                    throw Error(ErrorKind::argument, "Every node needs all four settings.");
                }
                PlusOneTable table;
                for (std::size_t node = 0; node < nodes; ++node) {
                    for (const auto* numbers :
                         {&candidates[node], &required[node], &outside[node]}) {
                        check_others(*numbers, node, nodes);
                    }
                    check_max_free(max_free[node]);
                    table.emplace_back(candidates[node], required[node], outside[node],
                                       max_free[node]);
                }
                new (self) PlusOneTable(std::move(table));
            },
            nb::arg("candidates"), nb::arg("required"), nb::arg("outside"), nb::arg("max_free"))
        .def("__len__", [](const PlusOneTable& table) { return table.size(); })
        .def(
            "count", [](PlusOneTable& table, std::size_t node) { return at(table, node).count(); },
            nb::arg("node"))
        .def("values", &values<PlusOneTable>, nb::arg("node"))
        .def("parent_sets", &plus_one_parent_sets, nb::arg("node"));
}

}  // namespace arcwise::bindings
