// The number of DAGs with a bound on the number of parents, and uniformly random ones.
//
// DAGs are built part by part: first the nodes without parents, then those whose last parent is
// among these, and so on. With N nodes placed, the last b of them in the part before, a node has
//   ways(N, b) = sum over j <= most of C(N, j) - C(N - b, j)
// parent sets, so the number of ways to go on is
//   f(N, b) = sum over s of C(n - N, s) ways(N, b)^s f(N + s, s),   f(n, b) = 1.
// All terms are positive, unlike in the recurrence of Robinson; without a bound on the number of
// parents this is the sampler of Kuipers and Moffa (2015), "Uniform random generation of large
// acyclic digraphs".
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/support/random.hpp"

namespace arcwise {

class UniformDags {
  public:
    UniformDags(int nodes, int most_parents);

    // ln of the number of DAGs.
    double log_count() const { return log_continuations(0, 0); }

    // The parents of each node as bits, words_for(n) words a node.
    void draw(Random& random, std::uint64_t* parents) const;

  private:
    double log_choose(std::size_t from, std::size_t count) const {
        return log_factorials_[from] - log_factorials_[count] - log_factorials_[from - count];
    }
    // ln f(placed, before).
    double log_continuations(std::size_t placed, std::size_t before) const {
        return log_continuations_[placed * (nodes_ + 1) + before];
    }
    // ln of ways(placed, before), the number of parent sets of a node; 0 if there is nothing
    // before.
    double log_sets_of_node(std::size_t placed, std::size_t before) const;
    // ln of the number of ways to go on with a part of each size, the smallest being 1.
    std::vector<double> log_ways_by_size(std::size_t placed, std::size_t before) const;

    std::size_t nodes_;
    std::size_t most_parents_;
    std::vector<double> log_factorials_;
    std::vector<double> log_sets_;  // ln of the number of parent sets out of a number of nodes
    std::vector<double> log_continuations_;
};

}  // namespace arcwise
