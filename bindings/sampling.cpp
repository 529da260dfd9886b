// Chains and annealing runs, seen from Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arcwise/chains/annealing.hpp"
#include "arcwise/chains/tempering.hpp"
#include "arcwise/support/bits.hpp"
#include "arrays.hpp"
#include "spaces.hpp"

namespace arcwise::bindings {
namespace {

using Named = nb::typed<nb::dict, nb::str, nb::any>;
using Ratio = nb::typed<nb::tuple, NewArray<double, 1>, std::uint64_t, std::uint64_t>;

// What was kept, as arrays by name.
Named as_dict(const Record& record, int nodes) {
    const auto n = static_cast<std::size_t>(nodes);
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

// Several chains of the same space, with streams of their own.
class Chains {
  public:
    Chains(const PythonSpace& space, const TemperingOptions& options, std::uint64_t seed,
           std::uint64_t first, std::size_t count)
        : space_(space) {
        for (std::uint64_t chain = first; chain < first + count; ++chain) {
            chains_.push_back(std::make_unique<TemperedChain>(
                *space_.space, options, Random(seed, 2 * chain), Random(seed, 2 * chain + 1)));
        }
        thinning_ = options.thinning;
    }

    Chains(const Chains&) = delete;
    Chains& operator=(const Chains&) = delete;

    const Space& space() const { return *space_.space; }
    std::size_t size() const { return chains_.size(); }
    const TemperedChain& chain(std::size_t index) const { return *chains_.at(index); }

    void start(std::uint64_t burn_in, const RunOptions& options) {
        run_tasks(chains_.size(), chains_.size() * burn_in, options,
                  [&](std::size_t i, TaskContext& context) {
                      chains_[i]->start();
                      chains_[i]->burn_in(burn_in, context);
                  });
    }
    // A burn-in in two calls or more: a plan, and its pieces.
    void plan_burn_in(std::uint64_t steps) {
        for (const auto& chain : chains_) chain->plan_burn_in(steps);
    }
    void go_on_burning_in(std::uint64_t steps, const RunOptions& options) {
        run_tasks(chains_.size(), chains_.size() * steps, options,
                  [&](std::size_t i, TaskContext& context) {
                      chains_[i]->go_on_burning_in(steps, context);
                  });
    }
    void burn_in(std::uint64_t steps, const RunOptions& options) {
        run_tasks(
            chains_.size(), chains_.size() * steps, options,
            [&](std::size_t i, TaskContext& context) { chains_[i]->burn_in(steps, context); });
    }
    void sample(std::uint64_t draws, const RunOptions& options) {
        run_tasks(chains_.size(), chains_.size() * draws * thinning_, options,
                  [&](std::size_t i, TaskContext& context) { chains_[i]->sample(draws, context); });
    }
    void set_thinning(std::uint64_t thinning) {
        thinning_ = thinning;
        for (const auto& chain : chains_) chain->set_thinning(thinning);
    }

    void clear_draws(std::size_t index) { chains_.at(index)->clear_draws(); }

    std::vector<unsigned char> save_state() const { return save_some(chains_); }
    void restore_state(std::span<const unsigned char> bytes) { restore_some(chains_, bytes); }

    // The same for one chain, as if it were alone.
    std::vector<unsigned char> save_chain(std::size_t index) const {
        chain(index);
        return save_some(std::span(chains_).subspan(index, 1));
    }
    void restore_chain(std::size_t index, std::span<const unsigned char> bytes) {
        chain(index);
        restore_some(std::span(chains_).subspan(index, 1), bytes);
    }

  private:
    using Some = std::span<const std::unique_ptr<TemperedChain>>;

    std::vector<unsigned char> save_some(Some chains) const {
        ByteWriter out;
        out.put(std::uint64_t{chains.size()});
        out.put(thinning_);
        for (const auto& chain : chains) chain->save(out);
        return out.sealed(state_name, state_version);
    }
    void restore_some(Some chains, std::span<const unsigned char> bytes) {
        ByteReader in(bytes, state_name, state_version);
        if (in.get<std::uint64_t>() != chains.size()) ByteReader::damaged();
        thinning_ = in.get<std::uint64_t>();
        for (const auto& chain : chains) chain->restore(in);
        in.finish();
    }

    static constexpr std::string_view state_name = "arcwise chains";
    static constexpr std::uint32_t state_version = 1;

    PythonSpace space_;
    std::vector<std::unique_ptr<TemperedChain>> chains_;
    std::uint64_t thinning_;
};

// Annealing runs of the same space, as many as were asked for so far.
struct AnnealedRuns {
    AnnealedRuns(const PythonSpace& of, AnnealingOptions with, std::uint64_t from_seed)
        : space(of), options(std::move(with)), seed(from_seed) {}
    AnnealedRuns(const AnnealedRuns&) = delete;
    AnnealedRuns& operator=(const AnnealedRuns&) = delete;

    // The runs from number `first` on, for annealing with the same settings to go on from.
    std::vector<unsigned char> save_runs(std::size_t first) const {
        ByteWriter out;
        out.put(std::uint64_t{first});
        out.put(std::uint64_t{runs.size() - first});
        for (std::size_t i = first; i < runs.size(); ++i) {
            out.put(runs[i].log_weight);
            runs[i].record.save(out);
            runs[i].counts.save(out);
        }
        return out.sealed(runs_name, runs_version);
    }
    void restore_runs(std::span<const unsigned char> bytes, bool whatever_number) {
        ByteReader in(bytes, runs_name, runs_version);
        if (in.get<std::uint64_t>() != runs.size() && !whatever_number) ByteReader::damaged();
        for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
            AnnealedRun run(space.space->nodes(), space.space->move_names().size(), options.record);
            run.log_weight = in.get<double>();
            run.record.restore(in);
            run.counts.restore(in);
            runs.push_back(std::move(run));
        }
        in.finish();
    }

    static constexpr std::string_view runs_name = "arcwise annealing runs";
    static constexpr std::uint32_t runs_version = 1;

    PythonSpace space;
    AnnealingOptions options;
    std::uint64_t seed;
    std::vector<AnnealedRun> runs;
};

nb::bytes as_bytes(const std::vector<unsigned char>& bytes) {
    return nb::bytes(bytes.data(), bytes.size());
}

std::span<const unsigned char> view(const nb::bytes& bytes) {
    return {static_cast<const unsigned char*>(bytes.data()), bytes.size()};
}

Named as_dict(const MoveCounts& counts, const Space& space) {
    Named result;
    const std::vector<std::string> names = space.move_names();
    for (std::size_t move = 0; move < names.size(); ++move) {
        result[names[move].c_str()] = nb::make_tuple(counts.proposed[move], counts.accepted[move]);
    }
    return result;
}

}  // namespace

void bind_sampling(nb::module_& module) {
    nb::class_<RecordOptions>(module, "RecordOptions")
        .def(nb::init<>())
        .def_rw("dags", &RecordOptions::dags)
        .def_rw("dag_time_share", &RecordOptions::dag_time_share)
        .def_rw("count_extensions", &RecordOptions::count_extensions)
        .def_rw("extension_budget", &RecordOptions::extension_budget)
        .def_rw("estimate_extensions", &RecordOptions::estimate_extensions)
        .def_rw("edges", &RecordOptions::edges)
        .def_rw("edge_batches", &RecordOptions::edge_batches);
    nb::class_<Chains>(module, "Chains")
        .def(
            "__init__",
            [](Chains* self, const PythonSpace& space,
               const std::vector<double>& inverse_temperatures, int exchanges_per_step, bool adapt,
               std::uint64_t thinning, const RecordOptions& record, std::uint64_t seed,
               std::uint64_t first, std::size_t count) {
                new (self) Chains(
                    space, {inverse_temperatures, exchanges_per_step, adapt, thinning, record},
                    seed, first, count);
            },
            nb::arg("space"), nb::arg("inverse_temperatures"), nb::arg("exchanges_per_step"),
            nb::arg("adapt"), nb::arg("thinning"), nb::arg("record"), nb::arg("seed"),
            nb::arg("first"), nb::arg("count"))
        .def("__len__", &Chains::size)
        .def("set_thinning", &Chains::set_thinning, nb::arg("thinning"))
        .def(
            "start",
            [](Chains& self, std::uint64_t burn_in, int threads, nb::object progress) {
                run_released(threads, std::move(progress),
                             [&](const RunOptions& o) { self.start(burn_in, o); });
            },
            nb::arg("burn_in"), nb::arg("threads"), nb::arg("progress").none())
        .def("plan_burn_in", &Chains::plan_burn_in, nb::arg("steps"),
             "Plan a burn-in that go_on_burning_in makes piece by piece.")
        .def(
            "go_on_burning_in",
            [](Chains& self, std::uint64_t steps, int threads, nb::object progress) {
                run_released(threads, std::move(progress),
                             [&](const RunOptions& o) { self.go_on_burning_in(steps, o); });
            },
            nb::arg("steps"), nb::arg("threads"), nb::arg("progress").none())
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
        .def("record",
             [](const Chains& self, std::size_t chain) {
                 return as_dict(self.chain(chain).record(), self.space().nodes());
             })
        .def(
            "take_draws",
            [](Chains& self, std::size_t chain) {
                const Named taken = as_dict(self.chain(chain).record(), self.space().nodes());
                self.clear_draws(chain);
                return taken;
            },
            nb::arg("chain"), "The record, whose draws are then no longer kept here.")
        .def(
            "save_state", [](const Chains& self) { return as_bytes(self.save_state()); },
            "All that the chains' further path depends on, to the last bit.")
        .def(
            "restore_state",
            [](Chains& self, const nb::bytes& state) {
                const std::span<const unsigned char> bytes = view(state);
                const nb::gil_scoped_release release;
                self.restore_state(bytes);
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
        .def("inverse_temperatures",
             [](const Chains& self, std::size_t chain) {
                 std::vector<double> result;
                 for (const Temperature& temperature : self.chain(chain).temperatures()) {
                     result.push_back(temperature.inverse);
                 }
                 return result;
             })
        .def("exchanges",
             [](const Chains& self, std::size_t chain) {
                 return std::tuple(self.chain(chain).exchanges_proposed(),
                                   self.chain(chain).exchanges_accepted());
             })
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
            [](AnnealedRuns* self, const PythonSpace& space,
               const std::vector<double>& inverse_temperatures, std::uint64_t stretch,
               std::uint64_t thinning, const RecordOptions& record, std::uint64_t seed) {
                new (self)
                    AnnealedRuns(space, {inverse_temperatures, stretch, thinning, record}, seed);
            },
            nb::arg("space"), nb::arg("inverse_temperatures"), nb::arg("stretch"),
            nb::arg("thinning"), nb::arg("record"), nb::arg("seed"))
        .def("__len__", [](const AnnealedRuns& self) { return self.runs.size(); })
        .def(
            "run",
            [](AnnealedRuns& self, std::uint64_t first, std::size_t count, int threads,
               nb::object progress) {
                run_released(threads, std::move(progress), [&](const RunOptions& o) {
                    anneal_many(*self.space.space, self.options, self.seed, first, count, o,
                                self.runs);
                });
            },
            nb::arg("first"), nb::arg("count"), nb::arg("threads"), nb::arg("progress").none())
        .def(
            "save_runs",
            [](const AnnealedRuns& self, std::size_t first) {
                if (first > self.runs.size()) {
                    throw Error(ErrorKind::argument, "There is no such run.");
                }
                return as_bytes(self.save_runs(first));
            },
            nb::arg("first"), "The runs from a number on.")
        .def(
            "restore_runs",
            [](AnnealedRuns& self, const nb::bytes& runs) { self.restore_runs(view(runs), false); },
            nb::arg("runs"), "Add what save_runs returned; the first of them must be the next.")
        .def(
            "append_runs",
            [](AnnealedRuns& self, const nb::bytes& runs) { self.restore_runs(view(runs), true); },
            nb::arg("runs"), "Add what save_runs of others returned, made alike elsewhere.")
        .def("log_weights",
             [](const AnnealedRuns& self) {
                 std::vector<double> result;
                 for (const AnnealedRun& run : self.runs) result.push_back(run.log_weight);
                 return copied(result);
             })
        .def("record",
             [](const AnnealedRuns& self, std::size_t run) {
                 return as_dict(self.runs.at(run).record, self.space.space->nodes());
             })
        .def("moves", [](const AnnealedRuns& self) {
            MoveCounts counts(self.space.space->move_names().size());
            for (const AnnealedRun& run : self.runs) counts.add(run.counts);
            return as_dict(counts, *self.space.space);
        });
}

}  // namespace arcwise::bindings
