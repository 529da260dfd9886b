// The space of layerings: how many there are, and how often each kind of move is tried.
#include "arcwise/spaces/layerings/layerings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/layerings/layering.hpp"
#include "arcwise/spaces/move_weights.hpp"
#include "arcwise/sums/layers/layer_families.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// All moves of partitions but the reversal, which has a share of its own.
constexpr Partitions::MoveWeights without_reversal = {
    Partitions::usual[0], Partitions::usual[1], Partitions::usual[2], Partitions::usual[3], 0.0};
constexpr Partitions::MoveWeights only_reversal = {0.0, 0.0, 0.0, 0.0, 1.0};

}  // namespace

int Layerings::usual_size(const ScoreSums& sums) {
    constexpr int smallest = 4;
    constexpr int largest = 8;
    double families = 0.0;
    for (int node = 0; node < sums.nodes(); ++node) {
        families += static_cast<double>(sums[node].count());
    }
    const auto products = [&](int size) { return std::ldexp(sums.nodes(), 2 * size) / size; };
    int size = smallest;
    while (size < largest && products(size + 1) <= families) ++size;
    return std::min(size, sums.nodes());
}

Layerings::Layerings(std::shared_ptr<const ScoreSums> sums, int max_size,
                     const MoveWeights& move_weights, int partition_moves)
    : weights_(sums),
      families_(std::make_shared<const LayerFamilies>(*sums)),
      max_size_(max_size),
      move_weights_(move_weights),
      partition_moves_(partition_moves),
      partitions_(sums, without_reversal),
      reversals_(sums, only_reversal) {
    refuse_bad_weights(move_weights_);
    if (max_size < 1 || std::min(max_size, nodes()) > most_layer_members) {
        throw Error(ErrorKind::capacity, "Layers of up to " + std::to_string(max_size) +
                                             " nodes came, and their sums are over 4^size pairs "
                                             "of sets; give a size from 1 to " +
                                             std::to_string(most_layer_members) + ".");
    }
    max_size_ = std::min(max_size_, nodes());
    layouts_ = std::make_shared<const PairLayouts>(max_size_);
    // c(0, p) = 1, c(r, p) = sum over the sizes k > M - p of the next layer of C(r, k) c(r - k, k);
    // a layer of M nodes or more before it leaves it free.
    const int columns = max_size_ + 1;
    for (int left = 0; left <= nodes(); ++left) {
        for (int before = 0; before < columns; ++before) {
            double sum = left == 0 ? 0.0 : -std::numeric_limits<double>::infinity();
            for (int size = max_size_ - before + 1; size <= left; ++size) {
                sum = log_add(sum, log_binomial(left, size) + log_count(left - size, size));
            }
            log_counts_.push_back(sum);
        }
    }
}

double Layerings::log_count(int left, int before) const {
    const int column = std::min(before, max_size_);
    return log_counts_[static_cast<std::size_t>(left * (max_size_ + 1) + column)];
}

std::unique_ptr<State> Layerings::make_state() const { return std::make_unique<Layering>(*this); }

}  // namespace arcwise
