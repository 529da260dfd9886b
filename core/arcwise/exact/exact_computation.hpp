// All that can be asked of the exact posterior of a model, by dynamic programs over all subsets
// of the nodes that run once, when they are first needed, and are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/exact/subset_recursion.hpp"
#include "arcwise/families/family_table.hpp"
#include "arcwise/support/random.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// Modular: a DAG counts with the product of the weights of its families. Order-modular: once more
// for each of its topological orders.
enum class ExactTarget { modular, order_modular };

struct ExactPosterior {
    double log_weight = 0.0;    // ln of the summed weights of all DAGs, prior not normalised
    FamilyTable probabilities;  // of every family
    std::vector<double> edges;  // [u * n + v], of the edge from u to v
    double error = 0.0;         // bound or estimate of the absolute error of a probability

    // Sums the probabilities of families to those of edges.
    void fill_edges(const RunOptions& options);
};

struct PathProbabilities {
    // [u * n + v], that a path leads from u to v; 1 where u = v. Of one source: one row.
    std::vector<double> matrix;
    // Bound or estimate of the absolute error; the probabilities of all sets of ancestors of a node
    // (of descendants, if order-modular) are known to add up to 1.
    double error = 0.0;
};

// The random numbers of each draw, by its number.
using RandomOf = std::function<Random(std::size_t)>;

class ExactComputation {
  public:
    virtual ~ExactComputation() = default;

    virtual int nodes() const = 0;

    // ln of the summed weights of all DAGs.
    virtual double log_weight(const RunOptions& options) = 0;

    // This is not kept: another call takes a part of the time again.
    virtual ExactPosterior posterior(const RunOptions& options) = 0;

    virtual PathProbabilities paths(const RunOptions& options) = 0;

    // The probability of a path from a parent-only node to each other one, and 1 for itself, with
    // their error. `with_source` has the weights of the same model, one parent-only node folded
    // into them less: `source`, which has the empty parent set alone.
    virtual PathProbabilities paths_from(const FamilyTable& with_source, int source,
                                         const RunOptions& options) = 0;

    virtual BestDag best_dag(const RunOptions& options) = 0;

    // All that draws need; they see to it themselves if it has not been called.
    virtual void prepare_draws(const RunOptions& options) = 0;

    // Makes `count` draws, draw i of random_of(i) and nothing else. `parents` has one row of
    // nodes() entries for each draw, the parents of each node as a set; so has `orders`, the order
    // from first to last, under the order-modular target, and is empty else.
    virtual void draw(const RandomOf& random_of, std::size_t count, std::span<std::uint8_t> orders,
                      std::span<std::uint32_t> parents, const RunOptions& options) = 0;
};

// The weights must outlive it. Throws `capacity` for too many variables; the computations throw
// `argument` if no DAG has a positive weight, and `numerical` if rounding may cost the modular
// target more than the tolerance.
std::unique_ptr<ExactComputation> exact_computation(const FamilyTable& weights, ExactTarget target,
                                                    double tolerance);

// The computation of each target, in a file of its own, and the bytes it holds at most; those of
// the order-modular one without paths.
std::unique_ptr<ExactComputation> modular_computation(const FamilyTable& weights, double tolerance);
std::unique_ptr<ExactComputation> order_modular_computation(const FamilyTable& weights);
std::uint64_t modular_bytes(int nodes, std::uint64_t families, int threads);
std::uint64_t order_modular_bytes(int nodes, std::uint64_t families, int threads);

// Bytes a computation holds at most, besides the weights, and the sums and products it makes,
// roughly. Paths are part of the modular one; for the order-modular one they are not counted.
struct ExactCost {
    std::uint64_t bytes;
    std::uint64_t operations;
};
ExactCost exact_cost(int nodes, std::uint64_t families, ExactTarget target, int threads);

// What paths hold at most.
std::uint64_t path_bytes(int nodes, std::uint64_t families, ExactTarget target, int threads);

}  // namespace arcwise
