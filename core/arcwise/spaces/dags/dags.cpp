// The space of DAGs: how many there are, and how often each kind of move is tried.
#include "arcwise/spaces/dags/dags.hpp"

#include <algorithm>
#include <numeric>

#include "arcwise/spaces/dags/dag_state.hpp"
#include "arcwise/spaces/dags/family_weights.hpp"
#include "arcwise/spaces/dags/uniform_dags.hpp"
#include "arcwise/spaces/move_weights.hpp"

namespace arcwise {

Dags::Dags(std::shared_ptr<const ScoreSums> sums, const MoveWeights& move_weights)
    : sums_(std::move(sums)), weights_(std::make_unique<FamilyWeights>(*sums_)) {
    refuse_bad_weights(move_weights);
    uniform_ = std::make_unique<UniformDags>(nodes(), weights_->most_parents());
    name_weights_[0] = 0.5 * move_weights[add_or_delete];
    std::copy(move_weights.begin(), move_weights.end(), name_weights_.begin() + 1);
    name_weights_[1] = name_weights_[0];
    const double total = std::accumulate(name_weights_.begin(), name_weights_.end(), 0.0);
    hot_weights_ = name_weights_;
    for (std::size_t name = 0; name < 3; ++name) hot_weights_[name] += total / 3.0;
}

Dags::~Dags() = default;

std::unique_ptr<State> Dags::make_state() const { return std::make_unique<DagState>(*this); }

double Dags::log_size() const { return uniform_->log_count(); }

}  // namespace arcwise
