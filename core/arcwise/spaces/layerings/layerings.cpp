// The space of layerings: how many there are, and how often each kind of move is tried.
#include "arcwise/spaces/layerings/layerings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/layerings/layering.hpp"
#include "arcwise/spaces/partitions/partition_moves.hpp"
#include "arcwise/spaces/registry.hpp"
#include "arcwise/sums/layers/layer_families.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
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

Layerings::Layerings(std::shared_ptr<const ScoreSums> sums, int max_size, const MoveShares& shares,
                     int partition_moves)
    : Space(MoveTable(layering_moves(), shares)),
      weights_(sums),
      families_(std::make_shared<const LayerFamilies>(*sums)),
      max_size_(max_size),
      partition_moves_(partition_moves),
      partitions_(sums, MoveTable(arcwise::partition_moves()).shares_without(Partitions::reversal)),
      reversals_(sums, MoveTable(arcwise::partition_moves()).shares_of_only(Partitions::reversal)) {
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

void Layerings::merge_parts(const std::vector<int>& part_of, std::vector<int>& layer_of) const {
    const Parts parts(part_of);
    std::vector<int> layer_of_part(parts.count(), 0);
    std::size_t size = parts.size(0);
    for (std::size_t part = 1; part < parts.count(); ++part) {
        const bool apart = fit(size, parts.size(part));
        layer_of_part[part] = layer_of_part[part - 1] + (apart ? 1 : 0);
        size = parts.size(part) + (apart ? 0 : size);
    }
    layer_of.resize(part_of.size());
    for (std::size_t node = 0; node < part_of.size(); ++node) {
        layer_of[node] = layer_of_part[static_cast<std::size_t>(part_of[node])];
    }
}

std::unique_ptr<State> Layerings::make_state() const { return std::make_unique<Layering>(*this); }

static const SpaceRegistration registration({
    .name = "layerings",
    .moves = [](int) { return MoveTable(layering_moves()); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings& settings,
                const MoveShares& shares) -> std::shared_ptr<const Space> {
        return std::make_shared<Layerings>(std::move(sums), settings.number("max_size"), shares,
                                           settings.number("partition_moves"));
    },
    .usual =
        [](const ScoreSums& sums) {
            return std::map<std::string, std::int64_t>{
                {"max_size", Layerings::usual_size(sums)},
                {"partition_moves", Layerings::usual_partition_moves}};
        },
});

}  // namespace arcwise
