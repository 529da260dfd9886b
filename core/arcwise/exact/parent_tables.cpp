// Fills the tables node by node, and draws by running sums over subsets.
#include "arcwise/exact/parent_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "arcwise/exact/subset_index.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// Whether every set of other nodes is a family: then storage is by the bits of the set.
bool has_all_families(const NodeFamilies& families, std::size_t nodes) {
    return !families.listed() && families.outside() == 0 && families.required().empty() &&
           families.candidates().size() + 1 == nodes &&
           families.max_free() + 1 >= static_cast<int>(nodes);
}

// An index in proportion to its weight, or -1 if all weights are zero.
std::ptrdiff_t choose(std::span<const double> weights, Random& random) {
    double total = 0.0;
    for (const double weight : weights) total += weight;
    if (!(total > 0.0)) return -1;
    double left = random.uniform() * total;
    std::ptrdiff_t last = -1;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] == 0.0) continue;
        last = static_cast<std::ptrdiff_t>(i);
        left -= weights[i];
        if (left < 0.0) break;
    }
    return last;
}

struct Buffers {
    std::vector<std::uint32_t> sets;
    std::vector<double> logs;
    std::vector<double> logs_without;
    std::vector<double> weights;
    std::vector<double> weights_without;

    void clear() {
        sets.clear();
        logs.clear();
        logs_without.clear();
    }
};

}  // namespace

ParentTables::ParentTables(const FamilyTable& weights, const RunOptions& options)
    : low_bits_(static_cast<int>(weights.size()) / 2), nodes_(weights.size()) {
    const std::size_t n = weights.size();
    const std::size_t size = std::size_t{1} << (n - 1);
    run_tasks(n, n, options, [&](std::size_t v, TaskContext& context) {
        const NodeFamilies& families = weights[v];
        Node& node = nodes_[v];
        if (has_all_families(families, n)) {
            node.log_weights = families.values().data();
        } else {
            node.filled.assign(size, minus_infinity);
            std::uint32_t required = 0;
            for (const int parent : families.required()) required |= std::uint32_t{1} << parent;
            families.for_each([&](std::uint64_t index, std::span<const int> members) {
                std::uint32_t set = required;
                for (const int member : members) {
                    set |= std::uint32_t{1}
                           << families.candidates()[static_cast<std::size_t>(member)];
                }
                node.filled[place_without(static_cast<int>(v), set)] =
                    families.values()[index];
            });
            node.log_weights = node.filled.data();
        }
        node.log_sums.assign(node.log_weights, node.log_weights + size);
        const std::size_t block = std::size_t{1} << low_bits_;
        for (std::size_t first = 0; first < size; first += block) {
            log_sum_over_subsets_by_level(node.log_sums.data() + first, low_bits_);
        }
        context.advance(1);
    });
}

std::uint64_t ParentTables::bytes(int nodes) {
    return (std::uint64_t{1} << nodes) / 2 * static_cast<std::uint64_t>(nodes) * sizeof(double) * 2;
}

std::uint32_t ParentTables::draw(int node, std::uint32_t allowed, std::uint32_t wanted,
                                 Random& random) const {
    constexpr int most_tries = 100;
    thread_local Buffers buffers;
    const Node& own = nodes_[static_cast<std::size_t>(node)];
    const auto inside = static_cast<std::uint32_t>(place_without(node, allowed));
    const auto meet = static_cast<std::uint32_t>(place_without(node, wanted));
    const std::uint32_t low_mask = (std::uint32_t{1} << low_bits_) - 1;
    const std::uint32_t low = inside & low_mask;
    const std::uint32_t high = inside & ~low_mask;
    for (int tries = 0; tries < most_tries; ++tries) {
        // The high parents. Sets that do not meet `wanted` count with what their low parents add.
        buffers.clear();
        double largest = minus_infinity;
        std::uint32_t set = 0;
        do {
            const double sum = own.log_sums[set | low];
            const bool met = wanted == 0 || (set & meet) != 0;
            buffers.sets.push_back(set);
            buffers.logs.push_back(sum);
            buffers.logs_without.push_back(met ? minus_infinity
                                               : own.log_sums[set | (low & ~meet)]);
            largest = std::max(largest, sum);
            set = next_subset(set, high);
        } while (set != 0);
        if (largest == minus_infinity) break;
        const std::size_t sets = buffers.sets.size();
        buffers.weights.resize(sets);
        buffers.weights_without.resize(sets);
        scaled_exp(buffers.weights.data(), buffers.logs.data(), largest, sets);
        scaled_exp(buffers.weights_without.data(), buffers.logs_without.data(), largest, sets);
        for (std::size_t i = 0; i < sets; ++i) {
            buffers.weights[i] = std::max(0.0, buffers.weights[i] - buffers.weights_without[i]);
        }
        const std::ptrdiff_t chosen = choose(buffers.weights, random);
        if (chosen < 0) break;
        const std::uint32_t parents = buffers.sets[static_cast<std::size_t>(chosen)];

        // The low ones.
        buffers.clear();
        largest = minus_infinity;
        set = 0;
        do {
            if (wanted == 0 || ((parents | set) & meet) != 0) {
                buffers.sets.push_back(set);
                buffers.logs.push_back(own.log_weights[parents | set]);
                largest = std::max(largest, buffers.logs.back());
            }
            set = next_subset(set, low);
        } while (set != 0);
        // Rounding may leave a weight to high parents that no low ones go with.
        if (largest == minus_infinity) continue;
        buffers.weights.resize(buffers.sets.size());
        scaled_exp(buffers.weights.data(), buffers.logs.data(), largest, buffers.sets.size());
        const auto place = static_cast<std::size_t>(choose(buffers.weights, random));
        return set_without(node, parents | buffers.sets[place]);
    }
    throw Error(ErrorKind::numerical,
                "Rounding led the sampler to a set without any parent set; lower the tolerance.");
}

}  // namespace arcwise
