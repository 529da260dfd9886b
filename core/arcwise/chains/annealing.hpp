// Annealing: independent runs with weights whose mean is the evidence.
//
// The only loop that anneals, for every space. A run starts from uniformly random states, moves
// them at each of a long row of temperatures, and collects the ratios of the targets they pass;
// then it continues at the posterior and keeps states from there. A run of one state is annealed
// importance sampling (Neal 2001; paper 001, section 3.1). One of a population that is resampled on
// the way is sequential Monte Carlo (Del Moral, Doucet and Jasra 2006): states that have fallen
// behind are replaced by copies of those ahead, and the mean weights between two resamplings
// multiply. With temperatures and steps fixed beforehand the weight is unbiased in both cases.
//
// Where exact draws from some target exist, runs can begin from these instead, and lead anywhere:
// from the posterior back to the uniform distribution, say, which tells how far above the evidence
// an estimate may be (Grosse, Ghahramani and Adams 2015, "Sandwiching the marginal likelihood using
// bidirectional Monte Carlo").
#pragma once

#include <span>
#include <vector>

#include "arcwise/chains/record.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// A state as its space encodes it.
using StateCode = std::vector<std::uint16_t>;

struct AnnealingOptions {
    // From the uniform distribution to the posterior; with starts, from where these are drawn.
    std::vector<Temperature> temperatures;
    std::uint64_t stretch = 0;   // steps at the posterior after the annealing
    std::uint64_t thinning = 1;  // of these
    RecordOptions record;
    std::size_t population = 1;        // states of a run
    std::vector<std::uint64_t> steps;  // at each temperature but the first; empty: one at each
    std::vector<StateCode> starts;     // of all runs, one after the other; empty: uniformly random

    std::uint64_t steps_at(std::size_t level) const { return steps.empty() ? 1 : steps[level - 1]; }

    // The number of steps of each state of a run, the stretch included.
    std::uint64_t steps_of_a_state() const;
};

using Population = std::vector<std::unique_ptr<State>>;

struct AnnealedRun {
    AnnealedRun(const Space& space, const RecordOptions& options)
        : record(space.nodes(), options), counts(space.moves()) {}

    // ln of the weight; its exponential has the mean (sum of all weights) / (number of states), or
    // the ratio of the constants at the end and at the beginning of the path.
    double log_weight = 0.0;
    Record record;  // of the states at the end, if that is the posterior, and of the stretch
    MoveCounts counts;
};

// One run with its own random numbers. It takes states of the space, wherever they are, and begins
// from uniformly random ones, or from these starts, one for each.
AnnealedRun anneal(const Space& space, const Population& states, const AnnealingOptions& options,
                   Random moves, Random draws, TaskContext& context,
                   std::span<const StateCode> starts = {});

// Runs of the same space with the same settings, as many as were asked for so far.
class AnnealedRuns {
  public:
    AnnealedRuns(std::shared_ptr<const Space> space, AnnealingOptions options, std::uint64_t seed)
        : space_(std::move(space)), options_(std::move(options)), seed_(seed) {}
    AnnealedRuns(const AnnealedRuns&) = delete;
    AnnealedRuns& operator=(const AnnealedRuns&) = delete;

    const Space& space() const { return *space_; }
    const std::vector<AnnealedRun>& runs() const { return runs_; }
    MoveCounts moves() const;

    // Makes runs number first, first + 1, .. in parallel; run i takes the random streams 2 i and
    // 2 i + 1, so it does not depend on who makes it. Those finished are kept even if it is cut
    // short: the first ones, without gaps.
    void run(std::uint64_t first, std::size_t count, const RunOptions& run_options);

    // The runs from number `first` on as bytes, and back: they must be the next ones, unless they
    // are `of_others`, made alike elsewhere.
    std::vector<unsigned char> save(std::size_t first) const;
    void restore(std::span<const unsigned char> bytes, bool of_others);

  private:
    std::shared_ptr<const Space> space_;
    AnnealingOptions options_;
    std::uint64_t seed_;
    std::vector<AnnealedRun> runs_;

    std::span<const StateCode> starts_of(std::uint64_t run) const;
};

}  // namespace arcwise
