// DAGs themselves: structure MCMC, the sampler all others are compared with.
//
// The weight of a DAG is the product of the weights of its families, so states follow the modular
// posterior. A state is any DAG in which no node has more parents than the largest family of the
// model; those with a family that the model has not are impossible.
#pragma once

#include <array>
#include <memory>

#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class FamilyWeights;
class UniformDags;

class Dags final : public Space {
  public:
    // How often each kind of move is tried. An edge is added as often as one is deleted, so that
    // chains do not spend their time on the many edges a sparse DAG has not.
    enum MoveKind {
        add_or_delete,
        reverse,
        reverse_path,
        redraw_parents,
        reverse_and_redraw,
        move_kinds
    };
    using MoveWeights = std::array<double, move_kinds>;

    // Chosen by trials on one network of 20 nodes, where reversals of paths helped most and
    // shares near these differed by less than their noise. Single edges are few because each needs
    // its neighbours counted anew after a redrawn family, which does the same at the posterior.
    static constexpr MoveWeights usual = {0.03, 0.02, 0.4, 0.33, 0.22};

    Dags(std::shared_ptr<const ScoreSums> sums, const MoveWeights& move_weights);
    ~Dags() override;

    int nodes() const override { return sums_->nodes(); }
    std::unique_ptr<State> make_state() const override;

    // The number of DAGs with so few parents.
    double log_size() const override;
    std::vector<std::string> move_names() const override {
        return {"add", "delete", "reverse", "reverse path", "redraw parents", "reverse and redraw"};
    }

    const FamilyWeights& weights() const { return *weights_; }
    const UniformDags& uniform() const { return *uniform_; }

    // By name of move; `hot` at all temperatures but the posterior's, where half of the moves
    // change one edge whatever the others are: draws of families at the posterior's own temperature
    // are of little use there, and from a DAG that is impossible there are none.
    using NameWeights = std::array<double, move_kinds + 1>;
    const NameWeights& name_weights(bool hot) const { return hot ? hot_weights_ : name_weights_; }

  private:
    std::shared_ptr<const ScoreSums> sums_;
    std::unique_ptr<const FamilyWeights> weights_;
    std::unique_ptr<const UniformDags> uniform_;
    NameWeights name_weights_;
    NameWeights hot_weights_;
};

}  // namespace arcwise
