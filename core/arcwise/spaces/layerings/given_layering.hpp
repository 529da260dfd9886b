// The posterior of DAGs given a layering: exact edge probabilities and draws.
#pragma once

#include <vector>

#include "arcwise/spaces/layerings/layering_weights.hpp"
#include "arcwise/spaces/space.hpp"

namespace arcwise {

class GivenLayering final : public GivenState {
  public:
    // The weights are those of the state, with what they remember. The space must outlive this.
    GivenLayering(const ScoreSums& sums, std::vector<int> layer_of,
                  std::shared_ptr<LayeringWeights> weights)
        : sums_(sums), layer_of_(std::move(layer_of)), weights_(std::move(weights)) {}

    void add_edge_probabilities(double scale, double* edges) override;
    void draw(Random& random, std::uint64_t* parents) override;

  private:
    const ScoreSums& sums_;
    std::vector<int> layer_of_;
    std::shared_ptr<LayeringWeights> weights_;
};

}  // namespace arcwise
