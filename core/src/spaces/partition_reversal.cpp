// Reversal of an edge, with both ends' parents drawn anew.
//
// The move of Grzegorczyk and Husmeier (2008), "Improving the structure MCMC sampler for Bayesian
// networks by introducing a new edge reversal move", made from a partition: a DAG G is drawn from
// it, an edge i -> j of G is chosen, both ends lose their parents, i gets new ones with j among
// them and then j gets new ones, each in proportion to its weight among those that close no cycle.
// The partition of the DAG that comes out is proposed.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "arcwise/spaces/given_parts.hpp"
#include "partition.hpp"

namespace arcwise {
namespace {

constexpr int name_of_move = 5;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// A DAG by the parents of each node, small enough to search through for every move.
class Graph {
  public:
    Graph(const ScoreSums& sums, std::vector<std::uint64_t> parents)
        : sums_(sums),
          nodes_(sums.nodes()),
          words_((static_cast<std::size_t>(nodes_) + 63) / 64),
          parents_(std::move(parents)) {}

    bool has(int parent, int node) const {
        return (row(node)[static_cast<std::size_t>(parent) / 64] >> (parent % 64) & 1) != 0;
    }
    std::size_t edges() const {
        std::size_t count = 0;
        for (const std::uint64_t word : parents_)
            count += static_cast<std::size_t>(std::popcount(word));
        return count;
    }
    std::vector<std::uint64_t> take_parents(int node) {
        std::vector<std::uint64_t> taken(row(node), row(node) + words_);
        std::fill_n(row(node), words_, 0);
        return taken;
    }
    void give_parents(int node, const std::vector<std::uint64_t>& parents) {
        std::copy(parents.begin(), parents.end(), row(node));
    }
    void give_family(int node, std::int64_t place) {
        std::fill_n(row(node), words_, 0);
        for (const int parent : sums_.family(node, place)) {
            row(node)[static_cast<std::size_t>(parent) / 64] |= std::uint64_t{1} << (parent % 64);
        }
    }

    // The nodes that can be parents of one without closing a cycle, as its bits.
    std::vector<std::uint64_t> possible_parents(int node) const {
        std::vector<bool> below(static_cast<std::size_t>(nodes_), false);
        below[static_cast<std::size_t>(node)] = true;
        for (bool grown = true; grown;) {
            grown = false;
            for (int child = 0; child < nodes_; ++child) {
                if (below[static_cast<std::size_t>(child)]) continue;
                for (int parent = 0; parent < nodes_; ++parent) {
                    if (below[static_cast<std::size_t>(parent)] && has(parent, child)) {
                        below[static_cast<std::size_t>(child)] = true;
                        grown = true;
                        break;
                    }
                }
            }
        }
        std::vector<int> outside;
        for (int other = 0; other < nodes_; ++other) {
            if (!below[static_cast<std::size_t>(other)]) outside.push_back(other);
        }
        return sums_.bits(node, outside);
    }

    // The part of each node: after the last of its parents.
    std::vector<int> parts() const {
        std::vector<int> part(static_cast<std::size_t>(nodes_), 0);
        for (bool grown = true; grown;) {
            grown = false;
            for (int node = 0; node < nodes_; ++node) {
                for (int parent = 0; parent < nodes_; ++parent) {
                    const int needed = part[static_cast<std::size_t>(parent)] + 1;
                    if (has(parent, node) && part[static_cast<std::size_t>(node)] < needed) {
                        part[static_cast<std::size_t>(node)] = needed;
                        grown = true;
                    }
                }
            }
        }
        return part;
    }

  private:
    const std::uint64_t* row(int node) const {
        return parents_.data() + static_cast<std::size_t>(node) * words_;
    }
    std::uint64_t* row(int node) {
        return parents_.data() + static_cast<std::size_t>(node) * words_;
    }

    const ScoreSums& sums_;
    int nodes_;
    std::size_t words_;
    std::vector<std::uint64_t> parents_;
};

}  // namespace

Proposal Partition::propose_reversal(Random& random) {
    const Proposal impossible{.move = name_of_move, .possible = false};
    if (weight_.impossible != 0) return impossible;  // there is no DAG to draw
    const ScoreSums& sums = weights_.sums();
    std::vector<std::uint64_t> drawn(nodes_ * ((nodes_ + 63) / 64));
    GivenParts(sums, part_of_).draw(random, drawn.data());
    Graph graph(sums, std::move(drawn));
    const std::size_t edges = graph.edges();
    if (edges == 0) return impossible;

    // The edge `from` -> `to` that is turned.
    std::size_t index = random.below(edges);
    int from = 0;
    int to = 0;
    for (int node = 0; node < static_cast<int>(nodes_); ++node) {
        for (int parent = 0; parent < static_cast<int>(nodes_); ++parent) {
            if (graph.has(parent, node) && index-- == 0) {
                from = parent;
                to = node;
            }
        }
    }
    const std::vector<std::uint64_t> old_of_from = graph.take_parents(from);
    const std::vector<std::uint64_t> old_of_to = graph.take_parents(to);

    // There: parents of `from` with `to` among them, then those of `to`.
    const auto allowed_from = graph.possible_parents(from);
    const auto must_to = sums.bits(from, std::vector<int>{to});
    const double sum_from = sums[from].log_sum(allowed_from.data(), must_to.data(), memo_);
    if (sum_from == minus_infinity) return impossible;
    // Back: parents of `to` with `from` among them, then those of `from`. There are some: the old
    // ones.
    const auto allowed_to = graph.possible_parents(to);
    const auto must_from = sums.bits(to, std::vector<int>{from});
    const double back_to = sums[to].log_sum(allowed_to.data(), must_from.data(), memo_);
    graph.give_parents(to, old_of_to);
    const double back_from = sums[from].log_sum(graph.possible_parents(from).data());
    graph.take_parents(to);

    graph.give_family(from, sums[from].draw(allowed_from.data(), must_to.data(), memo_, random));
    const auto then_to = graph.possible_parents(to);
    const double sum_to = sums[to].log_sum(then_to.data());
    if (sum_to == minus_infinity) return impossible;
    graph.give_family(to, sums[to].draw(then_to.data(), random));

    proposed_parts_ = graph.parts();
    for (std::size_t node = 0; node < nodes_; ++node) change(static_cast<int>(node));
    // Given its partition a DAG has the probability weight / weight of the partition; family
    // weights cancel against those in the probabilities to draw them.
    const double log_ratio = std::log(static_cast<double>(edges)) -
                             std::log(static_cast<double>(graph.edges())) + sum_from + sum_to -
                             back_to - back_from - (proposed_.value - weight_.value);
    return proposal(name_of_move, log_ratio);
}

}  // namespace arcwise
