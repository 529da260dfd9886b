// Moves of a DAG: one edge added, deleted or reversed, a path turned round, the parents of a node
// drawn anew, a jump within the equivalence class; and the table of them.
#include <algorithm>
#include <bit>
#include <cmath>

#include "arcwise/relations/equivalence_class.hpp"
#include "arcwise/spaces/dags/dag_state.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// A jump to any DAG of the Markov equivalence class, all equally probable.
//
// The class is the same seen from there, so the way back is as probable. A score and a prior that
// are equal for equivalent DAGs always accept, except DAGs that the model excludes.
class ClassJump final : public Move {
  public:
    explicit ClassJump(DagState& state) : state_(state), class_(state.dag().nodes()) {}

    Proposal propose(const Temperature&, Random& random) override {
        const MutableDag& dag = state_.dag();
        const std::size_t words = dag.words();
        drawn_ = dag.all_parents();
        class_.look_at(drawn_.data());
        if (class_.single()) return {.possible = false};
        class_.draw(random, drawn_.data());
        for (int node = 0; node < dag.nodes(); ++node) {
            const std::uint64_t* own = drawn_.data() + static_cast<std::size_t>(node) * words;
            if (std::equal(own, own + words, dag.parents(node))) continue;
            // Such a DAG is not of the space.
            if (count_members(own, words) >
                static_cast<std::size_t>(state_.weights().most_parents())) {
                state_.drop_changes();
                return {.possible = false};
            }
            std::copy(own, own + words, state_.begin_change(node));
        }
        state_.weigh_changes();
        return state_.proposal(0.0);
    }

  private:
    DagState& state_;
    EquivalenceClass class_;
    std::vector<std::uint64_t> drawn_;
};

double log_of(std::size_t count) { return std::log(static_cast<double>(count)); }

// A change of one edge: one of all that can be made of a kind.
class EdgeMove : public Move {
  public:
    EdgeMove(DagState& state, DagNeighbours::Kind kind) : state_(state), kind_(kind) {}

    Proposal propose(const Temperature& temperature, Random& random) final {
        // Where the target excludes what the model has no family for, so do the proposals.
        const bool hot = !std::isinf(temperature.penalty);
        neighbours_ =
            &state_.look_at_neighbours(hot ? NeighbourRule::any : NeighbourRule::families);
        const std::size_t count = neighbours_->count(kind_);
        if (count == 0) return {.possible = false};
        const DagNeighbours::Edge edge = neighbours_->at(kind_, random.below(count));
        const std::size_t back = change(edge);
        state_.weigh_changes();
        return state_.proposal(log_of(count) - log_of(back));
    }

  protected:
    // Notes the change; returns how many of the kind that takes it back can be made then.
    virtual std::size_t change(const DagNeighbours::Edge& edge) = 0;

    std::size_t count_after_changes(DagNeighbours::Kind kind) {
        neighbours_->change(state_.dag(), state_.changed_nodes(), state_.changed_parents());
        const std::size_t count = neighbours_->count(kind);
        neighbours_->take_back(state_.dag());
        return count;
    }

    DagState& state_;
    DagNeighbours* neighbours_ = nullptr;

  private:
    DagNeighbours::Kind kind_;
};

// Taken back as one of those that can be deleted from the DAG that has the edge.
class Add final : public EdgeMove {
  public:
    explicit Add(DagState& state) : EdgeMove(state, DagNeighbours::add) {}

  protected:
    std::size_t change(const DagNeighbours::Edge& edge) override {
        std::uint64_t* row = state_.begin_change(edge.node);
        const std::size_t others = neighbours_->count(DagNeighbours::remove) -
                                   neighbours_->removable_count(edge.node, row);
        put_member(row, edge.parent);
        return others + neighbours_->removable_count(edge.node, row);
    }
};

class Delete final : public EdgeMove {
  public:
    explicit Delete(DagState& state) : EdgeMove(state, DagNeighbours::remove) {}

  protected:
    std::size_t change(const DagNeighbours::Edge& edge) override {
        flip_member(state_.begin_change(edge.node), edge.parent);
        return count_after_changes(DagNeighbours::add);
    }
};

class Reverse final : public EdgeMove {
  public:
    explicit Reverse(DagState& state) : EdgeMove(state, DagNeighbours::reverse) {}

  protected:
    std::size_t change(const DagNeighbours::Edge& edge) override {
        flip_member(state_.begin_change(edge.node), edge.parent);
        flip_member(state_.begin_change(edge.parent), edge.node);
        return count_after_changes(DagNeighbours::reverse);
    }
};

// A path w_k -> ... -> w_1 -> w_0 whose nodes have the parents C and the one before them on the
// path, w_k just C, is turned round: now w_0 has just C. Edge by edge from w_k on, each is covered
// when its turn comes, so that the conditional independences stay the same (Chickering 1995, "A
// transformational characterization of equivalent Bayesian network structures"); single covered
// edges are the shortest paths, and from those all DAGs of the class are reached. As all nodes of
// the path have C among their parents, no node of C lies below any, and no cycle is closed.
//
// The path is determined by w_0 and w_1: it is climbed while a node has just one parent besides C.
// The way back is determined by w_k and w_{k-1}, and w_k has then as many parents to choose from as
// w_0 has now, so both ways are equally probable. A score that cannot tell these DAGs apart accepts
// always.
class ReversePath final : public Move {
  public:
    explicit ReversePath(DagState& state) : state_(state) {}

    Proposal propose(const Temperature&, Random& random) override {
        const MutableDag& dag = state_.dag();
        const std::size_t words = dag.words();
        auto lower = static_cast<int>(random.below(static_cast<std::size_t>(dag.nodes())));
        const std::uint64_t* parents = dag.parents(lower);
        const std::size_t count = count_members(parents, words);
        if (count == 0) return {.possible = false};
        int upper = member_at(parents, random.below(count));
        set_.assign(parents, parents + words);
        flip_member(set_.data(), upper);
        flip_member(state_.begin_change(lower), upper);
        while (true) {
            int next = -1;
            std::size_t others = 0;
            bool has_all = true;
            for (std::size_t word = 0; word < words; ++word) {
                const std::uint64_t above = dag.parents(upper)[word];
                const std::uint64_t other = above & ~set_[word];
                has_all = has_all && (set_[word] & ~above) == 0;
                others += static_cast<std::size_t>(count_bits(other));
                if (other != 0) next = static_cast<int>(word * 64) + std::countr_zero(other);
            }
            if (!has_all || others > 1) {
                state_.drop_changes();
                return {.possible = false};
            }
            std::uint64_t* row = state_.begin_change(upper);
            std::copy(set_.begin(), set_.end(), row);
            put_member(row, lower);
            if (others == 0) break;
            lower = upper;
            upper = next;
        }
        state_.weigh_changes();
        return state_.proposal(0.0);
    }

  private:
    DagState& state_;
    std::vector<std::uint64_t> set_;
};

// A draw from the law of a node's parents given the rest of the DAG, at inverse temperature 1. What
// lies below a node does not depend on its parents, so the sum over those allowed is the same on
// the way back, and the ratio is that of the two families' weights.
class RedrawParents final : public Move {
  public:
    explicit RedrawParents(DagState& state)
        : state_(state), allowed_(state.weights().sums().words()) {}

    Proposal propose(const Temperature&, Random& random) override {
        const MutableDag& dag = state_.dag();
        const FamilyWeights& weights = state_.weights();
        const auto node = static_cast<int>(random.below(static_cast<std::size_t>(dag.nodes())));
        // A family that the model has not is drawn on no way back.
        if (state_.weight_of(node).zero_factors != 0) return {.possible = false};
        state_.find_parents_without_cycle(node, allowed_.data());
        const std::int64_t family = weights.sums()[node].draw(allowed_.data(), random);
        std::uint64_t* row = state_.begin_change(node);
        weights.parents_of(node, family, row);
        if (std::equal(row, row + dag.words(), dag.parents(node))) {
            state_.drop_changes();
        } else {
            state_.weigh_change(0, {weights.sums()[node].weight(family), 0});
        }
        return state_.proposal(-state_.gain());
    }

  private:
    DagState& state_;
    std::vector<std::uint64_t> allowed_;
};

}  // namespace

const std::vector<MoveRow<DagState>>& dag_moves() {
    static const std::vector<MoveRow<DagState>> rows = {
        {"add", 0.0005, make_move<Add>, "add or delete"},
        {"delete", 0.0005, make_move<Delete>, "add or delete"},
        {"reverse", 0.001, make_move<Reverse>},
        {"reverse path", 0.4, make_move<ReversePath>},
        {"redraw parents", 0.33, make_move<RedrawParents>},
        {"reverse and redraw", 0.22, make_edge_reversal},
        {"window", 0.2, make_window},
        {"class jump", 0.0, make_move<ClassJump>},
        {"Markov blanket", 0.0, make_markov_blanket},
    };
    return rows;
}

}  // namespace arcwise
