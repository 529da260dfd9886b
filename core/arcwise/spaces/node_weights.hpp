// The weight of one node given its predecessors, and how it changes as nodes pass each other.
//
// Shared by the spaces of orders. A node's predecessors are kept as bits over its own possible
// parents, so that u passing v flips one bit of v's, however many nodes there are.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/incremental_sums.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class NodeWeights {
  public:
    // With maxima the heaviest family stands for all: the weight of a state is then that of its
    // best DAG.
    explicit NodeWeights(std::shared_ptr<const ScoreSums> sums, Semiring semiring = Semiring::sum);

    const ScoreSums& sums() const { return *sums_; }
    int nodes() const { return nodes_; }
    std::size_t words() const { return words_; }

    // Flips the bit of `parent` in the predecessors of `node`; false if it can be no parent, and
    // nothing is flipped.
    bool flip(std::uint64_t* predecessors, int node, int parent) const {
        const Flip& flip = flips_[index(node, parent)];
        predecessors[flip.word] ^= flip.bit;
        return flip.bit != 0;
    }

    // Whether the bit would be flipped.
    bool can_have(int node, int parent) const { return flips_[index(node, parent)].bit != 0; }

    // The node's log score sum (or maximum); where there is no family, one impossible node with
    // that of all its families as the stand-in.
    LogWeight at(int node, const std::uint64_t* predecessors) const {
        const double sum = incremental(node).log_weight(predecessors);
        if (sum > minus_infinity) return {sum, 0};
        return {stand_in(node), 1};
    }

    // The log score sum relative to that of NodeSums::sum_scale, where it has more digits after the
    // point; minus infinity where there is no family.
    double relative_log_sum(int node, const std::uint64_t* predecessors) const {
        return incremental(node).relative_log_sum(predecessors);
    }

    // Has the entry that a look-up will ask for fetched meanwhile.
    void fetch(int node, const std::uint64_t* predecessors) const {
        incremental(node).fetch(predecessors);
    }

    // A node's sums for those who add and remove one parent at a time; and whether any node has
    // rows, which alone know plain numbers.
    const IncrementalSums& incremental(int node) const {
        return incremental_[static_cast<std::size_t>(node)];
    }
    bool any_rows() const { return any_rows_; }

    double stand_in(int node) const { return stand_ins_[static_cast<std::size_t>(node)]; }

  private:
    struct Flip {
        std::uint64_t bit = 0;
        std::size_t word = 0;
    };

    std::size_t index(int node, int parent) const {
        return static_cast<std::size_t>(node) * static_cast<std::size_t>(nodes_) +
               static_cast<std::size_t>(parent);
    }

    std::shared_ptr<const ScoreSums> sums_;
    int nodes_;
    std::size_t words_;
    std::vector<Flip> flips_;
    std::vector<IncrementalSums> incremental_;
    bool any_rows_ = false;
    std::vector<double> stand_ins_;
};

}  // namespace arcwise
