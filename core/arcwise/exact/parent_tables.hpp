// Draws parent sets within U that meet a set T, in two steps of about the root of 2^|U| each.
//
// The possible parents of a node are split into low and high ones. A table has, for every set Y of
// high and X of low ones,
//   ln f(Y, X) = ln sum over Z within X of phi(Y + Z):
// the high parents Y within U are drawn by f(Y, U's low ones), less those that do not meet T; then
// the low parents Z by phi(Y + Z).
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/support/random.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

class ParentTables {
  public:
    // The weights must outlive them.
    ParentTables(const FamilyTable& weights, const RunOptions& options);

    // Bytes they take at most for `nodes` variables.
    static std::uint64_t bytes(int nodes);

  private:
    friend class ParentDraws;

    struct Node {
        const double* log_weights;     // by the place of the set of parents without the node
        std::vector<double> filled;    // the same where the families of the model have gaps
        std::vector<double> log_sums;  // ln f(Y, X), at Y + X
    };

    std::uint32_t low_;  // the low places
    std::vector<Node> nodes_;
};

// Draws one set of parents after the other; belongs to one task.
class ParentDraws {
  public:
    // The tables must outlive it.
    explicit ParentDraws(const ParentTables& tables) : tables_(tables) {}

    // Goes to the parents of `node` within `allowed`, of which one at least is in `wanted`, a
    // subset of it; an empty one asks for nothing.
    void enter(int node, std::uint32_t allowed, std::uint32_t wanted);

    // Throws `numerical` if rounding has led to where there are none.
    std::uint32_t draw(Random& random);

  private:
    // Sets and their running weights.
    struct Distribution {
        std::vector<std::uint32_t> sets;
        std::vector<double> logs;
        std::vector<double> running;

        void start();
        void add(std::uint32_t set, double log_weight);
        bool empty() const { return running.empty() || !(running.back() > 0.0); }
        std::uint32_t draw(Random& random) const;
    };
    // Of the low parents that go with high ones.
    struct Low {
        std::uint32_t high_parents = 0;
        Distribution distribution;
    };
    const Distribution& low_parents(std::uint32_t high_parents);

    const ParentTables& tables_;
    int node_ = 0;
    std::uint32_t inside_ = 0;  // places of what is allowed, and of what is wanted
    std::uint32_t wanted_ = 0;
    Distribution high_;
    std::vector<double> logs_without_;
    std::vector<double> without_;
    std::vector<Low> low_;  // those used last
    std::size_t low_used_ = 0;
    std::size_t next_low_ = 0;
};

}  // namespace arcwise
