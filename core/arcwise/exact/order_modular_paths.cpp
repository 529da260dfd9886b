// Paths under the order-modular target: all states (O, A) of one u after the other, set by set.
//
// A set S holds an array over the subsets A - u of S - u (their bits squeezed together, O the rest
// of S) of g(O, A) / F(S): the probability that A are the descendants of u within S, given that the
// nodes of S come first. So all numbers are probabilities, whatever the range of the weights, and
// what underflows could not show. With R = S - j the step to S by placing j is
//   into O:  g(O, A) alpha_j(O) F(R) / F(S),   into A:  g(O, A) (alpha_j(R) - alpha_j(O)) F(R) /
//   F(S).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/exact/order_modular.hpp"
#include "arcwise/exact/subsets.hpp"
#include "arcwise/numerics/lanes.hpp"
#include "arcwise/numerics/log_space.hpp"

namespace arcwise {
namespace {

constexpr std::uint32_t left_out = std::numeric_limits<std::uint32_t>::max();

// Sets through which orders lead with less than this probability, all of them together, are left
// out.
constexpr double negligible = 1e-20;

// Steps of one task, about.
constexpr std::size_t steps_per_task = std::size_t{1} << 16;

// Splits from[i] into to[i without the node] and to[i with it]; `run` is 1 << (place of the node).
ARCWISE_VECTOR_VERSIONS
void place_node(double* __restrict to, const double* __restrict from,
                const double* __restrict into_others, double into_either, std::size_t run,
                std::size_t size) {
    const auto split = [=](std::size_t i, double* without, double* with) {
        *without += from[i] * into_others[i];
        // Rounding must not make the difference negative.
        *with += from[i] * std::max(0.0, into_either - into_others[i]);
    };
    if (run < 4) {
        for (std::size_t i = 0; i < size; ++i) {
            double* without = to + 2 * i - (i & (run - 1));
            split(i, without, without + run);
        }
        return;
    }
    for (std::size_t first = 0; first < size; first += run) {
        for (std::size_t i = first; i < first + run; ++i) {
            split(i, to + first + i, to + first + run + i);
        }
    }
}

// Numbers of one level; kept from level to level, as fresh pages cost more than the sums.
class Buffer {
  public:
    double* at_least(std::size_t size) {
        if (size_ < size) {
            values_.reset();
            values_ = std::make_unique_for_overwrite<double[]>(size);
            size_ = size;
        }
        return values_.get();
    }

  private:
    std::unique_ptr<double[]> values_;
    std::size_t size_ = 0;
};

class OrderModularPaths {
  public:
    OrderModularPaths(const FamilyTable& weights, const std::vector<double>& forward,
                      const std::vector<double>& backward)
        : weights_(weights),
          forward_(forward),
          backward_(backward),
          everything_((std::uint32_t{1} << weights.size()) - 1),
          log_sums_(weights.size()) {}

    PathProbabilities run(const RunOptions& options) {
        const int n = nodes();
        Phases phases(options, static_cast<std::uint64_t>(n) + 1);
        PathProbabilities result;
        phases.run(1, [&](const RunOptions& part) { prepare(part, result); });
        for (int u = 0; u < n; ++u) {
            phases.run(1, [&](const RunOptions& part) { fill_row(u, part, result); });
        }
        return result;
    }

    // The row of one source.
    PathProbabilities run(int source, const RunOptions& options) {
        Phases phases(options, 2);
        PathProbabilities result;
        phases.run(1, [&](const RunOptions& part) { prepare(part, result); });
        phases.run(1, [&](const RunOptions& part) { fill_row(source, part, result); });
        const auto row = result.matrix.begin() + std::ptrdiff_t{nodes()} * source;
        return {std::vector<double>(row, row + nodes()), result.error};
    }

  private:
    int nodes() const { return static_cast<int>(weights_.size()); }

    // The score sums, and which sets matter.
    void prepare(const RunOptions& options, PathProbabilities& result) {
        const std::size_t n = weights_.size();
        run_tasks(n, n, options, [&](std::size_t v, TaskContext& context) {
            const NodeBlockSums sums(weights_[v], static_cast<int>(v), nodes());
            log_sums_[v].resize(sums.block_size());
            sums.log_sums(0, log_sums_[v].data());
            context.advance(1);
        });
        place_.assign(forward_.size(), left_out);
        const double total = forward_.back();
        const double least = total + std::log(negligible / static_cast<double>(forward_.size()));
        for (std::uint32_t set = 1; set <= everything_; ++set) {
            if (forward_[set] + backward_[set] >= least) kept_.push_back(set);
        }
        result.matrix.assign(n * n, 0.0);
        result.error = std::abs(std::expm1(total - backward_.front()));
    }

    double log_sum(int v, std::uint32_t set) const {
        return log_sums_[static_cast<std::size_t>(v)][place_without(v, set)];
    }

    static std::uint64_t steps(std::size_t size) {
        return 1 + (size - 1) * ((std::uint64_t{1} << size) / 4);
    }

    // Row u of the matrix. Sets with as many nodes do not depend on each other.
    void fill_row(int u, const RunOptions& options, PathProbabilities& result) {
        const auto n = weights_.size();
        std::vector<std::vector<std::uint32_t>> levels(n + 1);
        std::uint64_t work = 0;
        for (const std::uint32_t set : kept_) {
            if ((set >> u & 1) == 0) continue;
            const auto size = static_cast<std::size_t>(std::popcount(set));
            place_[set] = static_cast<std::uint32_t>(levels[size].size());
            levels[size].push_back(set);
            work += steps(size);
        }
        Phases phases(options, work);
        const ForgetWork at_the_end;
        const double* smaller = nullptr;
        double* current = nullptr;
        for (std::size_t size = 1; size <= n; ++size) {
            const std::vector<std::uint32_t>& level = levels[size];
            const std::size_t states = std::size_t{1} << (size - 1);
            smaller = current;
            current = buffers_[size % 2].at_least(level.size() * states);
            const std::size_t per_task = std::max<std::size_t>(1, steps_per_task / steps(size));
            const std::size_t tasks = (level.size() + per_task - 1) / per_task;
            phases.run(level.size() * steps(size), [&](const RunOptions& part) {
                run_tasks(tasks, level.size(), part, [&](std::size_t task, TaskContext& context) {
                    const std::size_t last = std::min(level.size(), (task + 1) * per_task);
                    for (std::size_t i = task * per_task; i < last; ++i) {
                        fill_set(u, level[i], smaller, current + i * states);
                        context.advance(1);
                    }
                });
            });
        }
        double* row = result.matrix.data() + static_cast<std::size_t>(u) * n;
        const double all = fold_places(
            current, static_cast<int>(n) - 1, [&](int place, double* with_v, std::size_t states) {
                row[place + (place >= u)] = std::min(1.0, spend_sum(with_v, states));
            });
        row[u] = 1.0;
        result.error = std::max(result.error, std::abs(all - 1.0));
    }

    // The memory of a thread. The calling thread outlives a row, and forgets it at its end.
    struct Work {
        std::vector<double> logs, into_others;
    };
    static Work& work_of_thread() {
        thread_local Work work;
        return work;
    }
    struct ForgetWork {
        ~ForgetWork() { work_of_thread() = {}; }
    };

    // g(O, A) / F(set) for all A with u, from the sets with one node less.
    void fill_set(int u, std::uint32_t set, const double* smaller, double* to) const {
        const std::uint32_t others = set ^ (std::uint32_t{1} << u);
        const std::size_t states = std::size_t{1} << std::popcount(others);
        auto& [logs, into_others] = work_of_thread();
        if (logs.size() < states) {
            logs.resize(states);
            into_others.resize(states);
        }
        std::fill_n(to, states, 0.0);
        to[0] = std::exp(log_sum(u, others) + forward_[others] - forward_[set]);
        for (std::uint32_t left = others; left != 0; left &= left - 1) {
            const std::uint32_t bit = left & (~left + 1);
            const int j = std::countr_zero(left);
            const std::uint32_t before = set ^ bit;
            if (place_[before] == left_out) continue;
            const double scale = forward_[set] - forward_[before];
            const double into_either = std::exp(log_sum(j, before) - scale);
            if (into_either == 0.0) continue;
            // In the order of A, the sets O = before - A fall.
            const double* table = log_sums_[static_cast<std::size_t>(j)].data();
            const std::size_t mask = place_without(j, before & others);
            std::size_t nondescendants = mask;
            for (std::size_t i = 0; i < states / 2; ++i) {
                logs[i] = table[nondescendants];
                nondescendants = (nondescendants - 1) & mask;
            }
            scaled_exp(into_others.data(), logs.data(), scale, states / 2);
            place_node(to, smaller + place_[before] * (states / 2), into_others.data(), into_either,
                       std::size_t{1} << std::popcount(others & (bit - 1)), states / 2);
        }
    }

    const FamilyTable& weights_;
    const std::vector<double>& forward_;
    const std::vector<double>& backward_;
    std::uint32_t everything_;
    std::vector<std::vector<double>> log_sums_;
    std::vector<std::uint32_t> kept_;   // sets that matter, rising
    std::vector<std::uint32_t> place_;  // of such a set with u among those of its size
    Buffer buffers_[2];                 // of even and odd sizes
};

}  // namespace

PathProbabilities order_modular_paths(const FamilyTable& weights,
                                      const std::vector<double>& forward,
                                      const std::vector<double>& backward,
                                      const RunOptions& options) {
    return OrderModularPaths(weights, forward, backward).run(options);
}

PathProbabilities order_modular_paths_from(const FamilyTable& weights,
                                           const std::vector<double>& forward,
                                           const std::vector<double>& backward, int source,
                                           const RunOptions& options) {
    return OrderModularPaths(weights, forward, backward).run(source, options);
}

std::uint64_t order_modular_path_bytes(int nodes, int threads) {
    const std::uint64_t sets = std::uint64_t{1} << nodes;
    // Sets of k other nodes, C(n - 1, k) of them, have 2^k states.
    std::uint64_t largest[2] = {0, 0};
    std::uint64_t states = 1;
    for (int k = 0; k < nodes; ++k) {
        largest[k % 2] = std::max(largest[k % 2], states);
        states = states * 2 * static_cast<std::uint64_t>(nodes - 1 - k) /
                 static_cast<std::uint64_t>(k + 1);
    }
    return sizeof(double) * (largest[0] + largest[1] + static_cast<std::uint64_t>(threads) * sets +
                             sets / 2 * static_cast<std::uint64_t>(nodes) + 4 * sets);
}

}  // namespace arcwise
