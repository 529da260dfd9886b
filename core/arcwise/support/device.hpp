// Where a computation runs.
//
// Whatever runs on processors gives the same bits on all of them, on any number of threads. That is
// the rule with one exception: another kind of device, which would be another alternative here,
// adds in another order and rounds in its own way. What it computes agrees with what processors
// compute within a tolerance that is stated with the result, not to the last bit.
#pragma once

#include <variant>

namespace arcwise {

// The cores of this machine.
struct Processors {
    int threads = 1;
};

using Device = std::variant<Processors>;

}  // namespace arcwise
