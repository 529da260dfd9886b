// What many DAGs say about pairs of nodes, on several threads and without unpacking them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "arcwise/relations/relations.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// DAGs one after the other, each with words_for(nodes) words of parents for each node.
struct ManyDags {
    const std::uint64_t* parents;
    std::size_t count;
    int nodes;

    std::size_t words() const { return words_for(nodes); }
    std::size_t words_of_dag() const { return static_cast<std::size_t>(nodes) * words(); }
    const std::uint64_t* dag(std::size_t index) const { return parents + index * words_of_dag(); }
};

struct RelationAsked {
    Relation relation;
    int longest;  // as for DagRelation
};

// The summed weights of the DAGs in which u is related to v, in sums[(g * nodes + u) * nodes + v]
// for group g, which has the DAGs from offsets[g] to offsets[g + 1] - 1. No weights stand for ones.
// A group is summed from its first DAG to its last, so that threads change no bit.
void relation_sums(const ManyDags& dags, RelationAsked asked, std::span<const double> weights,
                   std::span<const std::uint64_t> offsets, std::span<double> sums,
                   const RunOptions& options);

// 1 where the first of a pair is related to the second, in values[dag * pairs.size() + pair].
void relation_values(const ManyDags& dags, RelationAsked asked,
                     std::span<const std::pair<int, int>> pairs, std::span<std::uint8_t> values,
                     const RunOptions& options);

// For each DAG and node the set of the nodes related to it, packed as parents are.
void relation_rows(const ManyDags& dags, RelationAsked asked, std::span<std::uint64_t> rows,
                   const RunOptions& options);

// The number of edges of each DAG.
void edge_counts(const ManyDags& dags, std::span<std::uint32_t> counts, const RunOptions& options);

// Rows of words that are equal get the same number, in the order in which they first appear.
struct DistinctPatterns {
    std::vector<std::uint64_t> first;   // of each number, the row it first appears in
    std::vector<std::uint64_t> number;  // of each row
};
DistinctPatterns distinct_patterns(const std::uint64_t* rows, std::size_t count, std::size_t width,
                                   const RunOptions& options);

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

// Finds out whether packed parent sets that come from outside are DAGs at all: everything that goes
// through DAGs relies on it, and writes beyond its memory otherwise. Nothing where all are DAGs.
std::optional<FaultyDag> find_faulty_dag(const ManyDags& dags, const RunOptions& options);

}  // namespace arcwise
