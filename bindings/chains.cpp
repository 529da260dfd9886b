// Chains, annealing runs, and how well the edges of sampled DAGs have mixed, seen from Python.
#include "arcwise/chains/chains.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arcwise/chains/annealing.hpp"
#include "arcwise/chains/edge_mixing.hpp"
#include "arcwise/chains/population.hpp"
#include "arcwise/chains/replicas.hpp"
#include "arcwise/support/bits.hpp"
#include "arrays.hpp"
#include "spaces.hpp"
#include "temperatures.hpp"

namespace arcwise::bindings {
namespace {

using Named = nb::typed<nb::dict, nb::str, nb::any>;
using Ratio = nb::typed<nb::tuple, NewArray<double, 1>, std::uint64_t, std::uint64_t>;

// What was kept, as arrays by name.
Named as_dict(const Record& record) {
    const auto n = static_cast<std::size_t>(record.nodes());
    const std::size_t words = words_for(n);
    Named result;
    result["log_weights"] = copied(record.log_weights);
    const std::size_t states = record.states();
    const std::size_t code = states == 0 ? 0 : record.codes.size() / states;
    result["codes"] = copied(std::span<const std::uint16_t>(record.codes), {states, code});
    result["dag_counts"] = copied(record.dag_counts);
    result["parents"] =
        copied(std::span<const std::uint64_t>(record.parents), {record.dags(), n, words});
    result["log_extensions"] = copied(record.log_extensions);
    result["extension_errors"] = copied(record.extension_errors);
    if (record.options().edges) {
        const std::vector<double> total = record.edges.total();
        result["edge_sums"] = copied(std::span<const double>(total), {n, n});
        auto [batches, memory] = new_array<double>({record.edges.batches(), n, n});
        for (std::size_t i = 0; i < record.edges.batches(); ++i) {
            const auto batch = record.edges.batch(i);
            std::copy(batch.begin(), batch.end(),
                      memory.begin() + static_cast<std::ptrdiff_t>(i * n * n));
        }
        result["edge_batches"] = batches;
        result["edge_batch_size"] = record.edges.batch_size();
    }
    return result;
}

// DAGs x nodes x words.
using PackedChain =
    nb::ndarray<const std::uint64_t, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

nb::bytes as_bytes(const std::vector<unsigned char>& bytes) {
    return nb::bytes(bytes.data(), bytes.size());
}

std::span<const unsigned char> view(const nb::bytes& bytes) {
    return {static_cast<const unsigned char*>(bytes.data()), bytes.size()};
}

Named as_dict(const MoveCounts& counts, const Space& space) {
    Named result;
    const std::vector<std::string>& names = space.moves().names();
    for (std::size_t move = 0; move < names.size(); ++move) {
        result[names[move].c_str()] = nb::make_tuple(counts.proposed[move], counts.accepted[move]);
    }
    return result;
}

}  // namespace

void bind_chains(nb::module_& module) {
    nb::class_<RecordOptions>(module, "RecordOptions")
        .def(nb::init<>())
        .def_rw("dags_per_state", &RecordOptions::dags_per_state)
        .def_rw("dag_time_share", &RecordOptions::dag_time_share)
        .def_rw("count_extensions", &RecordOptions::count_extensions)
        .def_rw("extension_budget", &RecordOptions::extension_budget)
        .def_rw("estimate_extensions", &RecordOptions::estimate_extensions)
        .def_rw("edges", &RecordOptions::edges)
        .def_rw("edge_batches", &RecordOptions::edge_batches);
    nb::class_<TemperingOptions>(module, "ChainOptions")
        .def(nb::init<>())
        .def_prop_rw(
            "path", [](const TemperingOptions& self) { return points_of(self.temperatures); },
            [](TemperingOptions& self, const Path& path) {
                self.temperatures = temperatures_along(path);
            })
        .def_rw("steps_between_exchanges", &TemperingOptions::steps_between_exchanges)
        .def_rw("adapt", &TemperingOptions::adapt)
        .def_rw("most_temperatures", &TemperingOptions::most_temperatures)
        .def_rw("order_steps", &TemperingOptions::order_steps)
        .def_rw("first_dag", &TemperingOptions::first_dag)
        .def_rw("record", &TemperingOptions::record)
        .def_rw("adapt_moves", &TemperingOptions::adapt_moves);
    nb::class_<AnnealingOptions>(module, "AnnealingOptions")
        .def(nb::init<>())
        .def_prop_rw(
            "path", [](const AnnealingOptions& self) { return points_of(self.temperatures); },
            [](AnnealingOptions& self, const Path& path) {
                self.temperatures = temperatures_along(path);
            })
        .def_rw("stretch", &AnnealingOptions::stretch)
        .def_rw("thinning", &AnnealingOptions::thinning)
        .def_rw("record", &AnnealingOptions::record)
        .def_rw("population", &AnnealingOptions::population)
        .def_rw("steps_by_temperature", &AnnealingOptions::steps)
        .def_rw("starts", &AnnealingOptions::starts);
    nb::class_<Chains>(module, "Chains")
        .def(
            "__init__",
            [](Chains* self, const PythonSpace& space, TemperingOptions options, std::uint64_t seed,
               std::uint64_t first, std::size_t count) {
                options.record = space.recording(options.record);
                new (self) Chains(space.space, options, seed, first, count);
            },
            nb::arg("space"), nb::arg("options"), nb::arg("seed"), nb::arg("first"),
            nb::arg("count"))
        .def("__len__", &Chains::size)
        .def("set_thinning", &Chains::set_thinning, nb::arg("thinning"))
        .def(
            "start",
            [](Chains& self, std::uint64_t burn_in, int threads, nb::object progress) {
                run_released(threads, std::move(progress),
                             [&](const RunOptions& o) { self.start(burn_in, o); });
            },
            nb::arg("burn_in"), nb::arg("threads"), nb::arg("progress").none())
        .def(
            "burn_in",
            [](Chains& self, std::uint64_t steps, int threads, nb::object progress) {
                run_released(threads, std::move(progress),
                             [&](const RunOptions& o) { self.burn_in(steps, o); });
            },
            nb::arg("steps"), nb::arg("threads"), nb::arg("progress").none())
        .def(
            "sample",
            [](Chains& self, std::uint64_t draws, int threads, nb::object progress) {
                run_released(threads, std::move(progress),
                             [&](const RunOptions& o) { self.sample(draws, o); });
            },
            nb::arg("draws"), nb::arg("threads"), nb::arg("progress").none())
        .def("record", [](const Chains& self,
                          std::size_t chain) { return as_dict(self.chain(chain).record()); })
        .def(
            "shares",
            [](const Chains& self, std::size_t chain) {
                Named result;
                const MoveShares& shares = self.chain(chain).adapted_shares();
                const auto& kinds = self.space().moves().kinds();
                for (std::size_t kind = 0; kind < shares.size(); ++kind) {
                    result[kinds[kind].name.c_str()] = shares[kind];
                }
                return result;
            },
            nb::arg("chain"), "How often kinds of moves are tried, where that was adapted.")
        .def(
            "take_draws",
            [](Chains& self, std::size_t chain) {
                const Named taken = as_dict(self.chain(chain).record());
                self.clear_draws(chain);
                return taken;
            },
            nb::arg("chain"), "The record, whose draws are then no longer kept here.")
        .def(
            "save_state", [](const Chains& self) { return as_bytes(self.save()); },
            "All that the chains' further path depends on, to the last bit.")
        .def(
            "restore_state",
            [](Chains& self, const nb::bytes& state) {
                const std::span<const unsigned char> bytes = view(state);
                const nb::gil_scoped_release release;
                self.restore(bytes);
            },
            nb::arg("state"), "Go on from what save_state of chains made alike returned.")
        .def(
            "save_chain",
            [](const Chains& self, std::size_t chain) { return as_bytes(self.save_chain(chain)); },
            nb::arg("chain"), "What save_state of the chain alone would return.")
        .def(
            "restore_chain",
            [](Chains& self, std::size_t chain, const nb::bytes& state) {
                self.restore_chain(chain, view(state));
            },
            nb::arg("chain"), nb::arg("state"), "Put one chain where save_state of it alone says.")
        .def("moves",
             [](const Chains& self, std::size_t chain) {
                 return as_dict(self.chain(chain).moves(), self.space());
             })
        .def(
            "path",
            [](const Chains& self, std::size_t chain) {
                return points_of(self.chain(chain).replicas().temperatures());
            },
            "The inverse temperatures, which may have been adapted, and places on the bridge.")
        .def("exchanges",
             [](const Chains& self, std::size_t chain) {
                 std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
                 for (const ExchangeCounts& each : self.chain(chain).replicas().exchanges()) {
                     result.emplace_back(each.proposed, each.accepted);
                 }
                 return result;
             })
        .def(
            "round_trips",
            [](const Chains& self, std::size_t chain) {
                return self.chain(chain).replicas().round_trips();
            },
            "How often a state went from the hottest temperature to the coldest and back.")
        .def(
            "ratios",
            [](const Chains& self, std::size_t chain) {
                nb::typed<nb::list, Ratio> result;
                for (const LogMeanBatches& ratio : self.chain(chain).ratios()) {
                    result.append(nb::make_tuple(copied(ratio.log_sums()), ratio.count(),
                                                 ratio.batch_size()));
                }
                return result;
            },
            "By pair of temperatures: the log sums of the batches, the count and the batch size.");
    nb::class_<AnnealedRuns>(module, "AnnealedRuns")
        .def(
            "__init__",
            [](AnnealedRuns* self, const PythonSpace& space, AnnealingOptions options,
               std::uint64_t seed) {
                const bool steps_differ = !options.steps.empty() &&
                                          options.steps.size() + 1 != options.temperatures.size();
                if (options.population == 0 || steps_differ) {
                    throw Error(ErrorKind::argument,
                                "A population has one state or more, and a number of steps for "
                                "each temperature but the first.");
                }
                options.record = space.recording(options.record);
                new (self) AnnealedRuns(space.space, std::move(options), seed);
            },
            nb::arg("space"), nb::arg("options"), nb::arg("seed"))
        .def("__len__", [](const AnnealedRuns& self) { return self.runs().size(); })
        .def(
            "run",
            [](AnnealedRuns& self, std::uint64_t first, std::size_t count, int threads,
               nb::object progress) {
                run_released(threads, std::move(progress),
                             [&](const RunOptions& o) { self.run(first, count, o); });
            },
            nb::arg("first"), nb::arg("count"), nb::arg("threads"), nb::arg("progress").none())
        .def(
            "save_runs",
            [](const AnnealedRuns& self, std::size_t first) { return as_bytes(self.save(first)); },
            nb::arg("first"), "The runs from a number on.")
        .def(
            "restore_runs",
            [](AnnealedRuns& self, const nb::bytes& runs) { self.restore(view(runs), false); },
            nb::arg("runs"), "Add what save_runs returned; the first of them must be the next.")
        .def(
            "append_runs",
            [](AnnealedRuns& self, const nb::bytes& runs) { self.restore(view(runs), true); },
            nb::arg("runs"), "Add what save_runs of others returned, made alike elsewhere.")
        .def("log_weights",
             [](const AnnealedRuns& self) {
                 std::vector<double> result;
                 for (const AnnealedRun& run : self.runs()) result.push_back(run.log_weight);
                 return copied(result);
             })
        .def("record", [](const AnnealedRuns& self,
                          std::size_t run) { return as_dict(self.runs().at(run).record); })
        .def("moves", [](const AnnealedRuns& self) { return as_dict(self.moves(), self.space()); });
    module.def(
        "plan_population",
        [](const PythonSpace& space, const Path& path, std::size_t population,
           double effective_share, double correlation, std::uint64_t steps_a_look,
           std::uint64_t most_looks, std::uint64_t seed, int threads, nb::object progress) {
            const PilotOptions options{temperatures_along(path),
                                       population,
                                       effective_share,
                                       correlation,
                                       steps_a_look,
                                       most_looks};
            PopulationPlan plan;
            run_released(threads, std::move(progress), [&](const RunOptions& o) {
                plan = plan_population(*space.space, options, seed, o);
            });
            return std::pair(points_of(plan.temperatures), plan.steps);
        },
        nb::arg("space"), nb::arg("path"), nb::arg("population"), nb::arg("effective_share"),
        nb::arg("correlation"), nb::arg("steps_a_look"), nb::arg("most_looks"), nb::arg("seed"),
        nb::arg("threads"), nb::arg("progress").none(),
        "The temperatures, with their places on the bridge, and the steps at each, of a "
        "population.");
    module.def(
        "adapted_path",
        [](const Path& path, const std::vector<double>& refusal_rates, std::size_t most) {
            if (path.size() < 2 || refusal_rates.size() + 1 != path.size()) {
                throw Error(ErrorKind::argument,
                            "A path has two points or more, and a rate for each pair of them.");
            }
            return points_of(adapted(temperatures_along(path), refusal_rates, most));
        },
        nb::arg("path"), nb::arg("refusal_rates"), nb::arg("most"),
        "The path with its points where exchanges are all as easy, and with more of them, up to "
        "so many, if too many exchanges are refused.");
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
