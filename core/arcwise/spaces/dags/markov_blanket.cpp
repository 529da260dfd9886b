// A node's Markov blanket drawn anew, but for its children: its parents, and theirs.
//
// After Su and Borsuk (2016), "Improving structure MCMC for Bayesian networks through Markov
// blanket resampling". A node loses its parents, and its children lose theirs but for the node;
// then the node gets new ones, and the children do in a random order, each in proportion to its
// weight among those that close no cycle, a child's with the node among them.
//
// The node has the same children then, so the way back begins with the same DAG without these
// parents, and the sum over the node's own families is the same. In the same order of the children,
// what is left of the probabilities to be proposed are, but for the weights of the families drawn,
// the sums over those that each child could get when its turn came.
#include <algorithm>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/dags/dag_state.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

class MarkovBlanket final : public Move {
  public:
    explicit MarkovBlanket(DagState& state)
        : state_(state),
          weights_(state.weights()),
          set_(weights_.words()),
          allowed_(weights_.sums().words()),
          must_(allowed_) {}

    Proposal propose(const Temperature&, Random& random) override {
        MutableDag& dag = state_.dag();
        node_ = static_cast<int>(random.below(static_cast<std::size_t>(dag.nodes())));
        changed_.assign(1, node_);
        for_each_member(dag.children(node_), dag.words(),
                        [&](int child) { changed_.push_back(child); });
        for (const int node : changed_) {
            // A family that the model has not is drawn on no way back.
            if (state_.weight_of(node).zero_factors != 0) return {.possible = false};
        }
        random.shuffle(std::span(changed_).subspan(1));
        old_.clear();
        for (const int node : changed_) {
            old_.insert(old_.end(), dag.parents(node), dag.parents(node) + dag.words());
        }
        take_parents(dag);
        const double there = redraw(dag, random);
        if (there > minus_infinity) {
            for (const int node : changed_) note_change(dag, node);
        }
        take_parents(dag);
        const double back = put_back(dag);
        if (there == minus_infinity) return {.possible = false};
        state_.weigh_changes();
        return state_.proposal(there - back - state_.gain());
    }

  private:
    void take_parents(MutableDag& dag) {
        std::fill(set_.begin(), set_.end(), 0);
        dag.set_parents(node_, set_.data());
        put_member(set_.data(), node_);
        for (std::size_t i = 1; i < changed_.size(); ++i) dag.set_parents(changed_[i], set_.data());
    }

    // ln of the summed weights of the families that a child can get now.
    double sum_of_child(int child) {
        const ScoreSums& sums = weights_.sums();
        std::fill(must_.begin(), must_.end(), 0);
        const int place = sums.place(child, node_);
        if (place >= 0) put_member(must_.data(), place);
        state_.find_parents_without_cycle(child, allowed_.data());
        return sums[child].log_sum(allowed_.data(), must_.data(), memo_);
    }

    // Each returns the sum of these over all children in their turn; minus infinity where a child
    // finds no family.
    double redraw(MutableDag& dag, Random& random);
    double put_back(MutableDag& dag);

    void note_change(const MutableDag& dag, int node) {
        // The state's own row is not the old one just now.
        std::copy(dag.parents(node), dag.parents(node) + dag.words(), state_.begin_change(node));
    }

    DagState& state_;
    const FamilyWeights& weights_;
    int node_ = 0;
    std::vector<int> changed_;        // the node, and its children in the order of their turns
    std::vector<std::uint64_t> old_;  // their parents
    std::vector<std::uint64_t> set_, allowed_, must_;
    SumMemo memo_;
};

double MarkovBlanket::redraw(MutableDag& dag, Random& random) {
    const ScoreSums& sums = weights_.sums();
    state_.find_parents_without_cycle(node_, allowed_.data());
    // There is a family: the old one.
    weights_.parents_of(node_, sums[node_].draw(allowed_.data(), random), set_.data());
    dag.set_parents(node_, set_.data());
    double total = 0.0;
    for (std::size_t i = 1; i < changed_.size(); ++i) {
        const int child = changed_[i];
        const double sum = sum_of_child(child);
        if (sum == minus_infinity) return sum;
        const std::int64_t family = sums[child].draw(allowed_.data(), must_.data(), memo_, random);
        weights_.parents_of(child, family, set_.data());
        dag.set_parents(child, set_.data());
        total += sum;
    }
    return total;
}

double MarkovBlanket::put_back(MutableDag& dag) {
    dag.set_parents(node_, old_.data());
    double total = 0.0;
    for (std::size_t i = 1; i < changed_.size(); ++i) {
        total += sum_of_child(changed_[i]);
        dag.set_parents(changed_[i], old_.data() + i * dag.words());
    }
    return total;
}

}  // namespace

std::unique_ptr<Move> make_markov_blanket(DagState& state) {
    return std::make_unique<MarkovBlanket>(state);
}

}  // namespace arcwise
