// The moves of a partition.
#pragma once

#include <memory>
#include <vector>

#include "arcwise/spaces/partitions/partition.hpp"

namespace arcwise {

// The table of the space. Its shares gave most effective samples of the weight per second on a
// network of 20 nodes, with and without candidates: relocation and reversal are the dearest, and
// worth it.
const std::vector<MoveRow<Partition>>& partition_moves();

// In relocation.cpp: one node, to a place drawn from its law given the partition of the others.
std::unique_ptr<Move> make_relocation(Partition& partition);

// In reversal.cpp: an edge of a DAG drawn from the partition, with both ends' parents drawn anew.
std::unique_ptr<Move> make_reversal(Partition& partition);

}  // namespace arcwise
