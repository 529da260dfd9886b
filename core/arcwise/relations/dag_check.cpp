// Takes nodes away from each graph, those without parents first, until none is left.
#include "arcwise/relations/dag_check.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <vector>

#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

constexpr std::size_t piece = 4096;
constexpr int nowhere = -1;

// Each node waits for one of its parents at a time. When that one is gone the node looks for the
// next from there on, since what is gone stays gone: all in all a step for each edge and word.
class DagCheck {
  public:
    explicit DagCheck(int nodes)
        : nodes_(nodes),
          words_(words_for(nodes)),
          all_(words_),
          left_(words_),
          word_of_(static_cast<std::size_t>(nodes)),
          first_waiting_(static_cast<std::size_t>(nodes)),
          next_waiting_(static_cast<std::size_t>(nodes)) {
        ready_.reserve(static_cast<std::size_t>(nodes));
        for (int node = 0; node < nodes; ++node) put_member(all_.data(), node);
    }

    std::optional<FaultyDag> fault_of(std::size_t index, const std::uint64_t* parents) {
        for (int node = 0; node < nodes_; ++node) {
            const std::uint64_t* of_node = parents + static_cast<std::size_t>(node) * words_;
            for (std::size_t word = 0; word < words_; ++word) {
                if ((of_node[word] & ~all_[word]) != 0) {
                    return FaultyDag{index, node, DagFault::beyond};
                }
            }
            if (has_member(of_node, node)) return FaultyDag{index, node, DagFault::loop};
        }
        return words_ == 1 ? cycle_in_one_word(index, parents) : cycle(index, parents);
    }

  private:
    // Few nodes are gone through again and again, forwards and backwards in turn.
    std::optional<FaultyDag> cycle_in_one_word(std::size_t index, const std::uint64_t* parents) {
        std::uint64_t left = all_[0];
        for (;;) {
            const std::uint64_t before = left;
            for (int node = 0; node < nodes_; ++node) {
                if ((parents[node] & left) == 0) left &= ~(std::uint64_t{1} << node);
            }
            if (left == 0) return std::nullopt;
            for (int node = nodes_; node-- > 0;) {
                if ((parents[node] & left) == 0) left &= ~(std::uint64_t{1} << node);
            }
            if (left == 0) return std::nullopt;
            if (left == before) return FaultyDag{index, std::countr_zero(left), DagFault::cycle};
        }
    }

    std::optional<FaultyDag> cycle(std::size_t index, const std::uint64_t* parents) {
        left_ = all_;
        std::fill(word_of_.begin(), word_of_.end(), 0);
        std::fill(first_waiting_.begin(), first_waiting_.end(), nowhere);
        ready_.clear();
        int gone = 0;
        for (int node = 0; node < nodes_; ++node) wait(node, parents);
        while (!ready_.empty()) {
            const int node = ready_.back();
            ready_.pop_back();
            ++gone;
            for (int other = first_waiting_[static_cast<std::size_t>(node)]; other != nowhere;) {
                const int next = next_waiting_[static_cast<std::size_t>(other)];
                wait(other, parents);
                other = next;
            }
        }
        if (gone == nodes_) return std::nullopt;
        for (std::size_t word = 0;; ++word) {
            if (left_[word] == 0) continue;
            const int node = static_cast<int>(64 * word) + std::countr_zero(left_[word]);
            return FaultyDag{index, node, DagFault::cycle};
        }
    }

    // Puts a node among those that wait for one of its parents, or takes it away.
    void wait(int node, const std::uint64_t* parents) {
        const std::uint64_t* of_node = parents + static_cast<std::size_t>(node) * words_;
        for (std::size_t& word = word_of_[static_cast<std::size_t>(node)]; word < words_; ++word) {
            const std::uint64_t there = of_node[word] & left_[word];
            if (there == 0) continue;
            const std::size_t parent =
                64 * word + static_cast<std::size_t>(std::countr_zero(there));
            next_waiting_[static_cast<std::size_t>(node)] = first_waiting_[parent];
            first_waiting_[parent] = node;
            return;
        }
        remove_member(left_.data(), node);
        ready_.push_back(node);
    }

    int nodes_;
    std::size_t words_;
    std::vector<std::uint64_t> all_;
    std::vector<std::uint64_t> left_;
    std::vector<std::size_t> word_of_;  // by node: what comes before it has no parent left
    std::vector<int> first_waiting_;    // by parent, and the next one by node
    std::vector<int> next_waiting_;
    std::vector<int> ready_;
};

}  // namespace

std::optional<FaultyDag> find_faulty_dag(const ManyDags& dags, const RunOptions& options) {
    std::atomic<std::size_t> first_found = std::numeric_limits<std::size_t>::max();
    run_tasks((dags.count + piece - 1) / piece, dags.count, options,
              [&](std::size_t task, TaskContext& context) {
                  const std::size_t first = task * piece;
                  const std::size_t last = std::min(dags.count, first + piece);
                  DagCheck check(dags.nodes);
                  for (std::size_t dag = first; dag < last && dag < first_found; ++dag) {
                      if (!check.fault_of(dag, dags.dag(dag))) continue;
                      std::size_t known = first_found;
                      while (dag < known && !first_found.compare_exchange_weak(known, dag)) {
                      }
                  }
                  context.advance(last - first);
              });
    if (first_found == std::numeric_limits<std::size_t>::max()) return std::nullopt;
    return DagCheck(dags.nodes).fault_of(first_found, dags.dag(first_found));
}

}  // namespace arcwise
