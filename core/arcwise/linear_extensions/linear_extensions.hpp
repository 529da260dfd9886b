// The number of topological sorts of a DAG, exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "arcwise/support/tasks.hpp"

namespace arcwise {

// A workspace of one thread, to count for millions of DAGs without allocating for each.
//
// Parents come packed: words_for(nodes) words for each node. Time and memory grow with the number
// of connected sets that are closed under children (or under parents, whichever are fewer), not
// with the number of nodes: sparse DAGs of hundreds of nodes may be cheap.
class LinearExtensions {
  public:
    // Remembering two million sets takes up to a quarter of a gibibyte, for whole numbers up to
    // three quarters, and a few seconds.
    static constexpr std::size_t default_budget = 2'000'000;

    // `budget` is how many sets may be remembered for one component of a DAG without its hanging
    // trees; sets count once for each 64 nodes of what is left, and once more for each eight nodes
    // in hanging trees that may come before them.
    explicit LinearExtensions(std::size_t budget = default_budget);
    ~LinearExtensions();
    LinearExtensions(LinearExtensions&&) noexcept;
    LinearExtensions& operator=(LinearExtensions&&) noexcept;

    // ln of the number of orders in which every node comes after its parents. Throws the `capacity`
    // error past the budget, and the `argument` error on a cycle. A long count asks the context, if
    // there is one, whether to go on.
    double log_count(const std::uint64_t* parents, int nodes, TaskContext* context = nullptr);

    // The number itself modulo each of some numbers below 2^62 without divisors up to `nodes`, such
    // as primes above it.
    void count_modulo(const std::uint64_t* parents, int nodes,
                      std::span<const std::uint64_t> primes, std::span<std::uint64_t> remainders,
                      TaskContext* context = nullptr);

  private:
    class Workspace;
    std::unique_ptr<Workspace> workspace_;
};

// ln of the number of linear extensions of each of many DAGs, log_counts.size() of them, one after
// the other in `parents`.
void log_linear_extensions(const std::uint64_t* parents, int nodes, std::size_t budget,
                           std::span<double> log_counts, const RunOptions& options);

// An unbiased estimate of the number of topological sorts of a DAG too large to count.
struct EstimateOptions {
    // The number of sets of each size that are kept.
    std::size_t sets;
    // Independent estimates, two or more: their mean is taken, and its error follows from their
    // spread.
    int runs;
    // A component whose count takes no more sets than this is counted exactly.
    std::size_t exact_sets;
    // So are components of at most this number of nodes that come free while estimating.
    int exact_nodes;
};

struct LinearExtensionEstimate {
    double log_count;       // ln of the mean, which estimates the number itself without bias
    double standard_error;  // of the mean, relative to it: about that of log_count
};

// Parents come packed: words_for(nodes) words for each node. The same seed gives the same estimate
// on any number of threads.
LinearExtensionEstimate estimate_linear_extensions(const std::uint64_t* parents, int nodes,
                                                   const EstimateOptions& settings,
                                                   std::uint64_t seed, const RunOptions& options);

// ln of settings.runs independent estimates for each of many DAGs, one DAG after the other.
void log_estimates_of_linear_extensions(const std::uint64_t* parents, int nodes,
                                        const EstimateOptions& settings, std::uint64_t seed,
                                        std::span<double> logs, const RunOptions& options);

}  // namespace arcwise
