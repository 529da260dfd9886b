// The space of DAGs: how many there are, and how often each kind of move is tried.
#include "arcwise/spaces/dags/dags.hpp"

#include <numeric>

#include "arcwise/spaces/dags/dag_state.hpp"
#include "arcwise/spaces/dags/family_weights.hpp"
#include "arcwise/spaces/dags/uniform_dags.hpp"
#include "arcwise/spaces/registry.hpp"

namespace arcwise {

Dags::Dags(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares)
    : Space(MoveTable(dag_moves(), shares)),
      sums_(std::move(sums)),
      weights_(std::make_unique<FamilyWeights>(*sums_)),
      uniform_(std::make_unique<UniformDags>(nodes(), weights_->most_parents())),
      shares_(moves().shares_by_move()),
      hot_shares_(shares_) {
    const double total = std::accumulate(shares_.begin(), shares_.end(), 0.0);
    for (std::size_t move = 0; move < one_edge_moves; ++move) {
        hot_shares_[move] += total / static_cast<double>(one_edge_moves);
    }
}

Dags::~Dags() = default;

std::unique_ptr<State> Dags::make_state() const { return std::make_unique<DagState>(*this); }

double Dags::log_size() const { return uniform_->log_count(); }

static const SpaceRegistration registration({
    .name = "dags",
    .moves = [](int) { return MoveTable(dag_moves()); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings&,
                const MoveShares& shares) -> std::shared_ptr<const Space> {
        return std::make_shared<Dags>(std::move(sums), shares);
    },
});

}  // namespace arcwise
