// The posterior of DAGs given an ordered partition: every node has a parent in the part before.
#pragma once

#include <vector>

#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class GivenParts final : public GivenState {
  public:
    // The part of each node, the first part being 0. The sums must outlive this.
    GivenParts(const ScoreSums& sums, const std::vector<int>& part_of);

    void add_edge_probabilities(double scale, double* edges) override;
    void draw(Random& random, std::uint64_t* parents) override;

  private:
    const std::uint64_t* sets(int node) const {
        return sets_.data() + static_cast<std::size_t>(node) * 2 * sums_.words();
    }

    const ScoreSums& sums_;
    std::vector<std::uint64_t> sets_;  // by node: parents it may have, and of which it needs one
    SumMemo memo_;
};

}  // namespace arcwise
