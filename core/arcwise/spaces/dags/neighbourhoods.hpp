// Sets of nodes that belong together: where windows are opened.
//
// Two nodes are near if, were there no cycles to avoid, one would probably be a parent of the
// other; or where a pilot has found that windows with both in them are needed. As neither is a
// matter of the DAG a chain is at, nor is the choice of nodes by it.
#pragma once

#include <span>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

// Sizes of windows. Few: three nodes to six, each size half as often as the one before, as what is
// done to a set takes two to four times as long as to one with a node less. Many: up to eight, all
// sizes equally often, for posteriors whose modes differ in the parents of that many nodes.
enum class WindowSizes { few, many };

class Neighbourhoods {
  public:
    static constexpr std::size_t most_nodes = 8;
    static constexpr std::size_t most_of_few = 6;

    // For each node and size some sets it is in; they are a function of the sums.
    explicit Neighbourhoods(const ScoreSums& sums, WindowSizes sizes = WindowSizes::few)
        : Neighbourhoods(sums, {}, sizes) {}

    // By how much windows are needed with both nodes of a pair in them, at u * nodes + v for u < v:
    // about how many steps its edges take to change by as much as they vary. A set is there the
    // more often the more it is needed. A third of them goes by the model as before; all, if none
    // is needed.
    Neighbourhoods(const ScoreSums& sums, std::span<const double> needed,
                   WindowSizes sizes = WindowSizes::few);

    // One of them.
    std::span<const int> draw(Random& random) const;

    // The work of a window drawn from them on average, by that of a score sum: as many of these as
    // its nodes have sets of others, and a few for what is made of all sets.
    double work(double of_sum) const;

    // The most that was needed; 0 by the model alone.
    double most_needed() const { return most_needed_; }

    // Whether a pilot has found that all edges change often without them. Modes it has not seen may
    // still need them.
    bool hardly_needed() const;

  private:
    struct OfSize {
        std::size_t nodes;
        std::vector<int> members;  // set after set
    };
    std::vector<OfSize> sizes_;
    std::vector<double> shares_;  // of the sizes
    double most_needed_ = 0.0;
};

}  // namespace arcwise
