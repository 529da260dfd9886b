// Both recursions block by block, blocks of the same number of high variables in parallel; and the
// way back through the table of best DAGs on subsets.
#include "arcwise/exact/subset_recursion.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "arcwise/numerics/log_space.hpp"

namespace arcwise {
namespace {

class Recursion {
  public:
    Recursion(const BlockSums& sums, Semiring semiring)
        : sums_(sums),
          maximum_(semiring == Semiring::maximum),
          size_(std::size_t{1} << sums.low()),
          values_(size_ << sums.high(), minus_infinity) {}

    std::vector<double> forward(const RunOptions& options) {
        values_.front() = 0.0;
        by_level(options, false, [&](std::uint32_t high_set) {
            double* block = values_.data() + high_set * size_;
            for (int v = sums_.low(); v < sums_.nodes(); ++v) {
                const std::uint32_t bit = std::uint32_t{1} << (v - sums_.low());
                if ((high_set & bit) == 0) continue;
                const std::uint32_t before = high_set ^ bit;
                fill(v, before);
                add_products(block, table(v), values_.data() + before * size_, size_);
            }
            for (int v = 0; v < sums_.low(); ++v) fill(v, high_set);
            solve_forward(block, 0, sums_.low());
        });
        return std::move(values_);
    }

    std::vector<double> backward(const RunOptions& options) {
        values_.back() = 0.0;
        by_level(options, true, [&](std::uint32_t high_set) {
            double* block = values_.data() + high_set * size_;
            for (int v = sums_.low(); v < sums_.nodes(); ++v) {
                const std::uint32_t bit = std::uint32_t{1} << (v - sums_.low());
                if ((high_set & bit) != 0) continue;
                fill(v, high_set);
                add_products(block, table(v), values_.data() + (high_set | bit) * size_, size_);
            }
            for (int v = 0; v < sums_.low(); ++v) fill(v, high_set);
            solve_backward(block, 0, sums_.low());
        });
        return std::move(values_);
    }

  private:
    // Calls solve(high_set) for every block; blocks with the same number of high variables do not
    // depend on each other.
    template <class Solve>
    void by_level(const RunOptions& options, bool falling, Solve solve) {
        std::vector<std::vector<std::uint32_t>> levels(static_cast<std::size_t>(sums_.high()) + 1);
        for (std::uint32_t high_set = 0; high_set < sums_.blocks(); ++high_set) {
            levels[static_cast<std::size_t>(std::popcount(high_set))].push_back(high_set);
        }
        Phases phases(options, sums_.blocks());
        const ForgetTables at_the_end;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const auto& level = levels[falling ? levels.size() - 1 - i : i];
            phases.run(level.size(), [&](const RunOptions& part) {
                run_tasks(level.size(), level.size(), part,
                          [&](std::size_t task, TaskContext& context) {
                              solve(level[task]);
                              context.advance(1);
                          });
            });
        }
    }

    // The tables of a thread, by node. The calling thread outlives the recursion, and forgets them
    // at its end.
    static std::vector<std::vector<double>>& tables_of_thread() {
        thread_local std::vector<std::vector<double>> tables;
        return tables;
    }
    struct ForgetTables {
        ~ForgetTables() { tables_of_thread() = {}; }
    };

    // The table of one node for the block at hand.
    double* table(int v) const {
        std::vector<std::vector<double>>& tables = tables_of_thread();
        if (tables.size() < static_cast<std::size_t>(sums_.nodes())) {
            tables.resize(static_cast<std::size_t>(sums_.nodes()));
        }
        std::vector<double>& own = tables[static_cast<std::size_t>(v)];
        if (own.size() < sums_[v].block_size()) own.resize(sums_[v].block_size());
        return own.data();
    }

    void fill(int v, std::uint32_t high_set) const {
        if (maximum_) {
            sums_[v].maxima(high_set, table(v));
        } else {
            sums_[v].log_sums(high_set, table(v));
        }
    }

    void add_products(double* to, const double* a, const double* b, std::size_t count) const {
        if (maximum_) {
            max_products(to, a, b, count);
        } else {
            log_add_products(to, a, b, count);
        }
    }

    // Entries [first, first + 2^elements) have all that variables from `elements` on give them;
    // adds what the lower variables give. The half without a variable must be final before the half
    // with.
    void solve_forward(double* block, std::size_t first, int elements) const {
        if (elements == 0) return;
        if (elements == 3 && !maximum_) {
            const std::size_t half = first / 2;
            solve_eight_forward(block + first, table(0) + half, table(1) + half, table(2) + half);
            return;
        }
        const int v = elements - 1;
        const std::size_t half = std::size_t{1} << v;
        solve_forward(block, first, v);
        const std::size_t place = sums_[v].index(static_cast<std::uint32_t>(first));
        add_products(block + first + half, table(v) + place, block + first, half);
        solve_forward(block, first + half, v);
    }

    void solve_backward(double* block, std::size_t first, int elements) const {
        if (elements == 0) return;
        if (elements == 3 && !maximum_) {
            const std::size_t half = first / 2;
            solve_eight_backward(block + first, table(0) + half, table(1) + half, table(2) + half);
            return;
        }
        const int v = elements - 1;
        const std::size_t half = std::size_t{1} << v;
        solve_backward(block, first + half, v);
        const std::size_t place = sums_[v].index(static_cast<std::uint32_t>(first));
        add_products(block + first, table(v) + place, block + first + half, half);
        solve_backward(block, first, v);
    }

    const BlockSums& sums_;
    bool maximum_;
    std::size_t size_;
    std::vector<double> values_;
};

}  // namespace

std::vector<double> forward_recursion(const BlockSums& sums, Semiring semiring,
                                      const RunOptions& options) {
    return Recursion(sums, semiring).forward(options);
}

std::vector<double> backward_recursion(const BlockSums& sums, Semiring semiring,
                                       const RunOptions& options) {
    return Recursion(sums, semiring).backward(options);
}

BestDags best_dags(const FamilyTable& weights, const RunOptions& options) {
    const BlockSums sums(weights, options.unwatched());
    BestDags found{{}, forward_recursion(sums, Semiring::maximum, options)};
    const std::vector<double>& best = found.log_weights;
    if (std::isinf(best.back())) refuse_impossible();
    BestDag& result = found.on_all;
    result.parents.resize(weights.size());
    auto left = static_cast<std::uint32_t>(best.size() - 1);
    while (left != 0) {
        int last = -1;
        NodeBlockSums::Best chosen{0.0, -1};
        double largest = -std::numeric_limits<double>::infinity();
        for (int v = 0; v < sums.nodes(); ++v) {
            const std::uint32_t bit = std::uint32_t{1} << v;
            if ((left & bit) == 0) continue;
            const NodeBlockSums::Best candidate = sums[v].best_family(left ^ bit);
            if (candidate.family >= 0 && candidate.weight + best[left ^ bit] > largest) {
                largest = candidate.weight + best[left ^ bit];
                last = v;
                chosen = candidate;
            }
        }
        const auto v = static_cast<std::size_t>(last);
        const NodeFamilies& families = weights[v];
        result.log_weight += families.values()[static_cast<std::size_t>(chosen.family)];
        for (const int parent : families.parents_of(static_cast<std::uint64_t>(chosen.family))) {
            result.parents[v] |= std::uint32_t{1} << parent;
        }
        left ^= std::uint32_t{1} << last;
    }
    return found;
}

}  // namespace arcwise
