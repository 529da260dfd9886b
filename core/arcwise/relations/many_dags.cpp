// Goes through many DAGs piece by piece; each thread has a workspace of its own.
#include "arcwise/relations/many_dags.hpp"

#include <algorithm>
#include <bit>

#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

constexpr std::size_t piece = 1024;

// Calls visit(first, last, context) for pieces of the DAGs.
template <class Visit>
void over_pieces(std::size_t count, const RunOptions& options, Visit visit) {
    run_tasks((count + piece - 1) / piece, count, options,
              [&](std::size_t index, TaskContext& context) {
                  const std::size_t first = index * piece;
                  const std::size_t last = std::min(count, first + piece);
                  visit(first, last);
                  context.advance(last - first);
              });
}

}  // namespace

void relation_sums(const ManyDags& dags, RelationAsked asked, std::span<const double> weights,
                   std::span<const std::uint64_t> offsets, std::span<double> sums,
                   const RunOptions& options) {
    const auto n = static_cast<std::size_t>(dags.nodes);
    const std::size_t words = dags.words();
    run_tasks(offsets.size() - 1, dags.count, options,
              [&](std::size_t group, TaskContext& context) {
                  DagRelation relation(asked.relation, dags.nodes, asked.longest);
                  // Row after row of targets, as the bits lie; turned round at the end.
                  std::vector<double> by_target(n * n, 0.0);
                  for (std::size_t dag = offsets[group]; dag < offsets[group + 1]; ++dag) {
                      const std::uint64_t* rows = relation.of(dags.dag(dag));
                      const double weight = weights.empty() ? 1.0 : weights[dag];
                      for (std::size_t target = 0; target < n; ++target) {
                          double* sum = by_target.data() + target * n;
                          for_each_member(rows + target * words, words,
                                          [&](int source) { sum[source] += weight; });
                      }
                      if (dag % piece == 0) context.advance(0);
                  }
                  for (std::size_t source = 0; source < n; ++source) {
                      for (std::size_t target = 0; target < n; ++target) {
                          sums[(group * n + source) * n + target] = by_target[target * n + source];
                      }
                  }
                  context.advance(offsets[group + 1] - offsets[group]);
              });
}

void relation_values(const ManyDags& dags, RelationAsked asked,
                     std::span<const std::pair<int, int>> pairs, std::span<std::uint8_t> values,
                     const RunOptions& options) {
    const std::size_t words = dags.words();
    over_pieces(dags.count, options, [&](std::size_t first, std::size_t last) {
        DagRelation relation(asked.relation, dags.nodes, asked.longest);
        for (std::size_t dag = first; dag < last; ++dag) {
            const std::uint64_t* rows = relation.of(dags.dag(dag));
            std::uint8_t* of_dag = values.data() + dag * pairs.size();
            for (const auto& [source, target] : pairs) {
                *of_dag++ = has_member(rows + static_cast<std::size_t>(target) * words, source);
            }
        }
    });
}

void relation_rows(const ManyDags& dags, RelationAsked asked, std::span<std::uint64_t> rows,
                   const RunOptions& options) {
    const std::size_t width = dags.words_of_dag();
    over_pieces(dags.count, options, [&](std::size_t first, std::size_t last) {
        DagRelation relation(asked.relation, dags.nodes, asked.longest);
        for (std::size_t dag = first; dag < last; ++dag) {
            std::copy_n(relation.of(dags.dag(dag)), width, rows.data() + dag * width);
        }
    });
}

void edge_counts(const ManyDags& dags, std::span<std::uint32_t> counts, const RunOptions& options) {
    over_pieces(dags.count, options, [&](std::size_t first, std::size_t last) {
        for (std::size_t dag = first; dag < last; ++dag) {
            counts[dag] =
                static_cast<std::uint32_t>(count_members(dags.dag(dag), dags.words_of_dag()));
        }
    });
}

}  // namespace arcwise
