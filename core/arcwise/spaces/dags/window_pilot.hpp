// Short chains that find out where windows are needed.
//
// A few chains begin apart and run with windows chosen by the model alone. An edge whose chains
// disagree, or that changes seldom for how uncertain it is, is what others will have to wait for;
// windows that hold both its ends are what moves it. Where all sums are looked up in tables the
// chains then continue with windows of many sizes, to see whether edges vary that did not change
// before; if one has hardly changed for how uncertain it is, windows have many sizes from then on.
// The pilot has its own random numbers and ends before any chain begins: chains that use what it
// found are as independent as without.
#pragma once

#include <cstdint>

#include "arcwise/spaces/dags/neighbourhoods.hpp"

namespace arcwise {

class Dags;
class TaskContext;

// Whether chains that begin after this many steps of linear orders have settled enough for a pilot
// to be of use. In a large dense model it would otherwise take longer than the chains have.
bool pilot_pays(int nodes, std::uint64_t order_steps);

// The windows for chains that begin where a chain of linear orders is after this many steps. With
// the usual number of steps a pilot takes half a second for 40 nodes and a few seconds for 200,
// with fewer proportionally less. The result depends on the space and the steps alone.
Neighbourhoods neighbourhoods_by_pilot(const Dags& space, std::uint64_t order_steps,
                                       TaskContext* context);

}  // namespace arcwise
