// Draws parent sets of single nodes within sets of nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/random.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// Draws a place in proportion to its weight by running sums of the weights: one number is drawn and
// looked up, however many weights there are. The last running sum is not zero.
inline std::size_t draw_by_running(std::span<const double> running, Random& random) {
    if (random.scripted()) {
        std::vector<double> weights(running.begin(), running.end());
        for (std::size_t i = weights.size(); i-- > 1;) weights[i] -= weights[i - 1];
        return random.choose(weights);
    }
    const double share = random.uniform() * running.back();
    auto place = static_cast<std::size_t>(
        std::upper_bound(running.begin(), running.end() - 1, share) - running.begin());
    // Rounding may make the share all there is, and the last places may have no weight.
    while (place > 0 && running[place] == running[place - 1]) --place;
    return place;
}

// Tables for draws of parent sets within U that meet a set T, in two steps of about the root of
// 2^|U| each.
//
// The possible parents of a node are split into low and high ones. A table has, for every set Y of
// high and X of low ones,
//   ln f(Y, X) = ln sum over Z within X of phi(Y + Z):
// the high parents Y within U are drawn by f(Y, U's low ones), less those that do not meet T; then
// the low parents Z by phi(Y + Z).
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

    // Throws `numerical` if rounding has led to a set without any.
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
    };
    // The distribution of the low parents that go with some high ones.
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

// The score sums of all nodes, asked by sets of variables.
class SetSums {
  public:
    // Tables if `tabulate`, scans to the tolerance otherwise.
    SetSums(const FamilyTable& weights, bool tabulate, const RunOptions& options);

    int nodes() const { return sums_.nodes(); }
    double log_sum(int node, std::uint32_t allowed) const {
        const std::uint64_t bits = bits_of(node, allowed);
        return sums_[node].log_sum(&bits);
    }
    const SortedFamilies& families(int node) const { return *sums_[node].listed(); }

    // From sets of variables to bits over a node's possible parents, and back.
    std::uint64_t bits_of(int node, std::uint32_t set) const;
    std::uint32_t set_of(int node, std::uint64_t bits) const;

  private:
    ScoreSums sums_;
    std::vector<std::vector<std::uint8_t>> possible_;
};

// Draws parent sets within sets of up to 32 variables, for which tables are too large; belongs to
// one thread.
//
// Distributions that were needed once are kept: the heaviest families of a (node, allowed) and
// their running shares. A draw beyond them scans the families as if nothing had been kept, so the
// cache changes no draw.
class ParentSampler {
  public:
    explicit ParentSampler(const SetSums& sums) : sums_(sums) {}

    // A parent set within `allowed`.
    std::uint32_t draw(int node, std::uint32_t allowed, Random& random);

  private:
    struct Distribution {
        double log_sum = 0.0;
        std::vector<double> running;  // share of the families up to and including each
        std::vector<std::uint32_t> parents;
    };
    Distribution make(int node, std::uint32_t allowed) const;

    const SetSums& sums_;
    std::unordered_map<std::uint64_t, Distribution> kept_;  // by node and allowed set
    std::size_t numbers_kept_ = 0;
};

}  // namespace arcwise
