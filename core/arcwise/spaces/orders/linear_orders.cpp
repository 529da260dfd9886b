// The space of linear orders: its size, its moves' probabilities.
#include "arcwise/spaces/orders/linear_orders.hpp"

#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/move_weights.hpp"
#include "arcwise/spaces/orders/linear_order.hpp"

namespace arcwise {

LinearOrders::MoveWeights LinearOrders::balanced(int nodes) {
    const double n = nodes;
    return {1.0 / (n / 3.0 + 2.0), 1.0 / 2.0, 1.0 / (2.0 * n)};
}

LinearOrders::LinearOrders(std::shared_ptr<const ScoreSums> sums, const MoveWeights& move_weights,
                           Semiring semiring)
    : weights_(std::move(sums), semiring), move_weights_(move_weights) {
    // Neighbours alone reach every order, and so do swaps or relocations alone.
    refuse_bad_weights(move_weights_);
}

std::unique_ptr<State> LinearOrders::make_state() const {
    return std::make_unique<LinearOrder>(*this);
}

double LinearOrders::log_size() const { return log_gamma(nodes() + 1.0); }

}  // namespace arcwise
