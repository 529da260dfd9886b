// The states of chains over orders anywhere between linear and canonical ones, in the device's
// memory and in that of a block, and the tables that all of them read.
#pragma once

#include "arcwise/kernels/canonical_weights.hpp"

namespace arcwise::kernels {

// Every field takes eight bytes. Arrays of states have one row for each place or node, with a
// column for each chain.
struct CanonicalChains {
    u64 nodes;
    u64 chains;
    u64 first_chain;  // number of the first one, for its random numbers
    u64 seed;
    const double* log_sums;      // by set of candidates, node after node; see NodeTables
    const double* log_families;  // likewise
    const u32* table_start;      // [v]
    const u16* candidate;        // [v nodes + u]: the bit of u among the candidates of v, or 0
    u8* orders;                  // [place]
    u16* standings;              // [v]: its number, and `bound_bit`
    u16* allowed;                // [v], predecessors as candidates of v
    u16* earlier;                // [v], those before the last larger one; 0 if it is not bound
    UnitWeight* weights;         // [chain]
    const u8* distances;         // [step of the launch]
    const Target* targets;       // [step of the launch], or [level], or the only one
    u64 targets_by_step;         // whether they are
    const u32* levels;           // [chain], or null
    u64 groups;                  // of chains that have all levels, chain by chain
    Target before;               // where the chains are before the first step, if not by level
    double* log_weights;         // [chain], of annealing, or null
    u64* accepted;               // [neighbours, others, relocations][chain or level, group]
};

constexpr u32 bound_bit = u32{1} << 15;

// One chain's state where the arrays of all chains are.
class ListedOrder {
  public:
    ARCWISE_DEVICE ListedOrder(const CanonicalChains& chains, u64 chain)
        : chains_(chains), chain_(chain) {}

    ARCWISE_DEVICE u8& at(int place) const { return chains_.orders[column(place)]; }
    ARCWISE_DEVICE u16& standing(int node) const { return chains_.standings[column(node)]; }
    ARCWISE_DEVICE u16& allowed(int node) const { return chains_.allowed[column(node)]; }
    ARCWISE_DEVICE u16& earlier(int node) const { return chains_.earlier[column(node)]; }

  private:
    ARCWISE_DEVICE u64 column(int row) const {
        return static_cast<u64>(row) * chains_.chains + chain_;
    }

    const CanonicalChains& chains_;
    u64 chain_;
};

// The same in memory that threads share: threads side by side use memory side by side, in words of
// four bytes.
class SharedCanonicalOrder {
  public:
    ARCWISE_DEVICE SharedCanonicalOrder(void* memory, int thread, int threads, int nodes)
        : order_(static_cast<u8*>(memory)),
          standings_(reinterpret_cast<u16*>(order_ + 4 * threads * ((nodes + 3) / 4))),
          allowed_(standings_ + 2 * threads * ((nodes + 1) / 2)),
          earlier_(allowed_ + 2 * threads * ((nodes + 1) / 2)),
          thread_(thread),
          threads_(threads) {}

    ARCWISE_DEVICE u8& at(int place) const {
        return order_[((place >> 2) * threads_ + thread_) * 4 + (place & 3)];
    }
    ARCWISE_DEVICE u16& standing(int node) const { return standings_[pair(node)]; }
    ARCWISE_DEVICE u16& allowed(int node) const { return allowed_[pair(node)]; }
    ARCWISE_DEVICE u16& earlier(int node) const { return earlier_[pair(node)]; }

  private:
    ARCWISE_DEVICE int pair(int node) const {
        return ((node >> 1) * threads_ + thread_) * 2 + (node & 1);
    }

    u8* order_;
    u16* standings_;
    u16* allowed_;
    u16* earlier_;
    int thread_;
    int threads_;
};

// What all chains read: tables in the device's memory, and what a block copies of the rest.
struct CanonicalTables {
    int nodes;
    const double* log_sums;
    const double* log_families;
    const u32* table_start;
    const u16* candidate;

    ARCWISE_DEVICE explicit CanonicalTables(const CanonicalChains& chains)
        : nodes(static_cast<int>(chains.nodes)),
          log_sums(chains.log_sums),
          log_families(chains.log_families),
          table_start(chains.table_start),
          candidate(chains.candidate) {}

    // Copies to shared memory; returns what is left of it.
    ARCWISE_DEVICE void* share(const Block& block, void* memory) {
        u32* const starts = static_cast<u32*>(memory);
        const u32 count = static_cast<u32>(nodes);
        for_each(block, count, [&](u32 i) { starts[i] = table_start[i]; });
        u16* const bits = reinterpret_cast<u16*>(starts + count);
        for_each(block, count * count, [&](u32 i) { bits[i] = candidate[i]; });
        block.sync();
        table_start = starts;
        candidate = bits;
        return starts + count + (count * count + 1) / 2;
    }

    ARCWISE_DEVICE NodeTables of(int node) const {
        const u32 start = table_start[node];
        return {log_sums + start, log_families + start};
    }
    ARCWISE_DEVICE const u16* bits_of(int node) const { return candidate + node * nodes; }
};

template <class From, class To>
ARCWISE_DEVICE void copy_order(const From& from, const To& to, int nodes) {
    for (int i = 0; i < nodes; ++i) {
        to.at(i) = from.at(i);
        to.standing(i) = from.standing(i);
        to.allowed(i) = from.allowed(i);
        to.earlier(i) = from.earlier(i);
    }
}

}  // namespace arcwise::kernels
