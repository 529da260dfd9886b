// What an algorithm knows of a space: states with a weight, moves between them, and what a state
// says about DAGs.
//
// Algorithms are written once against these classes; a new space brings a State and a Space.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arcwise/support/random.hpp"

namespace arcwise {

// The weight of a state. Where constraints leave a node no parent set, the state's weight is zero;
// such nodes are counted instead, and `value` holds something finite in their place, so that
// tempered chains can pass through states the posterior excludes.
struct LogWeight {
    double value = 0.0;
    int impossible = 0;
};

// A tempered target: e^(inverse * value - penalty * impossible), up to a constant. At inverse 1 the
// penalty is infinite and the target is the posterior; at inverse 0 both are 0 and it is uniform.
struct Temperature {
    double inverse = 1.0;
    double penalty = std::numeric_limits<double>::infinity();

    double log_density(const LogWeight& weight) const {
        const double forbidden = weight.impossible == 0 ? 0.0 : penalty * weight.impossible;
        return inverse * weight.value - forbidden;
    }

    // The path from the uniform distribution to the posterior, its end included.
    static Temperature at(double inverse) {
        if (inverse >= 1.0) return {};
        return {inverse, penalty_scale * inverse / (1.0 - inverse)};
    }

    static constexpr double penalty_scale = 5.0;
};

struct Proposal {
    int move = 0;            // which kind of move it is
    bool possible = true;    // false: there is nowhere to go, the chain stays
    LogWeight weight = {};   // of the state proposed
    double log_ratio = 0.0;  // ln of (probability to propose the way back / the way there)
};

// The posterior of DAGs given a state: exact edge probabilities and independent draws.
class GivenState {
  public:
    virtual ~GivenState() = default;

    // edges[u * n + v] += scale * P(edge u -> v | state).
    virtual void add_edge_probabilities(double scale, double* edges) = 0;

    // The parents of each node as bits, words_for(n) words a node.
    virtual void draw(Random& random, std::uint64_t* parents) = 0;
};

// One point of a space; belongs to one thread at a time.
class State {
  public:
    virtual ~State() = default;

    // Becomes a uniformly random state of the space.
    virtual void draw_uniform(Random& random) = 0;

    // Becomes some state of positive weight, if it knows a way to one; a start, by no stated law.
    virtual bool become_possible(Random&) { return false; }

    const LogWeight& log_weight() const { return weight_; }

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

    // All that the path from here depends on, to the last bit: a restored state goes on as the
    // saved one would have. Throws `file_format` if the code is of no state of this space, or of
    // one that does not have the weight that was saved with it.
    void save(ByteWriter& out);
    void restore(ByteReader& in);

  protected:
    // The code with all that moves can tell apart; `decode` understands it.
    virtual std::vector<std::uint16_t> exact_code() const { return encode(); }

    // The parts of the weight, where moves may leave other last bits in them than summing them up
    // anew would.
    virtual std::span<LogWeight> exact_parts() { return {}; }

    LogWeight weight_;
    // Moves accepted, in spaces that sum their weight up anew once in a while.
    std::uint64_t accepted_ = 0;
};

// A set of states; shared by all threads.
class Space {
  public:
    virtual ~Space() = default;
    virtual int nodes() const = 0;
    virtual std::unique_ptr<State> make_state() const = 0;

    // ln of the number of states, all of which draw_uniform may give.
    virtual double log_size() const = 0;

    // The names of the kinds of moves, by Proposal::move.
    virtual std::vector<std::string> move_names() const = 0;
};

}  // namespace arcwise
