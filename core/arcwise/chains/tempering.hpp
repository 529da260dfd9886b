// Chains at several temperatures that exchange their states (Metropolis-coupled MCMC); with one
// temperature, plain MCMC.
//
// The only loop that runs Markov chains, for every space. It goes in sweeps: a fixed number of
// steps of every level, which threads can share, and exchanges between neighbours before the next.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arcwise/chains/batch_means.hpp"
#include "arcwise/chains/move_credits.hpp"
#include "arcwise/chains/record.hpp"
#include "arcwise/chains/replicas.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

class Crew;

struct TemperingOptions {
    std::vector<Temperature> temperatures = {{}};  // the hottest first, the last is the posterior
    std::uint64_t steps_between_exchanges = 1;
    bool adapt = false;  // spread the temperatures during burn-in so that all exchanges are as easy
    // While they adapt, temperatures are added where exchanges show that they are too few, up to
    // this number; 0: none.
    std::size_t most_temperatures = 0;
    // Chains at the posterior start where a chain of linear orders arrives after this number of
    // steps; 0: at a random state.
    std::uint64_t order_steps = 0;
    // Chain number 0 starts at this DAG instead, bits of parents by node; none: like the others. If
    // it is the best that is known, chains that have missed its mode differ from this one.
    std::vector<std::uint64_t> first_dag;
    std::uint64_t thinning = 1;
    RecordOptions record;
    // During burn-in, moves are tried the more often the more they bring for their work; from the
    // first sample on, their shares stay. This is for chains at one temperature only.
    bool adapt_moves = false;
};

class TemperedChain {
  public:
    // Moves and draws of DAGs have random streams of their own, so that the path of a chain does
    // not depend on what is drawn from its states.
    TemperedChain(const Space& space, const TemperingOptions& options, Random moves, Random draws);

    // Starts from uniformly random states, those at the posterior of positive weight or, where the
    // options say so, from orders.
    void start(TaskContext& context);

    // Both can be cut short by the context's stop, between two steps; what was kept stays. Their
    // path does not depend on the sizes of the pieces they are made in, nor on whether a crew
    // shares the levels of a sweep. After a burn-in, counts of moves and exchanges begin anew.
    void burn_in(std::uint64_t steps, TaskContext& context, Crew* crew = nullptr);
    void sample(std::uint64_t draws, TaskContext& context, Crew* crew = nullptr);

    // Steps between two kept states, from now on.
    void set_thinning(std::uint64_t thinning) { options_.thinning = thinning; }

    // All that the chain's further path depends on, its draws and its counts, for a chain of the
    // same space and options to go on from. To be called between two pieces.
    void save(ByteWriter& out) const;
    void restore(ByteReader& in);

    const Record& record() const { return record_; }
    void clear_draws() { record_.clear_draws(); }
    const Replicas& replicas() const { return replicas_; }
    const MoveCounts& moves() const { return replicas_.moves(); }  // of the coldest, after burn-in

    // How often kinds of moves are tried, where that was adapted; else none.
    const MoveShares& adapted_shares() const { return shares_; }

    // The estimates of ln(Z_{i+1} / Z_i), whose sum is the log ratio of the constants of the
    // coldest and the hottest target (paper 000, section 4.5).
    const std::vector<LogMeanBatches>& ratios() const { return ratios_; }

    // Makes one step, after exchanges where a sweep begins with it; the states can be looked at.
    void step();
    std::size_t levels() const { return replicas_.levels(); }
    State& state(std::size_t level) { return replicas_.state(level); }

  private:
    void prepare(State& state, TaskContext& context) const;
    void prepare_all(TaskContext& context);
    template <class AfterStep>
    void advance(std::uint64_t steps, TaskContext& context, Crew* crew, AfterStep after_step,
                 bool sampled);
    bool sweep_is_over() const { return steps_in_sweep_ == options_.steps_between_exchanges; }
    void exchange();
    void add_ratios();
    std::uint64_t averages() const;  // of edges, for each kept state
    void forget_counts();
    void adapt();
    void make_credits(TaskContext* context);
    void begin_credits(TaskContext& context);
    void count_credit(const StepOutcome& step, TaskContext& context);
    void end_credits();
    void take_shares(const MoveShares& shares);
    void save_credits(ByteWriter& out) const;
    void restore_credits(ByteReader& in);
    void restore_shares(ByteReader& in);

    const Space& space_;
    TemperingOptions options_;
    std::size_t prepared_ = 0;  // levels whose states are
    Random draw_random_;
    std::shared_ptr<const Space> with_shares_;  // outlives its states
    Replicas replicas_;
    LinearExtensions counter_;
    Record record_;
    std::vector<LogMeanBatches> ratios_;
    std::uint64_t steps_in_sweep_ = 0;
    std::uint64_t sweeps_to_adapt_;  // from one adaptation to the next, ever more
    bool learns_shares_;             // until it samples
    bool adapted_ = false;
    std::optional<MoveCredits> credits_;
    std::uint64_t looks_to_adapt_;  // likewise
    MoveShares shares_;             // that are not the usual ones
};

}  // namespace arcwise
