// Joins the two recursions into the probabilities of all families.
#include "arcwise/exact/order_modular.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/exact/subsets.hpp"
#include "arcwise/numerics/log_space.hpp"

namespace arcwise {
namespace {

// A node's families get nothing that would show from blocks whose sets U are this improbable, in
// nats, to come first in an order: together less than 10^-100.
constexpr double negligible = 300.0;

// For every block the largest log probability that one of its sets comes first in an order.
std::vector<double> largest_by_block(const BlockSums& sums, const std::vector<double>& forward,
                                     const std::vector<double>& backward) {
    const std::size_t block = std::size_t{1} << sums.low();
    std::vector<double> result(sums.blocks());
    for (std::size_t high_set = 0; high_set < result.size(); ++high_set) {
        result[high_set] = largest_product(forward.data() + high_set * block,
                                           backward.data() + high_set * block, block) -
                           forward.back();
    }
    return result;
}

// What the blocks of one node give to the probabilities of its families.
void add_blocks_of_node(const BlockSums& sums, int v, const std::vector<double>& forward,
                        const std::vector<double>& backward, const std::vector<double>& largest,
                        double* probabilities, TaskContext& context) {
    const std::size_t block = std::size_t{1} << sums.low();
    const std::size_t size = sums[v].block_size();
    const double total = forward.back();
    std::vector<double> log_sum(size);
    std::vector<double> log_share(size);
    std::vector<double> share(size);
    for (std::uint32_t high_set = 0; high_set < sums.blocks(); ++high_set) {
        context.advance(1);
        const bool is_high = v >= sums.low();
        const std::uint32_t bit = is_high ? std::uint32_t{1} << (v - sums.low()) : 0;
        if ((high_set & bit) != 0) continue;
        // F(U) alpha_v(U) B(U + v) is at most F(U) B(U), and at most F(U + v) B(U + v).
        if (std::min(largest[high_set], largest[high_set | bit]) < -negligible) continue;
        const double* before = forward.data() + high_set * block;
        const double* after = backward.data() + high_set * block;
        const std::size_t step = std::size_t{1} << v;  // from U to U + v
        // Sets of one run agree in all variables above v, so their entries are next to each other.
        const std::size_t run = is_high ? block : step;
        if (sums[v].is_plain()) {
            // F(U) B(U + v) is the share less alpha_v(U); sums over supersets are sums over subsets
            // of the complements.
            for (std::size_t first = 0; first < size; first += run) {
                const std::size_t set = sums[v].set_at(first);
                double* const reversed = log_share.data() + size - 1 - first;
                for (std::size_t i = 0; i < run; ++i) {
                    *(reversed - i) = before[set + i] + after[set + i + step];
                }
            }
            scaled_exp(share.data(), log_share.data(), total - sums[v].plain_scale(), size);
            sums[v].add_plain_shares(high_set, share.data(), probabilities);
            continue;
        }
        sums[v].log_sums(high_set, log_sum.data());
        for (std::size_t first = 0; first < size; first += run) {
            const std::size_t set = sums[v].set_at(first);
            for (std::size_t i = 0; i < run; ++i) {
                log_share[first + i] = before[set + i] + log_sum[first + i] + after[set + i + step];
            }
        }
        scaled_exp(share.data(), log_share.data(), total, size);
        sums[v].add_family_shares(high_set, share.data(), log_sum.data(), probabilities);
    }
}

}  // namespace

ExactPosterior order_modular_posterior(const FamilyTable& weights, const BlockSums& sums,
                                       const std::vector<double>& forward,
                                       const std::vector<double>& backward,
                                       const RunOptions& options) {
    ExactPosterior result;
    result.log_weight = forward.back() + sums.total_offset();
    result.probabilities = weights;
    const auto nodes = static_cast<std::size_t>(sums.nodes());
    std::vector<double> errors(nodes);
    const std::vector<double> largest = largest_by_block(sums, forward, backward);
    run_tasks(nodes, nodes * sums.blocks(), options, [&](std::size_t v, TaskContext& context) {
        std::vector<double>& values = result.probabilities[v].values();
        std::fill(values.begin(), values.end(), 0.0);
        add_blocks_of_node(sums, static_cast<int>(v), forward, backward, largest, values.data(),
                           context);
        double total = 0.0;
        for (const double value : values) total += value;
        errors[v] = std::abs(total - 1.0);
        for (double& value : values) value = std::min(value, 1.0);
    });
    // The probabilities of a node's families add up to 1 but for rounding; so do F(V) and B(empty)
    // agree.
    result.error = std::max(*std::max_element(errors.begin(), errors.end()),
                            std::abs(std::expm1(forward.back() - backward.front()))) +
                   rounding_of_logs(sums.nodes(), forward.back());
    result.fill_edges(options.unwatched());
    return result;
}

}  // namespace arcwise
