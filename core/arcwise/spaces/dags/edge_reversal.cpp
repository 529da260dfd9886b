// Reversal of an edge of a DAG, with both ends' parents drawn anew.
//
// The move of Grzegorczyk and Husmeier (2008), "Improving the structure MCMC sampler for Bayesian
// networks by introducing a new edge reversal move": an edge i -> j is chosen, both ends lose their
// parents, i gets new ones with j among them and then j gets new ones, each in proportion to its
// weight among those that close no cycle.
//
// Most reversals are refused, and the dearest are those of edges that hardly exist the other way
// round: few of the many families there are weigh anything, and all are gone through to draw one.
// How probable acceptance can be at most is known before anything is drawn, so at the posterior it
// is decided in two stages, the first by this bound.
#include <algorithm>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/dags/dag_state.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

class EdgeReversal final : public Move {
  public:
    explicit EdgeReversal(DagState& state)
        : state_(state),
          weights_(state.weights()),
          words_(weights_.words()),
          old_of_from_(words_),
          old_of_to_(words_),
          none_(words_),
          set_(words_),
          allowed_from_(weights_.sums().words()),
          allowed_to_(allowed_from_),
          must_(allowed_from_) {}

    Proposal propose(const Temperature& temperature, Random& random) override {
        MutableDag& dag = state_.dag();
        if (dag.edges() == 0) return {.possible = false};
        choose_edge(dag, random);
        // Only families that the model has are drawn on the way back.
        if (state_.weight_of(from_).zero_factors != 0 || state_.weight_of(to_).zero_factors != 0) {
            return {.possible = false};
        }
        const Redrawn redrawn = redraw(dag, temperature.is_posterior(), random);
        if (redrawn == Redrawn::impossible) return {.possible = false};
        if (redrawn == Redrawn::refused) return state_.proposal(minus_infinity);
        state_.begin_change(from_);
        state_.begin_change(to_);
        take_back(dag);
        state_.weigh_changes();
        return state_.proposal(log_ratio_ - state_.gain());
    }

  private:
    void choose_edge(const MutableDag& dag, Random& random);
    enum class Redrawn { done, impossible, refused };
    // Reverses the edge. If that is not possible, or refused by the bound where there is one, it
    // says so and leaves the DAG as it is.
    Redrawn redraw(MutableDag& dag, bool bounded, Random& random);
    void take_back(MutableDag& dag) const;
    const std::uint64_t* allowed(int node, std::vector<std::uint64_t>& bits) {
        state_.find_parents_without_cycle(node, bits.data());
        return bits.data();
    }

    DagState& state_;
    const FamilyWeights& weights_;
    const std::size_t words_;
    SumMemo memo_;
    int from_ = 0;
    int to_ = 0;
    // ln of (probability to propose the way back / the way there), but for the weights of the
    // families drawn: with those it is this minus the change of the DAG's log weight. Less what
    // the first stage has taken of it.
    double log_ratio_ = 0.0;
    std::vector<std::uint64_t> old_of_from_, old_of_to_;
    std::vector<std::uint64_t> none_, set_;
    std::vector<std::uint64_t> allowed_from_, allowed_to_, must_;
};

void EdgeReversal::choose_edge(const MutableDag& dag, Random& random) {
    std::size_t index = random.below(dag.edges());
    for (to_ = 0;; ++to_) {
        const std::size_t here = count_members(dag.parents(to_), dag.words());
        if (index < here) break;
        index -= here;
    }
    from_ = member_at(dag.parents(to_), index);
}

void EdgeReversal::take_back(MutableDag& dag) const {
    dag.set_parents(from_, none_.data());
    dag.set_parents(to_, old_of_to_.data());
    dag.set_parents(from_, old_of_from_.data());
}

EdgeReversal::Redrawn EdgeReversal::redraw(MutableDag& dag, bool bounded, Random& random) {
    const ScoreSums& sums = weights_.sums();
    const auto must = [&](int node, int parent) {
        std::fill(must_.begin(), must_.end(), 0);
        const int place = sums.place(node, parent);
        if (place >= 0) put_member(must_.data(), place);
        return must_.data();
    };
    const std::size_t edges = dag.edges();
    std::copy(dag.parents(from_), dag.parents(from_) + words_, old_of_from_.begin());
    std::copy(dag.parents(to_), dag.parents(to_) + words_, old_of_to_.begin());

    // Back, its second half: the parents of `from`, when `to` has its old ones again.
    dag.set_parents(from_, none_.data());
    const double back_from = sums[from_].log_sum(allowed(from_, allowed_from_));
    dag.set_parents(to_, none_.data());
    // There: parents of `from` with `to` among them.
    allowed(from_, allowed_from_);
    const double sum_from = sums[from_].log_sum(allowed_from_.data(), must(from_, to_), memo_);
    const auto given_up = [&](Redrawn why) {
        take_back(dag);
        return why;
    };
    if (sum_from == minus_infinity) return given_up(Redrawn::impossible);
    // Back, its first half: parents of `to` with `from` among them. There are some: the old ones.
    allowed(to_, allowed_to_);
    const double back_to = sums[to_].log_sum(allowed_to_.data(), must(to_, from_), memo_);
    const double known = std::log(static_cast<double>(edges)) + sum_from - back_to - back_from;
    double passed = 0.0;
    if (bounded) {
        // Whatever `from` gets, `to` is above it then, and no DAG has fewer edges than this one
        // without parents of both.
        const int place = sums.place(to_, from_);
        if (place >= 0) remove_member(allowed_to_.data(), place);
        const double most = known + sums[to_].log_sum(allowed_to_.data()) -
                            std::log(static_cast<double>(dag.edges() + 1));
        if (most == minus_infinity) return given_up(Redrawn::impossible);
        passed = std::min(0.0, most);
        if (passed < 0.0 && !random.event(std::exp(passed))) return given_up(Redrawn::refused);
    }

    const std::int64_t of_from =
        sums[from_].draw(allowed_from_.data(), must(from_, to_), memo_, random);
    weights_.parents_of(from_, of_from, set_.data());
    dag.set_parents(from_, set_.data());
    const double sum_to = sums[to_].log_sum(allowed(to_, allowed_to_));
    if (sum_to == minus_infinity) return given_up(Redrawn::impossible);
    weights_.parents_of(to_, sums[to_].draw(allowed_to_.data(), random), set_.data());
    dag.set_parents(to_, set_.data());
    log_ratio_ = known + sum_to - std::log(static_cast<double>(dag.edges())) - passed;
    return Redrawn::done;
}

}  // namespace

std::unique_ptr<Move> make_edge_reversal(DagState& state) {
    return std::make_unique<EdgeReversal>(state);
}

}  // namespace arcwise
