// The space of ordered partitions: how many there are.
#include "arcwise/spaces/partitions/partitions.hpp"

#include <cmath>
#include <limits>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/partitions/partition_moves.hpp"
#include "arcwise/spaces/registry.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

Partitions::Partitions(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares)
    : Space(MoveTable(partition_moves(), shares)), weights_(std::move(sums)) {
    // a(0) = 1, a(n) = sum over the size k of the first part of C(n, k) a(n - k).
    log_counts_.push_back(0.0);
    for (int n = 1; n <= nodes(); ++n) {
        double sum = -std::numeric_limits<double>::infinity();
        for (int k = 1; k <= n; ++k) {
            sum = log_add(sum, log_binomial(n, k) + log_counts_[static_cast<std::size_t>(n - k)]);
        }
        log_counts_.push_back(sum);
    }
    log_numbers_.push_back(-std::numeric_limits<double>::infinity());
    log_factorials_.push_back(0.0);
    for (int n = 1; n <= nodes(); ++n) {
        log_numbers_.push_back(std::log(static_cast<double>(n)));
        log_factorials_.push_back(log_gamma(n + 1.0));
    }
    const auto n = static_cast<std::size_t>(nodes());
    const std::size_t words = words_for(n);
    children_.resize(n * words);
    for (std::size_t child = 0; child < n; ++child) {
        for (const int parent : weights_.sums().possible_parents(static_cast<int>(child))) {
            put_member(children_.data() + static_cast<std::size_t>(parent) * words, child);
        }
    }
}

std::unique_ptr<State> Partitions::make_state() const { return std::make_unique<Partition>(*this); }

static const SpaceRegistration registration({
    .name = "partitions",
    .moves = [](int) { return MoveTable(partition_moves()); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings&,
                const MoveShares& shares) -> std::shared_ptr<const Space> {
        return std::make_shared<Partitions>(std::move(sums), shares);
    },
});

}  // namespace arcwise
