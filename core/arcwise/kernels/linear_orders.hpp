// Markov chains over linear orders, a chain for each thread: swaps of nodes at two places, at one
// inverse temperature after the other, with what annealing needs.
//
// An order weighs the product of its nodes' sums alpha_v(predecessors of v), which are looked up in
// tables over the sets of each node's candidates. Tables hold logarithms as whole numbers of a unit
// of some millionths of a nat: so they fit into shared memory, weights are exact whatever the path
// to a state, and chains are the same to the last step on every platform.
//
// All chains swap over the same distance in a step, so that threads side by side do the same work;
// the distances of all steps are drawn beforehand, independently of the states. For each distance
// every pair of places is proposed with the same probability, so proposals are symmetric.
#pragma once

#include "arcwise/kernels/elementary.hpp"
#include "arcwise/kernels/random.hpp"

namespace arcwise::kernels {

// Every field takes eight bytes. Arrays of states have one row for each place or node, with a
// column for each chain.
struct OrderChains {
    u64 nodes;
    u64 chains;
    u64 first_chain;  // number of the first one, for its random numbers
    u64 seed;
    const i32* tables;       // ln alpha_v by set of candidates, in units, node after node
    const u32* table_start;  // [v]
    u64 table_size;          // of all nodes
    u64 tables_are_shared;   // whether blocks copy them to shared memory
    const u16* candidate;    // [v nodes + u]: the bit of u among the candidates of v, or 0
    u8* orders;              // [place]
    u16* predecessors;       // [v], as candidates of v
    i64* weights;            // in units
    const u8* distances;     // [step of the launch]
    const double* inverse_temperatures;  // [step of the launch], or null: 1
    double* log_weights;                 // of annealing
    double inverse_before;               // inverse temperature before the first step
    double unit;                         // in nats
    u64* accepted;                       // [neighbours or others]
};

// The streams of random numbers of a chain.
constexpr u64 walk_stream = 0;
constexpr u64 start_stream = u64{1} << 56;
constexpr u64 draw_stream = u64{2} << 56;

// One chain's order and predecessors in memory that threads share: threads side by side use memory
// side by side, in words of four bytes.
class SharedOrder {
  public:
    ARCWISE_DEVICE SharedOrder(void* memory, int thread, int threads, int nodes)
        : order_(static_cast<u8*>(memory)),
          predecessors_(reinterpret_cast<u16*>(order_ + 4 * threads * ((nodes + 3) / 4))),
          thread_(thread),
          threads_(threads) {}

    ARCWISE_DEVICE u8& at(int place) {
        return order_[((place >> 2) * threads_ + thread_) * 4 + (place & 3)];
    }
    ARCWISE_DEVICE u16& before(int node) {
        return predecessors_[((node >> 1) * threads_ + thread_) * 2 + (node & 1)];
    }

  private:
    u8* order_;
    u16* predecessors_;
    int thread_;
    int threads_;
};

// What a block copies to shared memory, before the orders of its threads.
struct SharedTables {
    const i32* tables;
    const u32* table_start;
    const u16* candidate;
    void* rest;

    ARCWISE_DEVICE SharedTables(const Block& block, const OrderChains& chains, void* memory) {
        i32* const own = static_cast<i32*>(memory);
        const u64 size = chains.tables_are_shared != 0 ? chains.table_size : 0;
        for_each(block, static_cast<u32>(size), [&](u32 i) { own[i] = chains.tables[i]; });
        tables = size != 0 ? own : chains.tables;
        u32* const starts = reinterpret_cast<u32*>(own + size);
        const u32 nodes = static_cast<u32>(chains.nodes);
        for_each(block, nodes, [&](u32 i) { starts[i] = chains.table_start[i]; });
        table_start = starts;
        u16* const bits = reinterpret_cast<u16*>(starts + nodes);
        for_each(block, nodes * nodes, [&](u32 i) { bits[i] = chains.candidate[i]; });
        candidate = bits;
        rest = starts + nodes + (nodes * nodes + 1) / 2;
        block.sync();
    }

    ARCWISE_DEVICE i64 weight(int node, u32 set) const { return tables[table_start[node] + set]; }
};

// The change of the order's weight, in units, if the nodes at two places change places. With
// `make`, it is made.
template <bool make>
ARCWISE_DEVICE i64 swap_places(SharedOrder& order, const SharedTables& shared, int nodes, int first,
                               int last) {
    const int early = order.at(first);
    const int late = order.at(last);
    const u16* of_early = shared.candidate + early * nodes;
    const u16* of_late = shared.candidate + late * nodes;
    const u32 early_before = order.before(early);
    const u32 late_before = order.before(late);
    // The one gains, and the other loses, all that is between them, and each other; those between
    // lose the one and gain the other.
    u32 early_after = early_before | of_early[late];
    u32 late_after = late_before & ~static_cast<u32>(of_late[early]);
    i64 change = 0;
    for (int place = first + 1; place < last; ++place) {
        const int node = order.at(place);
        early_after |= of_early[node];
        late_after &= ~static_cast<u32>(of_late[node]);
        const u16* bits = shared.candidate + node * nodes;
        const u32 before = order.before(node);
        const u32 after = (before & ~static_cast<u32>(bits[early])) | bits[late];
        if (after != before) {
            if (make) {
                order.before(node) = static_cast<u16>(after);
            } else {
                change += shared.weight(node, after) - shared.weight(node, before);
            }
        }
    }
    if (make) {
        order.before(early) = static_cast<u16>(early_after);
        order.before(late) = static_cast<u16>(late_after);
        order.at(first) = static_cast<u8>(late);
        order.at(last) = static_cast<u8>(early);
        return 0;
    }
    if (early_after != early_before) {
        change += shared.weight(early, early_after) - shared.weight(early, early_before);
    }
    if (late_after != late_before) {
        change += shared.weight(late, late_after) - shared.weight(late, late_before);
    }
    return change;
}

// Whether to accept a change of the log weight, in nats, with the probability e^change.
ARCWISE_DEVICE bool accepts(double change, u32 word) {
    if (change >= 0.0) return true;
    if (change < -23.0) return false;  // below 2^-32
    return static_cast<double>(word) < exponential(change) * 4294967296.0;
}

// Steps of all chains, from the step of this number on; sampling goes on where it ended.
ARCWISE_DEVICE void walk(const Block& block, const OrderChains& chains, u64 first_step, u64 steps,
                         void* memory) {
    const SharedTables shared(block, chains, memory);
    const int nodes = static_cast<int>(chains.nodes);
    SharedOrder order(shared.rest, block.thread(), block.threads(), nodes);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 chain =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         chain < chains.chains; chain += stride) {
        for (int i = 0; i < nodes; ++i) {
            const u64 at = static_cast<u64>(i) * chains.chains + chain;
            order.at(i) = chains.orders[at];
            order.before(i) = chains.predecessors[at];
        }
        i64 weight = chains.weights[chain];
        double annealed = 0.0;
        double before = chains.inverse_before;
        u32 neighbours_accepted = 0;
        u32 others_accepted = 0;
        const u64 stream = walk_stream + chains.first_chain + chain;
        FourWords words = philox(chains.seed, stream, first_step / 2);
        for (u64 i = 0; i < steps; ++i) {
            const u64 step = first_step + i;
            if (i != 0 && (step & 1) == 0) words = philox(chains.seed, stream, step / 2);
            const u32 where = (step & 1) == 0 ? words.a : words.c;
            const u32 whether = (step & 1) == 0 ? words.b : words.d;
            double inverse = 1.0;
            if (chains.inverse_temperatures != nullptr) {
                inverse = chains.inverse_temperatures[i];
                annealed += (inverse - before) * (static_cast<double>(weight) * chains.unit);
                before = inverse;
            }
            const int distance = chains.distances[i];
            const int first =
                static_cast<int>(high_product(where, static_cast<u32>(nodes - distance)));
            const i64 change = swap_places<false>(order, shared, nodes, first, first + distance);
            if (accepts(inverse * (static_cast<double>(change) * chains.unit), whether)) {
                swap_places<true>(order, shared, nodes, first, first + distance);
                weight += change;
                if (distance == 1) {
                    ++neighbours_accepted;
                } else {
                    ++others_accepted;
                }
            }
        }
        for (int i = 0; i < nodes; ++i) {
            const u64 at = static_cast<u64>(i) * chains.chains + chain;
            chains.orders[at] = order.at(i);
            chains.predecessors[at] = order.before(i);
        }
        chains.weights[chain] = weight;
        if (chains.inverse_temperatures != nullptr) chains.log_weights[chain] += annealed;
        chains.accepted[chain] += neighbours_accepted;
        chains.accepted[chains.chains + chain] += others_accepted;
    }
}

// Puts the numbers from 0 on into at(place), in any order with the same probability; takes as many
// random numbers of the stream, and one more, from `position` on.
template <class At>
ARCWISE_DEVICE void shuffle_places(u64 seed, u64 stream, u64 position, int count, At at) {
    for (int i = 0; i < count; ++i) at(i) = static_cast<u8>(i);
    for (int left = count; left > 1; --left) {
        const FourWords words = philox(seed, stream, position + static_cast<u64>(left));
        const int to = static_cast<int>(high_product(words.a, static_cast<u32>(left)));
        const u8 kept = at(left - 1);
        at(left - 1) = at(to);
        at(to) = kept;
    }
}

// Puts the nodes of every chain into an order, any as probable as any other.
ARCWISE_DEVICE void start_orders(const Block& block, const OrderChains& chains) {
    const int nodes = static_cast<int>(chains.nodes);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 chain =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         chain < chains.chains; chain += stride) {
        u8* const order = chains.orders + chain;
        const u64 stream = start_stream + chains.first_chain + chain;
        shuffle_places(chains.seed, stream, 0, nodes, [&](int place) -> u8& {
            return order[static_cast<u64>(place) * chains.chains];
        });
        i64 weight = 0;
        for (int place = 0; place < nodes; ++place) {
            const int node = order[static_cast<u64>(place) * chains.chains];
            u32 before = 0;
            for (int earlier = 0; earlier < place; ++earlier) {
                const int other = order[static_cast<u64>(earlier) * chains.chains];
                before |= chains.candidate[node * nodes + other];
            }
            chains.predecessors[static_cast<u64>(node) * chains.chains + chain] =
                static_cast<u16>(before);
            weight += chains.tables[chains.table_start[node] + before];
        }
        chains.weights[chain] = weight;
        chains.log_weights[chain] = 0.0;
    }
}

// What is told of the states as they are: exact edge probabilities, which are added up, and a DAG.
struct OrderRecord {
    const double* log_sums;      // ln alpha_v by set of candidates, node after node
    const double* log_families;  // ln phi_v likewise
    double* edges;               // [v 16 + bit][chain], added up; null for none
    double* log_weight;          // [v][chain]: ln alpha_v of the state
    u16* parents;                // [v][chain], as candidates of v, of a DAG; null for none
};

// Every thread takes nodes of chains.
ARCWISE_DEVICE void observe(const Block& block, const OrderChains& chains,
                            const OrderRecord& record, u64 position) {
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 item =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         item < chains.nodes * chains.chains; item += stride) {
        const u64 node = item / chains.chains;
        const u64 chain = item % chains.chains;
        const u32 before = chains.predecessors[item];
        const double* sums = record.log_sums + chains.table_start[node];
        const double all = sums[before];
        for (u32 left = record.edges == nullptr ? 0 : before; left != 0; left &= left - 1) {
            const int bit = first_bit(left);
            const double without = sums[before ^ (u32{1} << bit)] - all;
            const double absent = without < -700.0 ? 0.0 : exponential(without);
            record.edges[(node * 16 + static_cast<u64>(bit)) * chains.chains + chain] +=
                1.0 - absent;
        }
        record.log_weight[item] = all;
        if (record.parents == nullptr) continue;
        const double* families = record.log_families + chains.table_start[node];
        const FourWords words = philox(chains.seed, draw_stream + chains.first_chain + chain,
                                       position * chains.nodes + node);
        const double wanted =
            (static_cast<double>(words.a) + static_cast<double>(words.b) * 0x1p-32) * 0x1p-32;
        double sum = 0.0;
        u32 chosen = 0;
        u32 set = 0;
        do {
            const double share = families[set] - all;
            if (share > -700.0) {
                chosen = set;
                sum += exponential(share < 0.0 ? share : 0.0);
                if (sum > wanted) break;
            }
            set = (set - before) & before;
        } while (set != 0);
        record.parents[item] = static_cast<u16>(chosen);
    }
}

}  // namespace arcwise::kernels

#if defined(__CUDACC__)
extern "C" {
__global__ void __launch_bounds__(512, 1)
    walk_orders(const arcwise::kernels::OrderChains* chains, unsigned long long first_step,
                unsigned long long steps) {
    extern __shared__ double memory[];
    const auto own = *chains;
    arcwise::kernels::walk(arcwise::kernels::Block{}, own, first_step, steps, memory);
}

__global__ void start_orders(const arcwise::kernels::OrderChains* chains) {
    const auto own = *chains;
    arcwise::kernels::start_orders(arcwise::kernels::Block{}, own);
}

__global__ void observe_orders(const arcwise::kernels::OrderChains* chains,
                               const arcwise::kernels::OrderRecord* record,
                               unsigned long long position) {
    const auto own = *chains;
    const auto kept = *record;
    arcwise::kernels::observe(arcwise::kernels::Block{}, own, kept, position);
}
}
#endif
