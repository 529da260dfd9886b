// The annealing loop.
#include "arcwise/chains/annealing.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "arcwise/chains/population.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t steps_between_checks = 16;
constexpr std::string_view runs_name = "arcwise annealing runs";
constexpr std::uint32_t runs_version = 1;

}  // namespace

std::uint64_t AnnealingOptions::steps_of_a_state() const {
    const std::uint64_t one_each = temperatures.size() - 1;
    return stretch + std::accumulate(steps.begin(), steps.end(), steps.empty() ? one_each : 0);
}

AnnealedRun anneal(const Space& space, const Population& states, const AnnealingOptions& options,
                   Random moves, Random draws, TaskContext& context,
                   std::span<const StateCode> starts) {
    AnnealedRun run(space, options.record);
    double start = seconds_now();
    std::uint64_t steps = 0;
    const auto report = [&](bool finished) {
        const std::uint64_t piece = finished ? steps % steps_between_checks : steps_between_checks;
        if (finished || ++steps % steps_between_checks == 0) context.advance(piece);
    };
    LinearExtensions counter(options.record.extension_budget);
    Temperature temperature = options.temperatures.front();
    for (std::size_t i = 0; i < states.size(); ++i) {
        go_to(*states[i], temperature);
        if (starts.empty()) {
            states[i]->draw_uniform(moves);
        } else {
            states[i]->decode(starts[i]);
        }
    }
    std::vector<double> log_weights(states.size(), 0.0);  // since the last resampling

    for (std::size_t level = 1; level < options.temperatures.size(); ++level) {
        const Temperature& next = options.temperatures[level];
        reweight(states, temperature, next, log_weights);
        if (std::ranges::max(log_weights) == minus_infinity) {
            run.log_weight = minus_infinity;
            break;
        }
        temperature = next;
        const bool last = level + 1 == options.temperatures.size();
        if (last || needs_resampling(log_weights)) {
            run.log_weight += resample(states, log_weights, moves);
        }
        for (const auto& state : states) {
            for (std::uint64_t step = options.steps_at(level); step > 0; --step) {
                run.counts.add(metropolis_step(*state, temperature, moves));
                report(false);
            }
        }
    }
    // States of weight zero say nothing about DAGs, and their weight keeps them out of every mean;
    // nor do states elsewhere than at the posterior.
    if (run.log_weight > minus_infinity && temperature.is_posterior()) {
        const auto keep = [&](const State& state) {
            run.record.keep(state, draws, seconds_now() - start, counter, context);
            start = seconds_now();
        };
        for (const auto& state : states) keep(*state);
        for (const auto& state : states) {
            for (std::uint64_t step = 1; step <= options.stretch; ++step) {
                run.counts.add(metropolis_step(*state, temperature, moves));
                report(false);
                if (step % options.thinning == 0) keep(*state);
            }
        }
    }
    report(true);
    return run;
}

std::span<const StateCode> AnnealedRuns::starts_of(std::uint64_t run) const {
    if (options_.starts.empty()) return {};
    if (run >= options_.starts.size() / options_.population) {
        throw Error(ErrorKind::argument, "There are fewer starts than runs.");
    }
    return std::span(options_.starts).subspan(run * options_.population, options_.population);
}

MoveCounts AnnealedRuns::moves() const {
    MoveCounts counts(space_->moves());
    for (const AnnealedRun& run : runs_) counts.add(run.counts);
    return counts;
}

void AnnealedRuns::run(std::uint64_t first, std::size_t count, const RunOptions& run_options) {
    std::vector<std::optional<AnnealedRun>> finished(count);
    const auto collect = [&] {
        for (std::optional<AnnealedRun>& run : finished) {
            if (!run) return;
            runs_.push_back(std::move(*run));
        }
    };
    const std::uint64_t steps = options_.population * options_.steps_of_a_state();
    try {
        run_tasks(count, count * steps, run_options, [&](std::size_t i, TaskContext& context) {
            const std::uint64_t stream = 2 * (first + i);
            Population states(options_.population);
            for (auto& state : states) state = space_->make_state();
            finished[i].emplace(anneal(*space_, states, options_, Random(seed_, stream),
                                       Random(seed_, stream + 1), context, starts_of(first + i)));
        });
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted) collect();
        throw;
    }
    collect();
}

std::vector<unsigned char> AnnealedRuns::save(std::size_t first) const {
    if (first > runs_.size()) throw Error(ErrorKind::argument, "There is no such run.");
    ByteWriter out;
    out.put(std::uint64_t{first});
    out.put(std::uint64_t{runs_.size() - first});
    for (std::size_t i = first; i < runs_.size(); ++i) {
        out.put(runs_[i].log_weight);
        runs_[i].record.save(out);
        runs_[i].counts.save(out);
    }
    return out.sealed(runs_name, runs_version);
}

void AnnealedRuns::restore(std::span<const unsigned char> bytes, bool of_others) {
    ByteReader in(bytes, runs_name, runs_version);
    if (in.get<std::uint64_t>() != runs_.size() && !of_others) ByteReader::damaged();
    for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
        AnnealedRun run(*space_, options_.record);
        run.log_weight = in.get<double>();
        run.record.restore(in);
        run.counts.restore(in);
        runs_.push_back(std::move(run));
    }
    in.finish();
}

}  // namespace arcwise
