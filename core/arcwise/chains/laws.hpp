// The exact law of what the loops do, by going through all their random choices.
//
// Nothing is written a second time here: the moves, steps, exchanges and annealing runs are those
// that sample, driven by a script that takes every branch in turn and multiplies the probabilities.
// Feasible for a handful of nodes, and a proof for them.
#pragma once

#include <map>
#include <vector>

#include "arcwise/chains/annealing.hpp"
#include "arcwise/chains/replicas.hpp"

namespace arcwise {

using Code = std::vector<std::uint16_t>;

// Where one step leads from a state, with probabilities.
std::map<Code, double> step_law(const Space& space, const Code& from,
                                const Temperature& temperature);

// The same from each of many states to each of others, among which all must be that can be reached:
// a row for each state to go from.
std::vector<double> step_kernel(const Space& space, const std::vector<Code>& from,
                                const std::vector<Code>& to, const Temperature& temperature);

// Where a step of every level and the exchanges after it lead; codes of all levels in a row.
std::map<Code, double> tempered_law(const Space& space,
                                    const std::vector<Temperature>& temperatures, Pairs exchanged,
                                    const std::vector<Code>& from);

// Where the exchanges alone lead.
std::map<Code, double> exchange_law(const Space& space,
                                    const std::vector<Temperature>& temperatures, Pairs exchanged,
                                    const std::vector<Code>& from);

// What an annealing run can come to: its last states in a row, the log weight of the run and the
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

// How probable each state is under draw_uniform.
std::map<Code, double> uniform_law(const Space& space);

}  // namespace arcwise
