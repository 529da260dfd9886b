// The tables of a window, folded from the last layer to the first.
#include "arcwise/spaces/dags/window_recursion.hpp"

#include <algorithm>
#include <bit>

#include "arcwise/numerics/extended.hpp"
#include "arcwise/numerics/lanes.hpp"
#include "arcwise/numerics/subset_folds.hpp"

namespace arcwise {
namespace {

const SubsetPairs& layout(std::size_t nodes) {
    static const PairLayouts layouts(static_cast<int>(WindowRecursion::most_nodes));
    return layouts[nodes];
}

// Shares are divided rather than taken from logarithms where they are at least this.
constexpr double least_divisor = 0x1p-900;

// Fills misses and meets of one node, by sets of the others, from the shares of its largest sum.
ARCWISE_VECTOR_VERSIONS
void fill_meets_of_node(const SubsetPairs& others, const double* log_sums, const double* shares,
                        double smallest_share, double* misses, double* meets) {
    for (std::size_t set = 0; set < others.sets(); ++set) {
        double* const missing = misses + others.block(set);
        double* const meeting = meets + others.block(set);
        missing[0] = 1.0;
        meeting[0] = 0.0;
        const bool divides = shares[set] >= least_divisor;
        const double inverse = divides ? 1.0 / shares[set] : 0.0;
        // A family misses T + t if it lacks t and misses T.
        std::size_t half = 1;
        for (std::size_t left = set; left != 0; left &= left - 1, half *= 2) {
            const std::size_t fewer = set ^ (left & (~left + 1));
            double lacked = shares[fewer] * inverse;
            if (!divides) {
                lacked = log_sums[fewer] == minus_infinity
                             ? 0.0
                             : share_of_log<double>(log_sums[fewer] - log_sums[set]);
            }
            const double* __restrict const rest = misses + others.block(fewer);
            double* __restrict const to = missing + half;
            for (std::size_t i = 0; i < half; ++i) to[i] = lacked * rest[i];
        }
        const std::size_t count = std::size_t{1} << std::popcount(set);
        for (std::size_t i = 1; i < count; ++i) {
            const double met = 1.0 - missing[i];
            meeting[i] = met > smallest_share ? met : 0.0;
        }
    }
}

ARCWISE_VECTOR_VERSIONS
void multiply(double factor, const double* __restrict one, const double* __restrict other,
              std::size_t count, double* __restrict out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = one[i] * factor * other[i];
}

}  // namespace

void WindowRecursion::sum(std::span<const double> smallest_shares,
                          std::span<const double> log_sums) {
    nodes_ = smallest_shares.size();
    all_ = (Set{1} << nodes_) - 1;
    pairs_ = &layout(nodes_);
    others_ = &layout(nodes_ - 1);
    misses_.resize(nodes_ * others_->size());
    meets_.resize(misses_.size());
    for (std::size_t node = 0; node < nodes_; ++node) {
        fill_meets(node, smallest_shares[node], log_sums.data() + (node << nodes_));
    }
    fill_shares(log_sums);
    fill_ways();
}

void WindowRecursion::fill_meets(std::size_t node, double smallest_share, const double* log_sums) {
    const std::size_t sets = others_->sets();
    logs_.resize(sets);
    values_.resize(pairs_->sets());
    for (std::size_t set = 0; set < sets; ++set) {
        logs_[set] = log_sums[insert_bit(set, static_cast<int>(node))];
    }
    const double largest = logs_[sets - 1];  // more sets, more families
    for (std::size_t set = 0; set < sets; ++set) {
        values_[set] = largest == minus_infinity ? 0.0 : share_of_log<double>(logs_[set] - largest);
    }
    fill_meets_of_node(*others_, logs_.data(), values_.data(), smallest_share,
                       misses_.data() + node * others_->size(),
                       meets_.data() + node * others_->size());
}

void WindowRecursion::fill_shares(std::span<const double> log_sums) {
    best_.assign(pairs_->sets(), minus_infinity);
    best_[all_] = 0.0;
    for (std::size_t set = all_; set-- > 0;) {
        for (std::size_t left = all_ ^ set; left != 0; left &= left - 1) {
            const auto node = static_cast<std::size_t>(std::countr_zero(left));
            best_[set] = std::max(best_[set], log_sums[(node << nodes_) + set] +
                                                  best_[set | (std::size_t{1} << node)]);
        }
    }
    // A layer M + v after U is the layer M, then v with what it has without M: with E = U + M,
    // shares(E + v, M + v) = shares(E, M) * e^(ln sums(v, E) + Phi(E + v) - Phi(E))
    //                        * sums(v, E - M) / sums(v, E).
    ways_.resize(pairs_->size());
    for (std::size_t set = 0; set < pairs_->sets(); ++set) {
        double* const own = ways_.data() + pairs_->block(set);
        own[0] = 1.0;
        std::size_t half = 1;
        for (std::size_t left = set; left != 0; left &= left - 1, half *= 2) {
            const auto node = static_cast<std::size_t>(std::countr_zero(left));
            const std::size_t earlier = set ^ (std::size_t{1} << node);
            const double step = best_[earlier] == minus_infinity
                                    ? 0.0
                                    : share_of_log<double>(log_sums[(node << nodes_) + earlier] +
                                                           best_[set] - best_[earlier]);
            multiply(step, ways_.data() + pairs_->block(earlier),
                     misses_.data() + place(node, earlier), half, own + half);
        }
    }
}

void WindowRecursion::fill_ways() {
    out_.resize(pairs_->sets());
    std::array<const double*, most_nodes> factors{};
    // No layer follows without a node in it.
    ways_[pairs_->block(all_)] = 0.0;
    for (Set placed = all_; placed-- > 1;) {
        const std::size_t layers = std::size_t{1} << std::popcount(placed);
        const std::size_t next = pairs_->sets() / layers;
        const std::uint32_t* additions = pairs_->additions(placed);
        ways_[pairs_->block(placed)] = 0.0;
        for (std::size_t set = 0; set < next; ++set) values_[set] = ways_[additions[set]];
        std::size_t count = 0;
        for (Set rest = all_ ^ placed; rest != 0; rest &= rest - 1) {
            const auto node = static_cast<std::size_t>(std::countr_zero(rest));
            factors[count++] = meets_.data() + place(node, placed);
        }
        fold(values_.data(), factors.data(), count, layers, out_.data(), scratch_);
        double* const own = ways_.data() + pairs_->block(placed);
        for (std::size_t layer = 0; layer < layers; ++layer) own[layer] *= out_[layer];
    }
}

bool WindowRecursion::has(std::span<const std::uint32_t> dependences) const {
    Set placed = 0;
    Set layer = 0;
    while (placed != all_) {
        Set next = 0;
        for (std::size_t node = 0; node < nodes_; ++node) {
            if ((placed >> node & 1) != 0 || (dependences[node] & ~placed) != 0) continue;
            if (meeting(node, placed, layer) == 0.0) return false;
            next |= Set{1} << node;
        }
        placed |= next;
        layer = next;
    }
    return true;
}

auto WindowRecursion::draw(Random& random) -> std::array<Place, most_nodes> {
    std::array<Place, most_nodes> places{};
    Set placed = 0;
    Set layer = 0;
    while (placed != all_) {
        // The shares of all sets of the nodes left that can depend on the layer.
        shares_.assign(1, 1.0);
        layers_.assign(1, 0);
        bits_.assign(1, 0);
        std::size_t bit = 1;
        for (Set rest = all_ ^ placed; rest != 0; rest &= rest - 1, bit *= 2) {
            const auto node = static_cast<std::size_t>(std::countr_zero(rest));
            const double share = meeting(node, placed, layer);
            if (share == 0.0) continue;
            const std::size_t count = shares_.size();
            for (std::size_t i = 0; i < count; ++i) {
                shares_.push_back(shares_[i] * share);
                layers_.push_back(layers_[i] | Set{1} << node);
                bits_.push_back(bits_[i] | bit);
            }
        }
        const std::uint32_t* additions = pairs_->additions(placed);
        for (std::size_t i = 0; i < shares_.size(); ++i) {
            shares_[i] *= i == 0 ? 0.0 : ways_[additions[bits_[i]]];
        }
        const Set next = layers_[random.choose(shares_)];
        for (Set rest = next; rest != 0; rest &= rest - 1) {
            places[static_cast<std::size_t>(std::countr_zero(rest))] = {placed, layer};
        }
        placed |= next;
        layer = next;
    }
    return places;
}

}  // namespace arcwise
