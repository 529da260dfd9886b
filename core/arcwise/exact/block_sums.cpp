// Zeta transforms of one block at a time, in as many windows of plain numbers as its range needs.
#include "arcwise/exact/block_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "arcwise/numerics/lanes.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Buffers that live as long as their thread: blocks come by the thousand.
std::vector<double>& buffer(int which, std::size_t size) {
    thread_local std::vector<double> buffers[3];
    std::vector<double>& chosen = buffers[which];
    if (chosen.size() < size) chosen.resize(size);
    return chosen;
}

// Log sums of one band are within this many nats, so that their ratios are plain numbers.
constexpr double nats_per_band = 300.0;

}  // namespace

int BlockSums::balanced_low(int nodes) { return std::min(nodes, std::max(nodes - 12, 14)); }

std::uint64_t BlockSums::bytes(int nodes, std::uint64_t families, int threads) {
    // Each family has its weight, the same as a plain number, and two places; each thread has one
    // table for every node and a few buffers.
    return families * (2 * sizeof(double) + 2 * sizeof(std::uint32_t)) +
           static_cast<std::uint64_t>(threads) * (static_cast<std::uint64_t>(nodes) + 8) *
               (std::uint64_t{1} << balanced_low(nodes)) * sizeof(double);
}

BlockSums::BlockSums(const FamilyTable& table, int low, const RunOptions& options) : low_(low) {
    if (table.size() > 32 || low < 0 || low > static_cast<int>(table.size())) {
        throw Error(ErrorKind::capacity, "Recursions over all subsets take at most 32 variables.");
    }
    nodes_.resize(table.size());
    run_tasks(table.size(), table.size(), options, [&](std::size_t v, TaskContext& context) {
        nodes_[v].emplace(table[v], static_cast<int>(v), low);
        context.advance(1);
    });
}

NodeBlockSums::NodeBlockSums(const NodeFamilies& families, int node, int low)
    : node_(node), low_(low), index_bits_(node < low ? low - 1 : low) {
    const std::uint32_t low_mask = low == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << low) - 1;
    const std::vector<double>& values = families.values();
    offset_ = *std::max_element(values.begin(), values.end());
    std::uint32_t required = 0;
    for (const int parent : families.required()) required |= std::uint32_t{1} << parent;

    std::vector<std::uint32_t> parents(values.size());
    families.for_each([&](std::uint64_t index, std::span<const int> members) {
        std::uint32_t set = required;
        for (const int member : members) {
            set |= std::uint32_t{1} << families.candidates()[static_cast<std::size_t>(member)];
        }
        parents[index] = set;
    });
    storage_.reserve(values.size());
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        if (values[i] != minus_infinity) storage_.push_back(i);
    }
    const auto high_of = [&](std::uint32_t i) { return low == 32 ? 0 : parents[i] >> low; };
    const auto lower = [&](std::uint32_t i, std::uint32_t j) { return high_of(i) < high_of(j); };
    // Families that are stored by the bits of their sets are in order.
    if (!std::is_sorted(storage_.begin(), storage_.end(), lower)) {
        std::stable_sort(storage_.begin(), storage_.end(), lower);
    }
    if (storage_.empty()) refuse_impossible();
    weights_.reserve(storage_.size());
    place_.reserve(storage_.size());
    for (std::uint32_t f = 0; f < storage_.size(); ++f) {
        const std::uint32_t i = storage_[f];
        const double weight = values[i] - offset_;
        weights_.push_back(weight);
        place_.push_back(static_cast<std::uint32_t>(index(parents[i] & low_mask)));
        if (groups_.empty() || groups_.back().high_set != high_of(i)) {
            groups_.push_back({high_of(i), f, f, weight, weight});
        }
        Group& group = groups_.back();
        group.last = f + 1;
        group.largest = std::max(group.largest, weight);
        group.smallest = std::min(group.smallest, weight);
    }
    const double smallest = *std::min_element(weights_.begin(), weights_.end());
    if (-smallest < nats_per_window) {
        scale_ = window_scale(0.0, smallest);
        plain_.resize(weights_.size());
        scaled_exp(plain_.data(), weights_.data(), scale_, weights_.size());
    }
}

double BlockSums::total_offset() const {
    double total = 0.0;
    for (const auto& node : nodes_) total += node->offset();
    return total;
}

void refuse_impossible() {
    throw Error(ErrorKind::argument,
                "No DAG has a positive weight; relax the constraints or the prior.");
}

void NodeBlockSums::log_sums(std::uint32_t high_set, double* out) const {
    const std::size_t size = block_size();
    std::fill_n(out, size, minus_infinity);
    const auto for_groups = [&](auto visit) {
        for (const Group& group : groups_) {
            if ((group.high_set & ~high_set) == 0) visit(group);
        }
    };
    double* window = buffer(0, size).data();
    if (!plain_.empty()) {
        std::fill_n(window, size, 0.0);
        for_groups([&](const Group& group) {
            for (std::uint32_t f = group.first; f < group.last; ++f) {
                window[place_[f]] += plain_[f];
            }
        });
        sum_over_subsets(window, index_bits_);
        fill_with_scaled_log(out, window, scale_, smallest_final_sum, size);
        return;
    }
    double largest = minus_infinity;
    double smallest = 0.0;
    for_groups([&](const Group& group) {
        largest = std::max(largest, group.largest);
        smallest = std::min(smallest, group.smallest);
    });
    while (largest != minus_infinity) {
        const double scale = window_scale(largest, smallest);
        std::fill_n(window, size, 0.0);
        for_groups([&](const Group& group) {
            const std::size_t count = group.last - group.first;
            double* plain = buffer(1, count).data();
            scaled_exp(plain, weights_.data() + group.first, scale, count);
            for (std::size_t i = 0; i < count; ++i) {
                window[place_[group.first + i]] += plain[i];
            }
        });
        sum_over_subsets(window, index_bits_);
        fill_with_scaled_log(out, window, scale, smallest_final_sum, size);
        // What is left has only families that are too light to count in a final sum.
        double next = minus_infinity;
        for_groups([&](const Group& group) {
            if (group.smallest - scale >= std::log(smallest_final_sum)) return;
            for (std::uint32_t f = group.first; f < group.last; ++f) {
                if (window[place_[f]] < smallest_final_sum) {
                    next = std::max(next, weights_[f]);
                }
            }
        });
        largest = next;
    }
}

void NodeBlockSums::maxima(std::uint32_t high_set, double* out) const {
    std::fill_n(out, block_size(), minus_infinity);
    for (const Group& group : groups_) {
        if ((group.high_set & ~high_set) != 0) continue;
        for (std::uint32_t f = group.first; f < group.last; ++f) {
            out[place_[f]] = std::max(out[place_[f]], weights_[f]);
        }
    }
    max_over_subsets(out, index_bits_);
}

NodeBlockSums::Best NodeBlockSums::best_family(std::uint32_t allowed) const {
    Best best{minus_infinity, -1};
    for (const Group& group : groups_) {
        if (((std::uint64_t{group.high_set} << low_) & ~std::uint64_t{allowed}) != 0) continue;
        for (std::uint32_t f = group.first; f < group.last; ++f) {
            if (weights_[f] > best.weight && (set_at(place_[f]) & ~allowed) == 0) {
                best = {weights_[f], storage_[f]};
            }
        }
    }
    return best;
}

void NodeBlockSums::add_family_shares(std::uint32_t high_set, const double* share,
                                      const double* log_sum, double* probabilities) const {
    const std::size_t size = block_size();
    double* ratios = buffer(0, size).data();
    double* exponents = buffer(2, 2 * size).data();
    double* inverses = exponents + size;
    // Log sums differ by thousands of nats, so share / alpha is summed in bands of them: within
    // one, ratios to its highest log sum are plain numbers. (To its lowest, the heavy families
    // would come as e^300 and lose digits.) Every entry is in exactly one band.
    double ceiling = std::numeric_limits<double>::infinity();
    while (true) {
        double top = minus_infinity;
#pragma omp simd reduction(max : top)
        for (std::size_t i = 0; i < size; ++i) {
            const double counted = share[i] != 0.0 ? log_sum[i] : minus_infinity;
            const double below = counted < ceiling ? counted : minus_infinity;
            top = top < below ? below : top;
        }
        top = reduced_extreme(top);
        if (top == minus_infinity) return;
        const double floor = top - nats_per_band;
        for (std::size_t i = 0; i < size; ++i) {
            const double inverse = log_sum[i] < floor ? minus_infinity : -log_sum[i];
            exponents[i] = log_sum[i] < ceiling ? inverse : minus_infinity;
        }
        scaled_exp(inverses, exponents, -top, size);
        // Sums over supersets are sums over subsets of the complements.
        for (std::size_t i = 0; i < size; ++i) ratios[size - 1 - i] = share[i] * inverses[i];
        sum_over_subsets(ratios, index_bits_);
        for (const Group& group : groups_) {
            if ((group.high_set & ~high_set) != 0) continue;
            const std::size_t count = group.last - group.first;
            double* plain = buffer(1, count).data();
            scaled_exp(plain, weights_.data() + group.first, top, count);
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t f = group.first + i;
                probabilities[storage_[f]] += plain[i] * ratios[size - 1 - place_[f]];
            }
        }
        ceiling = floor;
    }
}

void NodeBlockSums::add_plain_shares(std::uint32_t high_set, double* ratios,
                                     double* probabilities) const {
    const std::size_t last = block_size() - 1;
    sum_over_subsets(ratios, index_bits_);
    for (const Group& group : groups_) {
        if ((group.high_set & ~high_set) != 0) continue;
        for (std::uint32_t f = group.first; f < group.last; ++f) {
            probabilities[storage_[f]] += plain_[f] * ratios[last - place_[f]];
        }
    }
}

namespace {

// So low that any product with it vanishes, by its exponent as by its mantissa.
constexpr std::int32_t exponent_of_zero = -(1 << 24);

}  // namespace

ScaledSums::ScaledSums(const FamilyTable& weights, const RunOptions& options)
    : mantissas_(weights.size()), exponents_(weights.size()) {
    const std::size_t n = weights.size();
    std::vector<double> offsets(n);
    run_tasks(n, n, options, [&](std::size_t v, TaskContext& context) {
        const NodeBlockSums sums(weights[v], static_cast<int>(v), static_cast<int>(n));
        offsets[v] = sums.offset();
        std::vector<double>& mantissa = mantissas_[v];
        std::vector<std::int32_t>& exponent = exponents_[v];
        mantissa.resize(size());
        exponent.resize(size());
        sums.log_sums(0, mantissa.data());
        for (std::size_t i = 0; i < mantissa.size(); ++i) {
            if (std::isinf(mantissa[i])) {
                mantissa[i] = 0.0;
                exponent[i] = exponent_of_zero;
                continue;
            }
            const double whole = std::floor(mantissa[i] * std::numbers::log2e);
            exponent[i] = static_cast<std::int32_t>(whole);
            mantissa[i] = std::exp(mantissa[i] - whole * std::numbers::ln2);
        }
        context.advance(1);
    });
    for (const double offset : offsets) total_offset_ += offset;
}

std::uint64_t ScaledSums::bytes(int nodes) {
    return (std::uint64_t{1} << nodes) / 2 * static_cast<std::uint64_t>(nodes) *
           (sizeof(double) + sizeof(std::int32_t));
}

}  // namespace arcwise
