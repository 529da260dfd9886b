// The annealing loop.
#include "arcwise/chains/annealing.hpp"

#include <cmath>
#include <optional>

#include "arcwise/support/error.hpp"
#include "arcwise/support/seconds.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t steps_between_checks = 16;

}  // namespace

AnnealedRun anneal(const Space& space, State& state, const AnnealingOptions& options, Random moves,
                   Random draws, TaskContext& context) {
    AnnealedRun run(space.nodes(), space.move_names().size(), options.record);
    double start = seconds_now();
    std::uint64_t steps = 0;
    const auto report = [&](bool finished) {
        const std::uint64_t piece = finished ? steps % steps_between_checks : steps_between_checks;
        if (finished || ++steps % steps_between_checks == 0) context.advance(piece);
    };
    LinearExtensions counter(options.record.extension_budget);
    state.draw_uniform(moves);

    Temperature temperature = Temperature::at(options.inverse_temperatures.front());
    for (std::size_t level = 1; level < options.inverse_temperatures.size(); ++level) {
        const Temperature next = Temperature::at(options.inverse_temperatures[level]);
        run.log_weight +=
            next.log_density(state.log_weight()) - temperature.log_density(state.log_weight());
        if (run.log_weight == -std::numeric_limits<double>::infinity()) break;
        temperature = next;
        metropolis_step(state, temperature, moves, run.counts);
        report(false);
    }
    // A state of weight zero says nothing about DAGs, and its weight keeps it out of every mean.
    if (run.log_weight > -std::numeric_limits<double>::infinity()) {
        run.record.keep(state, draws, seconds_now() - start, counter, context);
        start = seconds_now();
        for (std::uint64_t step = 1; step <= options.stretch; ++step) {
            metropolis_step(state, temperature, moves, run.counts);
            report(false);
            if (step % options.thinning == 0) {
                run.record.keep(state, draws, seconds_now() - start, counter, context);
                start = seconds_now();
            }
        }
    }
    report(true);
    return run;
}

void anneal_many(const Space& space, const AnnealingOptions& options, std::uint64_t seed,
                 std::uint64_t first, std::size_t count, const RunOptions& run_options,
                 std::vector<AnnealedRun>& runs) {
    std::vector<std::optional<AnnealedRun>> finished(count);
    const auto collect = [&] {
        for (std::optional<AnnealedRun>& run : finished) {
            if (!run) return;
            runs.push_back(std::move(*run));
        }
    };
    const std::uint64_t steps = options.inverse_temperatures.size() - 1 + options.stretch;
    try {
        run_tasks(count, count * steps, run_options, [&](std::size_t i, TaskContext& context) {
            const std::uint64_t stream = 2 * (first + i);
            const std::unique_ptr<State> state = space.make_state();
            finished[i].emplace(anneal(space, *state, options, Random(seed, stream),
                                       Random(seed, stream + 1), context));
        });
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted) collect();
        throw;
    }
    collect();
}

}  // namespace arcwise
