// Score sums, seen from Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "arcwise/sums/score_sums.hpp"
#include "gate.hpp"

NB_MAKE_OPAQUE(arcwise::FamilyTable)

namespace arcwise::bindings {
namespace {

// The sums of all nodes with the names of their bits, so that Python can speak in node numbers.
class ScoreSums {
  public:
    ScoreSums(const FamilyTable& table, std::vector<NodeSums> sums) : sums_(std::move(sums)) {
        for (const NodeFamilies& families : table) {
            std::vector<int> possible(families.candidates());
            possible.insert(possible.end(), families.required().begin(), families.required().end());
            possible_.push_back(std::move(possible));
        }
    }

    const NodeSums& node(std::size_t node) const {
        if (node >= sums_.size()) throw Error(ErrorKind::argument, "There is no such node.");
        return sums_[node];
    }

    std::vector<std::uint64_t> bits(std::size_t v, const std::vector<int>& parents) const {
        std::vector<std::uint64_t> result(node(v).words(), 0);
        for (std::size_t position = 0; position < possible_[v].size(); ++position) {
            if (std::find(parents.begin(), parents.end(), possible_[v][position]) !=
                parents.end()) {
                result[position / 64] |= std::uint64_t{1} << (position % 64);
            }
        }
        return result;
    }

    std::vector<int> parents(std::size_t v, std::int64_t place) const {
        const ParentBits family = node(v).families().parents(static_cast<std::size_t>(place));
        std::vector<int> result;
        for (std::size_t position = 0; position < possible_[v].size(); ++position) {
            if ((family[position / 64] >> (position % 64) & 1) != 0) {
                result.push_back(possible_[v][position]);
            }
        }
        std::sort(result.begin(), result.end());
        return result;
    }

    SumMemo& memo() { return memo_; }

  private:
    std::vector<NodeSums> sums_;
    std::vector<std::vector<int>> possible_;
    SumMemo memo_;
};

using Required = std::optional<std::vector<int>>;

double log_sum(ScoreSums& sums, std::size_t v, const std::vector<int>& allowed,
               const Required& required) {
    const auto inside = sums.bits(v, allowed);
    if (!required) return sums.node(v).log_sum(inside.data());
    const auto wanted = sums.bits(v, *required);
    return sums.node(v).log_sum(inside.data(), wanted.data(), sums.memo());
}

std::tuple<double, std::optional<std::vector<int>>> best(const ScoreSums& sums, std::size_t v,
                                                         const std::vector<int>& allowed,
                                                         const Required& required) {
    const auto inside = sums.bits(v, allowed);
    const auto wanted = sums.bits(v, required.value_or(std::vector<int>{}));
    const SortedFamilies& families = sums.node(v).families();
    const std::int64_t place = families.best(inside.data(), required ? wanted.data() : nullptr);
    if (place < 0) return {-std::numeric_limits<double>::infinity(), std::nullopt};
    return {families.weight(static_cast<std::size_t>(place)), sums.parents(v, place)};
}

std::vector<std::vector<int>> draw(ScoreSums& sums, std::size_t v, const std::vector<int>& allowed,
                                   const Required& required, std::size_t count, std::uint64_t seed,
                                   std::uint64_t stream) {
    const auto inside = sums.bits(v, allowed);
    const auto wanted = sums.bits(v, required.value_or(std::vector<int>{}));
    Random random(seed, stream);
    std::vector<std::vector<int>> result;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t place =
            required ? sums.node(v).draw(inside.data(), wanted.data(), sums.memo(), random)
                     : sums.node(v).draw(inside.data(), random);
        if (place < 0) break;
        result.push_back(sums.parents(v, place));
    }
    return result;
}

}  // namespace

void bind_sums(nb::module_& module) {
    nb::class_<ScoreSums>(module, "ScoreSums")
        .def(
            "__init__",
            [](ScoreSums* self, const FamilyTable& table, const std::vector<bool>& tabulate,
               double tolerance, bool with_max, int threads, nb::object progress) {
                std::vector<SumMethod> methods;
                for (const bool table_for_node : tabulate) {
                    methods.push_back(table_for_node ? SumMethod::table : SumMethod::scan);
                }
                if (methods.size() != table.size()) {
                    throw Error(ErrorKind::argument, "Every node needs a method.");
                }
                auto sums = run_released(threads, std::move(progress), [&](const RunOptions& o) {
                    return make_score_sums(table, methods, tolerance, with_max, o);
                });
                new (self) ScoreSums(table, std::move(sums));
            },
            nb::arg("table"), nb::arg("tabulate"), nb::arg("tolerance"), nb::arg("with_max"),
            nb::arg("threads"), nb::arg("progress").none())
        .def("log_sum", &log_sum, nb::arg("node"), nb::arg("allowed"), nb::arg("required").none())
        .def(
            "max",
            [](const ScoreSums& sums, std::size_t v, const std::vector<int>& allowed) {
                return sums.node(v).max(sums.bits(v, allowed).data());
            },
            nb::arg("node"), nb::arg("allowed"))
        .def("best", &best, nb::arg("node"), nb::arg("allowed"), nb::arg("required").none())
        .def("draw", &draw, nb::arg("node"), nb::arg("allowed"), nb::arg("required").none(),
             nb::arg("count"), nb::arg("seed"), nb::arg("stream"));
}

}  // namespace arcwise::bindings
