// The posterior of DAGs where every node has its parents within a set of its own, and at least one
// of them within another.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arcwise/spaces/known_row_sums.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/family_draws.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class GivenSets final : public GivenState {
  public:
    // By node, as bits of its possible parents: those it may have, and as many words with those of
    // which it needs one; none there if it needs none. The sums must outlive this.
    GivenSets(const ScoreSums& sums, std::vector<std::uint64_t> sets)
        : sums_(sums), sets_(std::move(sets)) {}

    // With what a state knows that has these sets: DAGs are drawn the sooner.
    struct Draws {
        std::shared_ptr<FamilyDraws> families;
        KnownRowSums row_sums;
    };
    GivenSets(const ScoreSums& sums, std::vector<std::uint64_t> sets, Draws draws)
        : sums_(sums), sets_(std::move(sets)), draws_(std::move(draws)) {}

    void add_edge_probabilities(double scale, double* edges) override;
    void draw(Random& random, std::uint64_t* parents) override;

  private:
    ParentBits allowed(int node) const {
        return sets_.data() + static_cast<std::size_t>(node) * 2 * sums_.words();
    }
    ParentBits required(int node) const { return allowed(node) + sums_.words(); }
    bool any(ParentBits set) const;

    const ScoreSums& sums_;
    std::vector<std::uint64_t> sets_;
    std::optional<Draws> draws_;
    SumMemo memo_;
};

}  // namespace arcwise
