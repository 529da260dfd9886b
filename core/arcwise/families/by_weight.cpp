// Families sorted by their bits, and those that are light beside one of their subsets.
#include "arcwise/families/by_weight.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "arcwise/numerics/log_space.hpp"

namespace arcwise {
namespace {

constexpr unsigned digit_bits = 11;
constexpr std::size_t digits = (64 + digit_bits - 1) / digit_bits;
constexpr std::size_t buckets = std::size_t{1} << digit_bits;

// An integer that falls as the weight rises: the bits of a double rise with its size, so those of a
// negative number are right as they are and those of a positive one are turned round.
std::uint64_t key_of(double weight) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(weight + 0.0);  // -0 becomes 0
    return (bits & sign) != 0 ? bits : ~bits & ~sign;
}

std::size_t digit_of(std::uint64_t key, std::size_t digit) {
    return key >> (digit * digit_bits) & (buckets - 1);
}

}  // namespace

std::vector<std::uint32_t> order_by_weight(std::span<const double> weights) {
    std::vector<std::uint64_t> keys(weights.size());
    std::vector<std::uint32_t> order;
    order.reserve(weights.size());
    std::vector<std::array<std::uint32_t, buckets>> counts(digits);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] == minus_infinity) continue;
        keys[i] = key_of(weights[i]);
        order.push_back(static_cast<std::uint32_t>(i));
        for (std::size_t digit = 0; digit < digits; ++digit) {
            ++counts[digit][digit_of(keys[i], digit)];
        }
    }
    if (order.empty()) return order;
    std::vector<std::uint32_t> sorted(order.size());
    for (std::size_t digit = 0; digit < digits; ++digit) {
        std::array<std::uint32_t, buckets>& places = counts[digit];
        if (places[digit_of(keys[order.front()], digit)] == order.size()) continue;  // all alike
        std::uint32_t before = 0;
        for (std::uint32_t& place : places) {
            const std::uint32_t own = place;
            place = before;
            before += own;
        }
        for (const std::uint32_t index : order) {
            sorted[places[digit_of(keys[index], digit)]++] = index;
        }
        order.swap(sorted);
    }
    return order;
}

namespace {

// Below this tolerance the shares themselves cannot be distinguished from zero.
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

void leave_out_light(std::vector<WeighedFamily>& families, std::size_t elements) {
    constexpr double light = 42.0;  // nats: e^-42 of each of ten thousand families
    constexpr std::size_t most_numbers = std::size_t{1} << 24;
    const std::size_t most = families.empty() ? 0 : families.back().members.size();
    const double sets = std::pow(static_cast<double>(elements), static_cast<double>(most));
    if (most == 0 || sets > 1e12) return;
    const SubsetLayout layout(static_cast<int>(elements), static_cast<int>(most));
    if (layout.count() * most > most_numbers) return;
    // By set and member of it: the heaviest subset of the set that has the member.
    std::vector<float> best(layout.count() * most, -std::numeric_limits<float>::infinity());
    std::vector<int> smaller;
    std::erase_if(families, [&](const WeighedFamily& family) {
        const std::size_t size = family.members.size();
        float* own = best.data() + layout.rank(family.members) * most;
        for (std::size_t u = 0; u < size; ++u) {
            smaller = family.members;
            smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(u));
            const float* of_smaller = best.data() + layout.rank(smaller) * most;
            for (std::size_t t = 0; t < size; ++t) {
                if (t != u) own[t] = std::max(own[t], of_smaller[t - (t > u ? 1 : 0)]);
            }
        }
        bool all_light = size > 0;
        for (std::size_t t = 0; t < size; ++t) {
            all_light = all_light && static_cast<double>(own[t]) > family.weight + light;
            own[t] = std::max(own[t], static_cast<float>(family.weight));
        }
        return all_light;
    });
}

}  // namespace arcwise
