// Whether packed parent sets that come from outside are DAGs at all: everything that goes through
// DAGs relies on it, and writes beyond its memory otherwise.
#pragma once

#include <cstddef>
#include <optional>

#include "arcwise/relations/many_dags.hpp"

namespace arcwise {

enum class DagFault {
    beyond,  // a parent whose number no node has
    loop,    // a node that is its own parent
    cycle,   // nodes on a cycle, or downstream of one
};

struct FaultyDag {
    std::size_t dag;  // the first one with a fault
    int node;         // the first node of it with that fault
    DagFault fault;
};

// Nothing where all are DAGs.
std::optional<FaultyDag> find_faulty_dag(const ManyDags& dags, const RunOptions& options);

}  // namespace arcwise
