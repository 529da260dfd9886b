// Goes through many DAGs piece by piece; each thread has a workspace of its own.
#include "arcwise/relations/many_dags.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/support/wide_product.hpp"

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

namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

// Every word is mixed in by a product of 128 bits, whose halves are added (as wyhash does).
std::uint64_t hash(const std::uint64_t* row, std::size_t width) {
    std::uint64_t state = 0x9E3779B97F4A7C15U;
    for (std::size_t i = 0; i < width; ++i) {
        const WideProduct product = wide_product(state ^ row[i], 0xD6E8FEB86659FD93U);
        state = (product.low ^ product.high) + 0x2545F4914F6CDD1DU;
    }
    return state;
}

class PatternTable {
  public:
    PatternTable(const std::uint64_t* rows, std::size_t width)
        : rows_(rows), width_(width), slots_(1024, none) {}

    std::uint64_t number_of(std::size_t index) {
        const std::uint64_t code = hash(rows_ + index * width_, width_);
        const std::size_t slot = find(rows_ + index * width_, code);
        if (slots_[slot] != none) return slots_[slot];
        const std::uint64_t number = first.size();
        slots_[slot] = number;
        first.push_back(index);
        codes_.push_back(code);
        if (2 * first.size() > slots_.size()) grow();
        return number;
    }

    std::vector<std::uint64_t> first;

  private:
    std::size_t find(const std::uint64_t* row, std::uint64_t code) const {
        std::size_t slot = code & (slots_.size() - 1);
        while (slots_[slot] != none) {
            const std::uint64_t number = slots_[slot];
            if (codes_[number] == code &&
                std::equal(row, row + width_, rows_ + first[number] * width_)) {
                break;
            }
            slot = (slot + 1) & (slots_.size() - 1);
        }
        return slot;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), none);
        for (std::uint64_t number = 0; number < first.size(); ++number) {
            std::size_t slot = codes_[number] & (slots_.size() - 1);
            while (slots_[slot] != none) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = number;
        }
    }

    const std::uint64_t* rows_;
    std::size_t width_;
    std::vector<std::uint64_t> slots_;
    std::vector<std::uint64_t> codes_;
};

}  // namespace

DistinctPatterns distinct_patterns(const std::uint64_t* rows, std::size_t count, std::size_t width,
                                   const RunOptions& options) {
    DistinctPatterns result;
    result.number.resize(count);
    // In one task: numbers go by the first appearance, and looking up is bound by memory anyway.
    run_tasks(1, count, options, [&](std::size_t, TaskContext& context) {
        PatternTable table(rows, width);
        constexpr std::size_t rows_at_once = 4096;
        for (std::size_t begin = 0; begin < count; begin += rows_at_once) {
            const std::size_t end = std::min(count, begin + rows_at_once);
            for (std::size_t i = begin; i < end; ++i) result.number[i] = table.number_of(i);
            context.advance(end - begin);
        }
        result.first = std::move(table.first);
    });
    return result;
}

namespace {

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
    over_pieces(dags.count, options, [&](std::size_t first, std::size_t last) {
        DagCheck check(dags.nodes);
        for (std::size_t dag = first; dag < last && dag < first_found; ++dag) {
            if (!check.fault_of(dag, dags.dag(dag))) continue;
            std::size_t known = first_found;
            while (dag < known && !first_found.compare_exchange_weak(known, dag)) {
            }
        }
    });
    if (first_found == std::numeric_limits<std::size_t>::max()) return std::nullopt;
    return DagCheck(dags.nodes).fault_of(first_found, dags.dag(first_found));
}

}  // namespace arcwise
