// Where the temperatures of coupled chains belong, told from how often exchanges are refused.
//
// With r_i the rate of refusals between levels i and i + 1, their sum, the communication barrier,
// hardly depends on where the levels are: it measures how far apart the first and the last target
// are. States travel best between levels at equal shares of it, and fastest for the work of moving
// all of them where there are about twice as many levels as the barrier is high, that is where half
// of all exchanges are refused (Syed, Bouchard-Côté, Deligiannidis and Doucet 2022, "Non-reversible
// parallel tempering: a scalable highly parallel MCMC scheme").
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "arcwise/spaces/proposal.hpp"

namespace arcwise {

// As many levels as wanted from the first to the last of these, at equal shares of the barrier.
std::vector<Temperature> at_equal_shares(std::span<const Temperature> temperatures,
                                         std::span<const double> refusal_rates, std::size_t levels);

// How many levels there should be, as far as these rates can tell; where nearly all exchanges are
// refused, about twice as many as there are.
std::size_t levels_needed(std::span<const double> refusal_rates);

// Whether so many exchanges are refused that levels are missing.
bool lacks_levels(std::span<const double> refusal_rates);

// The same way with levels at equal shares, and with more of them, up to so many, if some are
// missing.
std::vector<Temperature> adapted(std::span<const Temperature> temperatures,
                                 std::span<const double> refusal_rates, std::size_t most_levels);

}  // namespace arcwise
