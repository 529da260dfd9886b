// The number of topological sorts of a DAG.
#pragma once

#include <cstdint>
#include <span>

namespace arcwise {

// ln of the number of orders in which every node comes after its parents, for up to 32 nodes whose
// parents are given as sets. Components are counted apart; within one, sets closed under parents
// are counted level by level, so memory is that of two levels.
double log_linear_extensions(std::span<const std::uint32_t> parents);

}  // namespace arcwise
