// DAGs themselves: structure MCMC, the sampler all others are compared with.
//
// The weight of a DAG is the product of the weights of its families, so states follow the modular
// posterior. A state is any DAG in which no node has more parents than the largest family of the
// model; those with a family that the model has not are impossible.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class FamilyWeights;
class Neighbourhoods;
class UniformDags;

class Dags final : public Space, public Tuner {
  public:
    explicit Dags(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares = {});
    ~Dags() override;

    int nodes() const override { return sums_->nodes(); }
    std::unique_ptr<State> make_state() const override;

    // The number of DAGs with so few parents.
    double log_size() const override;

    // Edges take as long as a tenth to seven tenths of a step for each node, the latter without
    // tables. They vary less given all parents but those of their heads than a DAG's own, which
    // would be had for nothing: that is worth its time.
    std::uint64_t steps_between_averages() const override;

    const Tuner* tuner() const override { return this; }
    void prepare(State& state, std::uint64_t order_steps, TaskContext* context) const override;
    UsualMoves usual_moves(std::uint64_t order_steps, TaskContext* context) const override;
    double slowest_edge(std::uint64_t order_steps, TaskContext* context) const override;

    // With all that was found out about the model.
    std::shared_ptr<const Space> with_shares(const MoveShares& shares) const override;

    const FamilyWeights& weights() const { return *weights_; }
    // Where windows are opened: by the model alone, and by a pilot, which is made when it is first
    // asked for; the latter for chains that begin from orders of `order_steps` steps.
    const std::shared_ptr<const Neighbourhoods>& neighbourhoods() const { return neighbourhoods_; }
    std::shared_ptr<const Neighbourhoods> neighbourhoods(std::uint64_t order_steps,
                                                         TaskContext* context) const;
    // Made when it is first asked for, as that takes n^3 steps.
    const UniformDags& uniform() const;

    // By move, for a state whose windows are opened there; `hot` at all temperatures but the
    // posterior's, where half of the moves change one edge whatever the others are, and none opens
    // a window: draws of families at the posterior's own temperature are of little use there, and
    // an impossible DAG has none.
    const std::vector<double>& shares(const Neighbourhoods& neighbourhoods, bool hot) const;

  private:
    Dags(const Dags& other, const MoveShares& shares);
    void set_shares(bool asked);

    std::shared_ptr<const ScoreSums> sums_;
    std::shared_ptr<const FamilyWeights> weights_;
    std::shared_ptr<const Neighbourhoods> neighbourhoods_;
    mutable std::mutex pilots_asked_;
    mutable std::map<std::uint64_t, std::shared_ptr<const Neighbourhoods>> pilots_;
    mutable std::once_flag uniform_asked_;
    mutable std::unique_ptr<const UniformDags> uniform_;
    std::vector<double> shares_;
    std::vector<double> quick_shares_;  // where windows are hardly needed
    std::vector<double> hot_shares_;
};

}  // namespace arcwise
