// Zeta transforms of one block at a time, in as many windows of plain numbers as its range needs.
#include "arcwise/exact/block_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

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

BlockSums::BlockSums(const FamilyTable& table, int low) : low_(low), nodes_(table.size()) {
    if (table.size() > 32 || low < 0 || low > static_cast<int>(table.size())) {
        throw Error(ErrorKind::capacity, "Programmes over all subsets take at most 32 variables.");
    }
    const std::uint32_t low_mask = low == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << low) - 1;
    for (std::size_t v = 0; v < table.size(); ++v) {
        Node& node = nodes_[v];
        const NodeFamilies& families = table[v];
        const int number = static_cast<int>(v);
        node.index_bits = number < low ? low - 1 : low;
        const std::vector<double>& values = families.values();
        node.offset = *std::max_element(values.begin(), values.end());
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
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            if (values[i] != minus_infinity) node.storage.push_back(i);
        }
        const auto high_of = [&](std::uint32_t i) { return low == 32 ? 0 : parents[i] >> low; };
        std::stable_sort(node.storage.begin(), node.storage.end(),
                         [&](std::uint32_t i, std::uint32_t j) { return high_of(i) < high_of(j); });
        for (std::uint32_t f = 0; f < node.storage.size(); ++f) {
            const std::uint32_t i = node.storage[f];
            const double weight = values[i] - node.offset;
            node.weights.push_back(weight);
            node.place.push_back(static_cast<std::uint32_t>(index(number, parents[i] & low_mask)));
            if (node.groups.empty() || node.groups.back().high_set != high_of(i)) {
                node.groups.push_back({high_of(i), f, f, weight, weight});
            }
            Group& group = node.groups.back();
            group.last = f + 1;
            group.largest = std::max(group.largest, weight);
            group.smallest = std::min(group.smallest, weight);
        }
        const double smallest = *std::min_element(node.weights.begin(), node.weights.end());
        if (-smallest < nats_per_window) {
            node.scale = window_scale(0.0, smallest);
            node.plain.resize(node.weights.size());
            scaled_exp(node.plain.data(), node.weights.data(), node.scale, node.weights.size());
        }
    }
}

double BlockSums::total_offset() const {
    double total = 0.0;
    for (const Node& node : nodes_) total += node.offset;
    return total;
}

void refuse_impossible() {
    throw Error(ErrorKind::argument,
                "No DAG has a positive weight; relax the constraints or the prior.");
}

void BlockSums::log_sums(int v, std::uint32_t high_set, double* out) const {
    const Node& node = at(v);
    const std::size_t size = block_size(v);
    std::fill_n(out, size, minus_infinity);
    const auto for_groups = [&](auto visit) {
        for (const Group& group : node.groups) {
            if ((group.high_set & ~high_set) == 0) visit(group);
        }
    };
    double* window = buffer(0, size).data();
    if (!node.plain.empty()) {
        std::fill_n(window, size, 0.0);
        for_groups([&](const Group& group) {
            for (std::uint32_t f = group.first; f < group.last; ++f) {
                window[node.place[f]] += node.plain[f];
            }
        });
        sum_over_subsets(window, node.index_bits);
        fill_with_scaled_log(out, window, node.scale, smallest_final_sum, size);
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
            scaled_exp(plain, node.weights.data() + group.first, scale, count);
            for (std::size_t i = 0; i < count; ++i) {
                window[node.place[group.first + i]] += plain[i];
            }
        });
        sum_over_subsets(window, node.index_bits);
        fill_with_scaled_log(out, window, scale, smallest_final_sum, size);
        // What is left has only families that are too light to count in a final sum.
        double next = minus_infinity;
        for_groups([&](const Group& group) {
            if (group.smallest - scale >= std::log(smallest_final_sum)) return;
            for (std::uint32_t f = group.first; f < group.last; ++f) {
                if (window[node.place[f]] < smallest_final_sum) {
                    next = std::max(next, node.weights[f]);
                }
            }
        });
        largest = next;
    }
}

void BlockSums::maxima(int v, std::uint32_t high_set, double* out) const {
    const Node& node = at(v);
    std::fill_n(out, block_size(v), minus_infinity);
    for (const Group& group : node.groups) {
        if ((group.high_set & ~high_set) != 0) continue;
        for (std::uint32_t f = group.first; f < group.last; ++f) {
            out[node.place[f]] = std::max(out[node.place[f]], node.weights[f]);
        }
    }
    max_over_subsets(out, node.index_bits);
}

BlockSums::Best BlockSums::best_family(int v, std::uint32_t allowed) const {
    const Node& node = at(v);
    Best best{minus_infinity, -1};
    for (const Group& group : node.groups) {
        if (((std::uint64_t{group.high_set} << low_) & ~std::uint64_t{allowed}) != 0) continue;
        for (std::uint32_t f = group.first; f < group.last; ++f) {
            if (node.weights[f] > best.weight && (set_at(v, node.place[f]) & ~allowed) == 0) {
                best = {node.weights[f], node.storage[f]};
            }
        }
    }
    return best;
}

void BlockSums::add_family_shares(int v, std::uint32_t high_set, const double* share,
                                  const double* log_sum, double* probabilities) const {
    const Node& node = at(v);
    const std::size_t size = block_size(v);
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
        if (top == minus_infinity) return;
        const double floor = top - nats_per_band;
        for (std::size_t i = 0; i < size; ++i) {
            const double inverse = log_sum[i] < floor ? minus_infinity : -log_sum[i];
            exponents[i] = log_sum[i] < ceiling ? inverse : minus_infinity;
        }
        scaled_exp(inverses, exponents, -top, size);
        // Sums over supersets are sums over subsets of the complements.
        for (std::size_t i = 0; i < size; ++i) ratios[size - 1 - i] = share[i] * inverses[i];
        sum_over_subsets(ratios, node.index_bits);
        for (const Group& group : node.groups) {
            if ((group.high_set & ~high_set) != 0) continue;
            const std::size_t count = group.last - group.first;
            double* plain = buffer(1, count).data();
            scaled_exp(plain, node.weights.data() + group.first, top, count);
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t f = group.first + i;
                probabilities[node.storage[f]] += plain[i] * ratios[size - 1 - node.place[f]];
            }
        }
        ceiling = floor;
    }
}

void BlockSums::add_plain_shares(int v, std::uint32_t high_set, double* ratios,
                                 double* probabilities) const {
    const Node& node = at(v);
    const std::size_t last = block_size(v) - 1;
    sum_over_subsets(ratios, node.index_bits);
    for (const Group& group : node.groups) {
        if ((group.high_set & ~high_set) != 0) continue;
        for (std::uint32_t f = group.first; f < group.last; ++f) {
            probabilities[node.storage[f]] += node.plain[f] * ratios[last - node.place[f]];
        }
    }
}

}  // namespace arcwise
