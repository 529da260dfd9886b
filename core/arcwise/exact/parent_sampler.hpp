// Draws parent sets of single nodes within sets of up to 32 variables, for which tables are too
// large.
//
// Distributions that were needed once are kept: the heaviest families of a (node, allowed) and
// their running shares. A draw beyond them scans the families as if nothing had been
// kept, so the cache changes no draw.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/random.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

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

// Belongs to one thread.
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
