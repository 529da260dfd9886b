// Backtracking with the distributions of last nodes kept.
#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "arcwise/exact/order_modular.hpp"
#include "arcwise/exact/parent_draws.hpp"

namespace arcwise {
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

}  // namespace arcwise
