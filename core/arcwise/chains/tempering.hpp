// Chains at several temperatures that exchange their states (Metropolis-coupled MCMC); with one
// temperature, plain MCMC.
//
// The only loop that runs Markov chains, for every space. Each step moves every state once and then
// proposes to exchange the states of neighbouring temperatures many times over, which costs next to
// nothing. What is called a temperature may be a place on the bridge to the modular posterior as
// well; there an exchange takes as long as summing up two states.
#pragma once

#include <memory>
#include <vector>

#include "arcwise/chains/batch_means.hpp"
#include "arcwise/chains/record.hpp"
#include "arcwise/spaces/metropolis.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

struct TemperingOptions {
    std::vector<Temperature> temperatures = {{}};  // the hottest first, the last is the posterior
    int exchanges_per_step = 0;
    bool adapt = false;  // spread the temperatures during burn-in so that all exchanges are as easy
    // Chains at the posterior start from where one of linear orders is after so many steps; none:
    // from a random state.
    std::uint64_t order_steps = 0;
    std::uint64_t thinning = 1;
    RecordOptions record;
};

class TemperedChain {
  public:
    // Moves and draws of DAGs have random streams of their own, so that the path of a chain does
    // not depend on what is drawn from its states.
    TemperedChain(const Space& space, const TemperingOptions& options, Random moves, Random draws);

    // Starts from uniformly random states, those at the posterior of positive weight or, where the
    // options say so, from orders.
    void start(TaskContext& context);

    // All can be cut short by the context's stop, between two steps; what was kept stays. A burn-in
    // can be planned and then made in pieces of any size: its path does not depend on them.
    void burn_in(std::uint64_t steps, TaskContext& context) {
        plan_burn_in(steps);
        go_on_burning_in(steps, context);
    }
    void plan_burn_in(std::uint64_t steps);
    void go_on_burning_in(std::uint64_t steps, TaskContext& context);
    void sample(std::uint64_t draws, TaskContext& context);

    // Steps between two kept states, from now on.
    void set_thinning(std::uint64_t thinning) { options_.thinning = thinning; }

    // All that the chain's further path depends on, its draws and its counts, for a chain of the
    // same space and options to go on from. To be called between two pieces.
    void save(ByteWriter& out) const;
    void restore(ByteReader& in);

    const Record& record() const { return record_; }
    void clear_draws() { record_.clear_draws(); }
    const MoveCounts& moves() const { return moves_; }  // of the coldest chain, after burn-in
    const std::vector<Temperature>& temperatures() const { return temperatures_; }

    // By pair of neighbouring temperatures, the hottest first, after burn-in.
    const std::vector<std::uint64_t>& exchanges_proposed() const { return exchanges_proposed_; }
    const std::vector<std::uint64_t>& exchanges_accepted() const { return exchanges_accepted_; }

    // The estimates of ln(Z_{i+1} / Z_i), whose sum is the log ratio of the constants of the
    // coldest and the hottest target (paper 000, section 4.5).
    const std::vector<LogMeanBatches>& ratios() const { return ratios_; }

    // One step with all its exchanges, and the states, for whoever wants to see them move.
    void step();
    std::size_t levels() const { return states_.size(); }
    State& state(std::size_t level) { return *states_[level]; }

  private:
    void prepare(TaskContext& context);
    void set_temperatures(const std::vector<Temperature>& temperatures);
    void exchange();
    void add_ratios();
    std::uint64_t averages() const;  // of edges, for each kept state
    void forget_counts();
    void adapt_temperatures();

    const Space& space_;
    TemperingOptions options_;
    bool prepared_ = false;
    Random move_random_;
    Random draw_random_;
    std::vector<Temperature> temperatures_;
    std::vector<std::unique_ptr<State>> states_;  // the hottest first
    LinearExtensions counter_;
    Record record_;
    MoveCounts moves_;
    MoveCounts hotter_moves_;
    std::vector<std::uint64_t> exchanges_proposed_;
    std::vector<std::uint64_t> exchanges_accepted_;
    std::vector<double> refusals_;  // summed probabilities that an exchange is refused
    std::vector<LogMeanBatches> ratios_;
    std::uint64_t steps_between_ratios_;
    std::uint64_t steps_since_ratios_ = 0;

    // Of the burn-in that is planned: steps in a round of adaptation, left of it, and left of all.
    std::uint64_t round_ = 0;
    std::uint64_t round_left_ = 0;
    std::uint64_t burn_in_left_ = 0;
};

}  // namespace arcwise
