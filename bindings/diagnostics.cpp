// How far draws can be trusted, seen from Python.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <vector>

#include "arcwise/chains/edge_mixing.hpp"
#include "arcwise/support/bits.hpp"
#include "arrays.hpp"
#include "gate.hpp"

namespace arcwise::bindings {
namespace {

// DAGs x nodes x words.
using PackedChain =
    nb::ndarray<const std::uint64_t, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_diagnostics(nb::module_& module) {
    module.def(
        "edge_mixing",
        [](const std::vector<PackedChain>& parents, std::int64_t fewest_changes,
           std::size_t most_lags, int threads) {
            if (parents.empty()) {
                throw Error(ErrorKind::argument, "There must be one chain or more.");
            }
            const std::size_t nodes = parents.front().shape(1);
            std::vector<DagChain> chains;
            for (const PackedChain& chain : parents) {
                if (chain.shape(0) == 0 || chain.shape(1) != nodes ||
                    chain.shape(2) != words_for(nodes)) {
                    throw Error(ErrorKind::argument,
                                "Each chain must have DAGs of the same nodes, 64 to a word.");
                }
                chains.push_back({chain.data(), chain.shape(0)});
            }
            auto [rhat, rhat_memory] = new_array<double, 2>({nodes, nodes});
            auto [effective, effective_memory] = new_array<double, 2>({nodes, nodes});
            auto [changes, changes_memory] = new_array<std::int64_t, 2>({nodes, nodes});
            auto [shares, shares_memory] = new_array<double, 3>({chains.size(), nodes, nodes});
            const EdgeMixing result{rhat_memory, effective_memory, changes_memory, shares_memory};
            run_released(threads, nb::none(), [&](const RunOptions& options) {
                edge_mixing(chains, static_cast<int>(nodes), {fewest_changes, most_lags}, result,
                            options);
            });
            return std::tuple(rhat, effective, changes, shares);
        },
        nb::arg("parents"), nb::arg("fewest_changes"), nb::arg("most_lags"), nb::arg("threads"),
        "R-hat, effective sample sizes, changes and shares by chain of every edge.");
}

}  // namespace arcwise::bindings
