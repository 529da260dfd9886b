// Families that are light beside one of their subsets.
//
// Let B be the heaviest subset of A that is a family. Whenever A is allowed, so is B. If for each B
// the families left out on its account weigh at most `tolerance` times B, then in any sum those
// left out weigh at most `tolerance` times the sum of their Bs, each of which counts once. B itself
// is never left out, as none of its subsets is heavier.
#include "arcwise/sums/walk/light_families.hpp"

#include <array>
#include <limits>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/scan/order_by_weight.hpp"

namespace arcwise {
namespace {

// Below this tolerance the shares themselves are no longer told from zero.
constexpr double smallest_tolerance = 1e-280;

// By rank, the rank of the heaviest subset.
class HeaviestSubsets {
  public:
    HeaviestSubsets(const SubsetLayout& layout, std::span<const double> log_weights)
        : layout_(layout), log_weights_(log_weights), heaviest_(log_weights.size()) {
        visit(layout.elements(), 0, 0);
    }

    std::uint32_t operator[](std::size_t rank) const { return heaviest_[rank]; }

  private:
    // Subsets come before their supersets. `without_[size][i]` is the rank of the set less its i-th
    // member.
    void visit(int limit, std::size_t size, std::uint32_t rank) {
        std::uint32_t best = rank;
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint32_t other = heaviest_[without_[size][i]];
            if (log_weights_[other] > log_weights_[best]) best = other;
        }
        heaviest_[rank] = best;
        const int room = layout_.max_size() - static_cast<int>(size);
        if (room == 0) return;
        for (int member = 0; member < limit; ++member) {
            for (std::size_t i = 0; i < size; ++i) {
                without_[size + 1][i] =
                    without_[size][i] + static_cast<std::uint32_t>(layout_.below(member, room + 1));
            }
            without_[size + 1][size] = rank;
            visit(member, size + 1, rank + static_cast<std::uint32_t>(layout_.below(member, room)));
        }
    }

    const SubsetLayout& layout_;
    std::span<const double> log_weights_;
    std::vector<std::uint32_t> heaviest_;
    // Fewer than 2^32 families have no more than 32 members.
    std::array<std::array<std::uint32_t, 33>, 33> without_;
};

}  // namespace

std::vector<std::uint8_t> families_that_matter(const SubsetLayout& layout,
                                               std::span<const double> log_weights,
                                               double tolerance) {
    std::vector<std::uint8_t> kept(log_weights.size(), 0);
    const std::vector<std::uint32_t> order = order_by_weight(log_weights);
    for (const std::uint32_t family : order) kept[family] = 1;
    if (tolerance < smallest_tolerance) return kept;
    const HeaviestSubsets heaviest(layout, log_weights);
    std::vector<double> left_out(log_weights.size(), 0.0);  // in terms of the weight of B
    for (std::size_t i = order.size(); i-- > 0;) {          // light ones first: most are left out
        const std::uint32_t family = order[i];
        const std::uint32_t subset = heaviest[family];
        if (subset == family) continue;
        double share = 0.0;
        scaled_exp(&share, &log_weights[family], log_weights[subset], 1);
        if (left_out[subset] + share > tolerance) continue;
        left_out[subset] += share;
        kept[family] = 0;
    }
    return kept;
}

}  // namespace arcwise
