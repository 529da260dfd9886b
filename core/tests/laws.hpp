// The exact law of what the samplers do, computed by going through all their random choices.
//
// The moves, steps, exchanges, annealing runs and draws are those that sample, driven by a script
// that takes every branch in turn and multiplies the probabilities. This is feasible for a handful
// of nodes, and a proof for them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "arcwise/chains/annealing.hpp"
#include "arcwise/chains/replicas.hpp"
#include "arcwise/exact/exact_computation.hpp"

namespace arcwise {

using Code = std::vector<std::uint16_t>;

// Returns the states that one step can lead to, with their probabilities.
std::map<Code, double> step_law(const Space& space, const Code& from,
                                const Temperature& temperature);

// Returns the probabilities of steps, a row for each state in `from` and a column for each in `to`,
// which must have all states that can be reached.
std::vector<double> step_kernel(const Space& space, const std::vector<Code>& from,
                                const std::vector<Code>& to, const Temperature& temperature);

// Returns where a step of every level and the exchanges after it lead; a key has the codes of all
// levels in a row.
std::map<Code, double> tempered_law(const Space& space,
                                    const std::vector<Temperature>& temperatures, Pairs exchanged,
                                    const std::vector<Code>& from);

// Returns where the exchanges alone lead.
std::map<Code, double> exchange_law(const Space& space,
                                    const std::vector<Temperature>& temperatures, Pairs exchanged,
                                    const std::vector<Code>& from);

// A possible end of an annealing run: its last states in a row, the log weight of the run and the
// probability of both. A run that ends in weight zero has no state.
struct AnnealedEnd {
    Code states;
    double log_weight;
    double probability;
};
std::vector<AnnealedEnd> annealing_law(const Space& space,
                                       const std::vector<Temperature>& temperatures,
                                       std::size_t population = 1,
                                       const std::vector<Code>& starts = {});

// Returns the probability of each state under draw_uniform.
std::map<Code, double> uniform_law(const Space& space);

// Returns the probability that each DAG, by the parent sets of its nodes, is drawn. DAGs with a
// probability below 1e-14, which may be rounding, are left out.
std::map<std::vector<std::uint32_t>, double> draw_law(ExactComputation& computation);

}  // namespace arcwise
