// How the nodes of a DAG are related in twos: by edges, paths, Markov blankets, and the edges that
// all equivalent DAGs share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace arcwise {

enum class Relation {
    edge,        // u is a parent of v
    ancestor,    // a directed path leads from u to v
    skeleton,    // an edge joins u and v
    blanket,     // u is a parent, a child or another parent of a child of v
    cpdag,       // the equivalence class has u -> v or u - v
    compelled,   // it has u -> v
    reversible,  // it has u - v
};

// A workspace of one thread, to go through millions of DAGs without allocating for each.
//
// Sets of nodes are packed: words_for(nodes) words each.
class DagRelation {
  public:
    // `longest` is the most edges a path may have; 0 if it may have any number.
    DagRelation(Relation relation, int nodes, int longest);

    // For each node v the set of all u that are related to it; valid until the next call. Throws
    // the `argument` error on a cycle where paths or classes are asked for.
    const std::uint64_t* of(const std::uint64_t* parents);

  private:
    std::uint64_t* row(std::size_t node) { return rows_.data() + node * words_; }
    void unite(std::uint64_t* set, const std::uint64_t* with) const;
    void sort(const std::uint64_t* parents);
    void find_ancestors(const std::uint64_t* parents);
    void find_short_paths(const std::uint64_t* parents);
    void find_neighbours(const std::uint64_t* parents);
    void find_blankets(const std::uint64_t* parents);
    void find_class(const std::uint64_t* parents);

    Relation relation_;
    std::size_t nodes_;
    std::size_t words_;
    int longest_;
    std::vector<std::uint64_t> rows_;
    std::vector<std::uint64_t> other_;  // paths one edge shorter, or the edges that are compelled
    std::vector<std::uint64_t> done_;
    // The topological order of the DAG before is the first guess for the next, mostly a good one.
    std::vector<std::size_t> order_;
    std::vector<std::size_t> left_;
    std::vector<std::size_t> place_;
};

}  // namespace arcwise
