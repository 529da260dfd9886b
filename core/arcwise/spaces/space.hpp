// What an algorithm knows of a space: states with a weight, moves between them, and what a state
// says about DAGs.
//
// Algorithms are written once against these classes; a new space brings a State and a Space.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arcwise/spaces/moves.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

class TaskContext;
struct SomeDag;

// The posterior of DAGs given a state: exact edge probabilities and independent draws.
class GivenState {
  public:
    virtual ~GivenState() = default;

    // edges[u * n + v] += scale * P(edge u -> v | state).
    virtual void add_edge_probabilities(double scale, double* edges) = 0;

    // The parents of each node as bits, words_for(n) words a node.
    virtual void draw(Random& random, std::uint64_t* parents) = 0;
};

// A state whose weight depends on the place of the target on a bridge between two laws. States
// begin at the modular end and stay where they are taken.
class Bridge {
  public:
    virtual LogWeight weight_at(const Temperature& target) const = 0;

    // A weight that is not smaller and quicker to find, for proposals that are refused anyway.
    virtual LogWeight weight_above(const Temperature& target) const = 0;

    virtual void go_to(const Temperature& target) = 0;

  protected:
    ~Bridge() = default;
};

// One point of a space; belongs to one thread at a time.
class State {
  public:
    virtual ~State() = default;

    // Becomes a uniformly random state of the space.
    virtual void draw_uniform(Random& random) = 0;

    // Becomes a state of positive weight by way of a chain of linear orders of a number of steps,
    // if it knows how to; this is a start, by no stated law. A long chain asks the context, if
    // there is one, whether to go on.
    virtual bool start_from_orders(std::uint64_t, Random&, TaskContext*) { return false; }

    // Becomes the state of a DAG, or one of its states, if it knows how to.
    virtual bool start_at(const SomeDag&) { return false; }

    const LogWeight& log_weight() const { return weight_; }

    // The state itself as one on a bridge, in spaces that have one.
    virtual Bridge* bridge() { return nullptr; }

    // Proposes a move, by a law that may depend on the temperature (Gibbs moves); the state stays
    // as it is until `accept` takes the last proposal.
    virtual Proposal propose(const Temperature& temperature, Random& random) = 0;
    virtual void accept() = 0;

    // The state as whole numbers, in a form of the space's own, and back.
    virtual std::vector<std::uint16_t> encode() const = 0;
    virtual void decode(std::span<const std::uint16_t> code) = 0;

    // The weight summed up anew, without regard for anything kept from earlier moves.
    virtual LogWeight recomputed_weight() const = 0;

    virtual std::unique_ptr<GivenState> given() const = 0;

    // All that the path from here depends on, to the last bit: a restored state continues as the
    // saved one would have. Throws `file_format` if the code is of no state of this space, or of
    // one that does not have the weight that was saved with it.
    void save(ByteWriter& out);
    void restore(ByteReader& in);

    // Goes on as the other state of the same space, at the same place of the bridge, would have.
    void become(State& other);

  protected:
    // The code with all that moves can tell apart; `decode` understands it.
    virtual std::vector<std::uint16_t> exact_code() const { return encode(); }

    // The parts of the weight, where moves may leave other last bits in them than summing them up
    // anew would.
    virtual std::span<LogWeight> exact_parts() { return {}; }

    // Takes the weight of an accepted proposal, or once in a while that of `exact_parts` summed up
    // anew, so that rounding does not build up.
    void take_weight(const LogWeight& proposed) {
        constexpr unsigned accepted_between_sums = 1024;
        weight_ = proposed;
        if (++accepted_ % accepted_between_sums == 0) weight_ = sum_of(exact_parts());
    }

    LogWeight weight_;
    std::uint64_t accepted_ = 0;  // moves, where the weight is taken that way
};

// The same for states of all spaces: without a bridge, the place of the target does not matter.
inline LogWeight weight_at(State& state, const Temperature& target) {
    const Bridge* bridge = state.bridge();
    return bridge == nullptr ? state.log_weight() : bridge->weight_at(target);
}
inline LogWeight weight_above(State& state, const Temperature& target) {
    const Bridge* bridge = state.bridge();
    return bridge == nullptr ? state.log_weight() : bridge->weight_above(target);
}
inline void go_to(State& state, const Temperature& target) {
    if (Bridge* bridge = state.bridge()) bridge->go_to(target);
}

// What a space finds out about a model by short trial chains, for chains that start from linear
// orders of `order_steps` steps (0: elsewhere). The answers depend on nothing else.
class Tuner {
  public:
    // Sets up the moves of a state of the space by what was found out.
    virtual void prepare(State& state, std::uint64_t order_steps, TaskContext* context) const = 0;

    virtual UsualMoves usual_moves(std::uint64_t order_steps, TaskContext* context) const = 0;

    // About how many steps the slowest edge takes to change by as much as it varies: the more, the
    // further apart chains stay. 0: not known.
    virtual double slowest_edge(std::uint64_t order_steps, TaskContext* context) const = 0;

  protected:
    ~Tuner() = default;
};

// A set of states; shared by all threads.
class Space {
  public:
    virtual ~Space() = default;
    virtual int nodes() const = 0;
    virtual std::unique_ptr<State> make_state() const = 0;

    // ln of the number of states, all of which draw_uniform may give; where every structure is
    // among them several times, equally often, over how often.
    virtual double log_size() const = 0;

    // Edges are averaged over states this number of steps apart, not only over those that are kept:
    // often enough that nothing is lost between two of them, and so seldom that it takes about a
    // third of the time. 0: over kept states alone. It is known from the space, never from a clock:
    // the same seed gives the same averages on any machine.
    virtual std::uint64_t steps_between_averages() const { return 0; }

    // The space itself, if its moves are tuned by trial chains.
    virtual const Tuner* tuner() const { return nullptr; }

    const MoveTable& moves() const { return moves_; }

    // The same states, with moves tried as often as these shares say, by kind; nothing if it was
    // not built by its name.
    virtual std::shared_ptr<const Space> with_shares(const MoveShares& shares) const {
        return make_again_ ? make_again_(shares) : nullptr;
    }

    // To be called where it is built, before others see it.
    using MakeAgain = std::function<std::shared_ptr<const Space>(const MoveShares&)>;
    void set_make_again(MakeAgain make_again) const { make_again_ = std::move(make_again); }

  protected:
    explicit Space(MoveTable moves) : moves_(std::move(moves)) {}

  private:
    MoveTable moves_;
    mutable MakeAgain make_again_;
};

// The outcome of a step.
struct StepOutcome {
    std::size_t move;
    bool proposed;  // there was somewhere to go
    bool accepted;
};

// Makes one Metropolis–Hastings step in any space, at any temperature: the only place where a
// proposal is accepted or refused.
StepOutcome metropolis_step(State& state, const Temperature& temperature, Random& random);

// How often each move was proposed and accepted.
struct MoveCounts {
    explicit MoveCounts(const MoveTable& table)
        : proposed(table.names().size(), 0), accepted(proposed) {}

    void add(const StepOutcome& step) {
        proposed[step.move] += step.proposed ? 1u : 0u;
        accepted[step.move] += step.accepted ? 1u : 0u;
    }
    void add(const MoveCounts& other);

    void save(ByteWriter& out) const;
    void restore(ByteReader& in);

    std::vector<std::uint64_t> proposed;
    std::vector<std::uint64_t> accepted;
};

// Makes a state of weight zero one of positive weight, by steps that are ever less willing to leave
// a node without a parent set; throws `argument` if that does not succeed.
void settle(State& state, Random& random);

}  // namespace arcwise
