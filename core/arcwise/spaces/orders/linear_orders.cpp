// The space of linear orders and its size.
#include "arcwise/spaces/orders/linear_orders.hpp"

#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/orders/linear_order.hpp"
#include "arcwise/spaces/registry.hpp"

namespace arcwise {

LinearOrders::LinearOrders(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares,
                           Semiring semiring)
    : Space(MoveTable(linear_order_moves(sums->nodes()), shares)),
      weights_(std::move(sums), semiring) {}

std::unique_ptr<State> LinearOrders::make_state() const {
    return std::make_unique<LinearOrder>(*this);
}

double LinearOrders::log_size() const { return log_gamma(nodes() + 1.0); }

static const SpaceRegistration registration({
    .name = "linear",
    .moves = [](int nodes) { return MoveTable(linear_order_moves(nodes)); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings&,
                const MoveShares& shares) -> std::shared_ptr<const Space> {
        return std::make_shared<LinearOrders>(std::move(sums), shares);
    },
});

}  // namespace arcwise
