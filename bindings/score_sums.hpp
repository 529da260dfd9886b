// The core's score sums as Python holds them, shared with the spaces that stand on them.
#pragma once

#include <memory>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "gate.hpp"

namespace arcwise::bindings {

struct PythonScoreSums {
    std::shared_ptr<const ScoreSums> sums;
    SumMemo memo;  // calls come under the interpreter lock, one at a time

    const NodeSums& node(int v) const {
        if (v < 0 || v >= sums->nodes()) throw Error(ErrorKind::argument, "There is no such node.");
        return (*sums)[v];
    }

    std::vector<std::uint64_t> bits(int v, const std::vector<int>& parents) const {
        for (const int parent : parents) node(parent);
        return sums->bits(v, parents);
    }
};

}  // namespace arcwise::bindings
