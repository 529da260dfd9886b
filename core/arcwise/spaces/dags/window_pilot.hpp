// Short chains that find out where windows are needed.
//
// A few chains begin apart and run with windows chosen by the model alone. An edge whose chains
// disagree, or that changes seldom for how uncertain it is, is what others will have to wait for;
// windows that hold both its ends are what moves it. Where all sums are had from tables the chains
// then go on with windows of many sizes, to see whether edges vary that did not change before; if
// one has hardly changed for how uncertain it is, windows are of many sizes from then on. The pilot
// has random numbers of its own and is over before any chain begins: chains that use what it found
// are as independent as without.
#pragma once

#include <cstdint>

#include "arcwise/spaces/dags/neighbourhoods.hpp"

namespace arcwise {

class Dags;
class TaskContext;

// Whether chains that begin after so many steps of linear orders have settled enough for a pilot to
// tell anything. In a large dense model a pilot would otherwise take longer than they have.
bool pilot_pays(int nodes, std::uint64_t order_steps);

// For chains that begin where one of linear orders is after so many steps. With the usual number of
// them a pilot takes half a second of 40 nodes and a few seconds of 200; with fewer, as much less.
// The same for the same space and steps, whoever asks.
Neighbourhoods neighbourhoods_by_pilot(const Dags& space, std::uint64_t order_steps,
                                       TaskContext* context);

}  // namespace arcwise
