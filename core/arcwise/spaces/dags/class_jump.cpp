// A jump to any DAG of the Markov equivalence class, all equally probable.
//
// The class is the same seen from there, so the way back is as probable. A score and a prior that
// cannot tell equivalent DAGs apart accept always, but for DAGs that the model excludes.
#include <algorithm>

#include "arcwise/relations/equivalence_class.hpp"
#include "arcwise/spaces/dags/dag_state.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

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

}  // namespace

std::unique_ptr<Move> make_class_jump(DagState& state) {
    return std::make_unique<ClassJump>(state);
}

}  // namespace arcwise
