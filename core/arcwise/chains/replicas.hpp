// The states of coupled chains: one for each temperature, exchanged between neighbours.
//
// Exchanges alternate between the even pairs of neighbours, first and second, third and fourth, and
// the odd ones: a state that was exchanged is offered to the next level at once, so that it travels
// on instead of wandering back and forth (Syed, Bouchard-Côté, Deligiannidis and Doucet 2022,
// "Non-reversible parallel tempering: a scalable highly parallel MCMC scheme"). Each pair is
// exchanged by a law that is reversible, so all pairs of one kind together are; both kinds in turn
// are not, and leave the joint law as it is.
//
// What is called a temperature may be a place on the bridge to the modular posterior as well; there
// an exchange takes as long as summing up two states.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/spaces/proposal.hpp"
#include "arcwise/spaces/space.hpp"

namespace arcwise {

// The rates at which exchanges are refused determine where temperatures belong.
//
// With r_i the rate of refusals between levels i and i + 1, their sum, the communication barrier,
// hardly depends on where the levels are: it measures how far apart the first and the last target
// are. States travel best between levels at equal shares of it, and fastest for the work of moving
// all of them where there are about twice as many levels as the barrier is high, that is where half
// of all exchanges are refused (Syed, Bouchard-Côté, Deligiannidis and Doucet 2022, "Non-reversible
// parallel tempering: a scalable highly parallel MCMC scheme").

// As many levels as wanted from the first to the last of these, at equal shares of the barrier.
std::vector<Temperature> at_equal_shares(std::span<const Temperature> temperatures,
                                         std::span<const double> refusal_rates, std::size_t levels);

// How many levels there should be, as far as these rates can tell; where nearly all exchanges are
// refused, about twice as many as there are.
std::size_t levels_needed(std::span<const double> refusal_rates);

// Whether exchanges are refused so often that levels are missing.
bool lacks_levels(std::span<const double> refusal_rates);

// The same way with levels at equal shares, and with more of them, up to `most_levels`, if some
// are missing.
std::vector<Temperature> adapted(std::span<const Temperature> temperatures,
                                 std::span<const double> refusal_rates, std::size_t most_levels);

// Pairs of neighbouring levels that have none in common: the first with the second and so on, or
// the second with the third and so on.
enum class Pairs : std::uint8_t { even, odd };

// Counts the exchanges of two neighbouring levels.
struct ExchangeCounts {
    std::uint64_t proposed = 0;
    std::uint64_t accepted = 0;
};

class Replicas {
  public:
    // One state alone moves by the random numbers given; several have a stream each, so that they
    // can be moved on different threads.
    Replicas(const Space& space, const std::vector<Temperature>& temperatures, Random random);

    std::size_t levels() const { return levels_.size(); }
    std::size_t coldest() const { return levels_.size() - 1; }
    std::vector<Temperature> temperatures() const;
    const Temperature& temperature(std::size_t level) const { return levels_[level].temperature; }
    State& state(std::size_t level) { return *levels_[level].state; }
    const State& state(std::size_t level) const { return *levels_[level].state; }
    Random& random(std::size_t level) { return levels_[level].random; }

    // A step of one level, which touches no other.
    StepOutcome step(std::size_t level) {
        Level& own = levels_[level];
        const StepOutcome outcome = metropolis_step(*own.state, own.temperature, own.random);
        own.moves.add(outcome);
        return outcome;
    }

    // Gives a level another state, which must be equal to its own, of a space that differs from its
    // own only in how often moves are tried.
    void replace(std::size_t level, std::unique_ptr<State> state) {
        levels_[level].state = std::move(state);
    }

    // Proposes exchanges, some of the even pairs and of the odd ones in turn.
    void exchange();
    void exchange(Pairs pairs);
    void exchange(std::size_t hotter);  // with its colder neighbour

    // Goes on at other temperatures, as many as there are or more, of which the first and the last
    // stay; a level that is new begins with a copy of its neighbour's state.
    void spread(const std::vector<Temperature>& temperatures);

    // How often an exchange is refused, by pair, since temperatures were last spread.
    std::vector<double> refusal_rates() const;
    std::uint64_t exchanges_since_spread() const { return exchanges_since_spread_; }

    // Since counts were last forgotten: moves of the coldest level, exchanges by pair of levels,
    // and how often a state went from the hottest level to the coldest and back.
    const MoveCounts& moves() const { return levels_.back().moves; }
    const std::vector<ExchangeCounts>& exchanges() const { return exchanges_; }
    std::uint64_t round_trips() const { return round_trips_; }
    void forget_counts();

    void save(ByteWriter& out) const;
    void restore(ByteReader& in, std::size_t most_levels);

  private:
    // Where a state is on its round trip.
    enum class Trip : std::uint8_t { unknown, from_hottest, from_coldest };

    struct Level {
        Level(const Space& space, const Random& stream)
            : state(space.make_state()), random(stream), moves(space.moves()) {}

        Temperature temperature;
        std::unique_ptr<State> state;
        Trip trip = Trip::unknown;  // of the state, with which it goes
        Random random;
        MoveCounts moves;
    };

    Random stream();
    void count_trips();

    const Space& space_;
    Random random_;              // of exchanges
    std::vector<Level> levels_;  // the hottest first
    bool bridged_ = false;       // whether the way leads over the bridge
    Pairs turn_ = Pairs::even;   // whose it is to be exchanged
    std::vector<ExchangeCounts> exchanges_;
    std::uint64_t round_trips_ = 0;

    // By pair: summed probabilities that an exchange is refused, and how many exchanges those are.
    std::vector<double> refusals_;
    std::vector<std::uint64_t> refusals_counted_;
    std::uint64_t exchanges_since_spread_ = 0;
};

}  // namespace arcwise
