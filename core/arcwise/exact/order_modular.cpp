// The exact posterior, draws and the rest of what is asked under the order-modular prior, from the
// forward and backward recursions, each of which runs when it is first needed.
#include "arcwise/exact/order_modular.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "arcwise/exact/subset_recursion.hpp"
#include "arcwise/exact/subsets.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

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

namespace {

constexpr int most_tabulated = 22;
constexpr std::size_t draws_per_task = 1024;
constexpr std::size_t most_steps_kept = std::size_t{1} << 20;

// Which node of a set comes last: running shares of the set's nodes in rising order.
class LastNodes {
  public:
    LastNodes(const std::vector<double>& forward, const std::vector<double>& offset,
              const SetSums& sums)
        : forward_(forward), offset_(offset), sums_(sums) {}

    int draw(std::uint32_t set, Random& random) {
        auto found = kept_.find(set);
        if (found == kept_.end()) {
            if (kept_.size() > most_steps_kept) kept_.clear();
            found = kept_.emplace(set, running_shares(set)).first;
        }
        std::uint32_t left = set;
        for (std::size_t i = draw_by_running(found->second, random); i > 0; --i) left &= left - 1;
        return std::countr_zero(left);
    }

  private:
    std::vector<double> running_shares(std::uint32_t set) const {
        std::vector<double> running;
        double total = 0.0;
        for (std::uint32_t left = set; left != 0; left &= left - 1) {
            const int v = std::countr_zero(left);
            const std::uint32_t before = set ^ (std::uint32_t{1} << v);
            const double log_share = sums_.log_sum(v, before) -
                                     offset_[static_cast<std::size_t>(v)] + forward_[before] -
                                     forward_[set];
            total += std::exp(log_share);
            running.push_back(total);
        }
        return running;
    }

    const std::vector<double>& forward_;
    const std::vector<double>& offset_;
    const SetSums& sums_;
    std::unordered_map<std::uint32_t, std::vector<double>> kept_;
};

// What one thread has met.
struct Caches {
    Caches(const std::vector<double>& forward, const std::vector<double>& offset,
           const SetSums& sums)
        : last_nodes(forward, offset, sums), parent_sampler(sums) {}

    LastNodes last_nodes;
    ParentSampler parent_sampler;
};

}  // namespace

OrderSampler::OrderSampler(const FamilyTable& weights, const BlockSums& blocks,
                           const std::vector<double>& forward, const RunOptions& options)
    : forward_(forward),
      sums_(weights, static_cast<int>(weights.size()) <= most_tabulated, options) {
    for (int v = 0; v < blocks.nodes(); ++v) offset_.push_back(blocks[v].offset());
}

void OrderSampler::sample(const RandomOf& random_of, std::size_t count,
                          std::span<std::uint8_t> orders, std::span<std::uint32_t> parents,
                          const RunOptions& options) const {
    const auto n = static_cast<std::size_t>(nodes());
    const std::size_t tasks = (count + draws_per_task - 1) / draws_per_task;
    // Not variables of the threads themselves: the calling one outlives this sampler, and the next
    // sampler may stand in its place.
    std::mutex mutex;
    std::unordered_map<std::thread::id, Caches> caches;
    const auto of_this_thread = [&]() -> Caches& {
        const std::lock_guard lock(mutex);
        return caches.try_emplace(std::this_thread::get_id(), forward_, offset_, sums_)
            .first->second;
    };
    run_tasks(tasks, count, options, [&](std::size_t task, TaskContext& context) {
        Caches& own = of_this_thread();
        const std::size_t end = std::min(count, (task + 1) * draws_per_task);
        for (std::size_t i = task * draws_per_task; i < end; ++i) {
            Random random = random_of(i);
            auto set = static_cast<std::uint32_t>(forward_.size() - 1);
            for (std::size_t position = n; position-- > 0;) {
                const int v = own.last_nodes.draw(set, random);
                set ^= std::uint32_t{1} << v;
                orders[i * n + position] = static_cast<std::uint8_t>(v);
                parents[i * n + static_cast<std::size_t>(v)] =
                    own.parent_sampler.draw(v, set, random);
            }
        }
        context.advance(end - task * draws_per_task);
    });
}

namespace {

[[noreturn]] void refuse_paths() {
    throw Error(ErrorKind::capacity,
                "Path probabilities under the order-modular target take at most 20 variables; "
                "use the modular target or a sampler.");
}

double heaviest(const NodeFamilies& families) {
    return *std::max_element(families.values().begin(), families.values().end());
}

class OrderModularComputation final : public ExactComputation {
  public:
    explicit OrderModularComputation(const FamilyTable& weights) : weights_(weights) {}

    int nodes() const override { return static_cast<int>(weights_.size()); }

    double log_weight(const RunOptions& options) override {
        fill_forward(options);
        return forward_.back() + sums(options).total_offset();
    }

    ExactPosterior posterior(const RunOptions& options) override {
        ExactPosterior result;
        Phases phases(options, 3);
        phases.run(2, [&](const RunOptions& part) { fill_both(part); });
        phases.run(1, [&](const RunOptions& part) {
            result = order_modular_posterior(weights_, sums(part), forward_, backward_, part);
        });
        return result;
    }

    PathProbabilities paths(const RunOptions& options) override {
        if (nodes() > most_nodes_of_order_modular_paths) refuse_paths();
        PathProbabilities result;
        Phases phases(options, 100);
        phases.run(2, [&](const RunOptions& part) { fill_both(part); });
        phases.run(98, [&](const RunOptions& part) {
            result = order_modular_paths(weights_, forward_, backward_, part);
        });
        return result;
    }

    // A node that comes first in every order, as the others take no notice of it, is a parent-only
    // one: the weights of sets of the others are those there are.
    PathProbabilities paths_from(const FamilyTable& with_source, int source,
                                 const RunOptions& options) override {
        if (nodes() > most_nodes_of_order_modular_paths) refuse_paths();
        PathProbabilities result;
        Phases phases(options, 100);
        phases.run(2, [&](const RunOptions& part) { fill_both(part); });
        // Weights are relative to the heaviest family of each node, in either table.
        std::vector<double> offsets;
        for (std::size_t v = 0; v < weights_.size(); ++v) {
            const std::size_t with = v + (v >= static_cast<std::size_t>(source) ? 1 : 0);
            offsets.push_back(heaviest(weights_[v]) - heaviest(with_source[with]));
        }
        std::vector<double> forward(2 * forward_.size(), minus_infinity);
        std::vector<double> backward(2 * forward_.size(), minus_infinity);
        std::vector<double> offset(forward_.size(), 0.0);
        for (std::uint32_t set = 1; set < forward_.size(); ++set) {
            offset[set] =
                offset[set & (set - 1)] + offsets[static_cast<std::size_t>(std::countr_zero(set))];
        }
        for (std::uint32_t set = 0; set < forward_.size(); ++set) {
            const std::uint32_t with = insert_bit(set, source) | std::uint32_t{1} << source;
            forward[with] = forward_[set] + offset[set];
            backward[with] = backward_[set] + offset.back() - offset[set];
        }
        forward.front() = 0.0;
        backward.front() = backward_.front() + offset.back();
        phases.run(98, [&](const RunOptions& part) {
            result = order_modular_paths_from(with_source, forward, backward, source, part);
        });
        return result;
    }

    BestDag best_dag(const RunOptions& options) override {
        if (!best_) best_ = best_dags(weights_, options).on_all;
        return *best_;
    }

    void prepare_draws(const RunOptions& options) override {
        Phases phases(options, 10);
        phases.run(9, [&](const RunOptions& part) { fill_forward(part); });
        phases.run(1, [&](const RunOptions& part) {
            if (!sampler_) sampler_.emplace(weights_, sums(part), forward_, part);
        });
    }

    void draw(const RandomOf& random_of, std::size_t count, std::span<std::uint8_t> orders,
              std::span<std::uint32_t> parents, const RunOptions& options) override {
        Phases phases(options, 100);
        const std::uint64_t to_prepare = sampler_ ? 0 : 90;
        phases.run(to_prepare, [&](const RunOptions& part) { prepare_draws(part); });
        phases.run(100 - to_prepare, [&](const RunOptions& part) {
            sampler_->sample(random_of, count, orders, parents, part);
        });
    }

  private:
    const BlockSums& sums(const RunOptions& options) {
        if (!sums_) sums_.emplace(weights_, options.unwatched());
        return *sums_;
    }

    void fill_forward(const RunOptions& options) {
        if (!forward_.empty()) return;
        std::vector<double> forward = forward_recursion(sums(options), Semiring::sum, options);
        if (std::isinf(forward.back())) refuse_impossible();
        forward_ = std::move(forward);
    }

    void fill_both(const RunOptions& options) {
        Phases phases(options, 2);
        phases.run(1, [&](const RunOptions& part) { fill_forward(part); });
        phases.run(1, [&](const RunOptions& part) {
            if (backward_.empty()) backward_ = backward_recursion(sums(part), Semiring::sum, part);
        });
    }

    const FamilyTable& weights_;
    std::optional<BlockSums> sums_;
    std::vector<double> forward_;
    std::vector<double> backward_;
    std::optional<BestDag> best_;
    std::optional<OrderSampler> sampler_;
};

}  // namespace

std::unique_ptr<ExactComputation> order_modular_computation(const FamilyTable& weights) {
    return std::make_unique<OrderModularComputation>(weights);
}

std::uint64_t order_modular_bytes(int nodes, std::uint64_t families, int threads) {
    // Both recursions and the probabilities of the families.
    return BlockSums::bytes(nodes, families, threads) +
           (std::uint64_t{2} << nodes) * sizeof(double) + families * sizeof(double);
}

}  // namespace arcwise
