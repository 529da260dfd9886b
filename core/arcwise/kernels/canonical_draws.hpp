// What the states of chains over canonical orders tell: exact edge probabilities, DAGs drawn from
// them, and the canonical orders of DAGs under the same numbers or new ones.
#pragma once

#include "arcwise/kernels/canonical_orders.hpp"

namespace arcwise::kernels {

constexpr u64 numbering_stream = u64{3} << 56;

struct CanonicalRecord {
    double* edges;     // [v 16 + bit][chain], added up; null for none
    u16* parents;      // [v][chain], as candidates of v, of a DAG; null for none
    u64 needs_recent;  // whether bound nodes need a recent parent, as at the posterior
};

// ln of the summed weights of the families that a node can have.
ARCWISE_DEVICE double log_possible(const NodeTables& tables, u32 allowed, u32 earlier, bool bound) {
    return bound ? log_required(tables, allowed, earlier) : tables.log_sums[allowed];
}

// Every thread takes nodes of chains.
ARCWISE_DEVICE void observe(const Block& block, const CanonicalChains& chains,
                            const CanonicalRecord& record, u64 position) {
    const CanonicalTables all(chains);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 item =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         item < chains.nodes * chains.chains; item += stride) {
        const u64 node = item / chains.chains;
        const u64 chain = item % chains.chains;
        const NodeTables tables = all.of(static_cast<int>(node));
        const u32 allowed = chains.allowed[item];
        const u32 earlier = chains.earlier[item];
        const bool bound = record.needs_recent != 0 && (chains.standings[item] & bound_bit) != 0;
        const double possible = log_possible(tables, allowed, earlier, bound);
        if (possible == minus_infinity()) {  // a state of weight zero says nothing
            if (record.parents != nullptr) record.parents[item] = 0;
            continue;
        }
        for (u32 left = record.edges == nullptr ? 0 : allowed; left != 0; left &= left - 1) {
            const int bit = first_bit(left);
            const u32 others = ~(u32{1} << bit);
            const double without = log_possible(tables, allowed & others, earlier & others, bound);
            // Differences are rounded, and a probability is none below zero.
            const double absent =
                without > possible ? 1.0 : exponential_or_zero(without - possible);
            record.edges[(node * 16 + static_cast<u64>(bit)) * chains.chains + chain] +=
                1.0 - absent;
        }
        if (record.parents == nullptr) continue;
        const FourWords words = philox(chains.seed, draw_stream + chains.first_chain + chain,
                                       position * chains.nodes + node);
        const double wanted =
            (static_cast<double>(words.a) + static_cast<double>(words.b) * 0x1p-32) * 0x1p-32;
        const u32 recent = allowed & ~earlier;
        double sum = 0.0;
        u32 chosen = 0;
        u32 set = 0;
        do {
            const double share = tables.log_families[set] - possible;
            if (share > -700.0 && !(bound && (set & recent) == 0)) {
                chosen = set;
                sum += exponential(share < 0.0 ? share : 0.0);
                if (sum > wanted) break;
            }
            set = (set - allowed) & allowed;
        } while (set != 0);
        record.parents[item] = static_cast<u16>(chosen);
    }
}

// Every chain's order becomes the canonical one of its DAG, which is used up, under new numbers if
// asked for: of those whose parents have been taken the node with the smallest number comes next.
// At the posterior, after a draw of the DAG from the state, the law of the states stays: with
// P(D | order) the DAG's share of the order's weight, pi(order) P(D | order) is the DAG's
// probability, and numbers are independent of it.
ARCWISE_DEVICE void number_orders(const Block& block, const CanonicalChains& chains, u16* parents,
                                  u64 renumbers, u64 position) {
    const CanonicalTables tables(chains);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 chain =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         chain < chains.chains; chain += stride) {
        const ListedOrder order(chains, chain);
        if (renumbers != 0) {
            shuffle_places(chains.seed, numbering_stream + chains.first_chain + chain,
                           position * (chains.nodes + 1), tables.nodes,
                           [&](int node) -> u8& { return order.at(node); });
            for (int node = 0; node < tables.nodes; ++node) order.standing(node) = order.at(node);
        }
        constexpr u16 taken = 1;
        for (int node = 0; node < tables.nodes; ++node) order.earlier(node) = 0;
        for (int place = 0; place < tables.nodes; ++place) {
            int next = -1;
            for (int node = 0; node < tables.nodes; ++node) {
                const u64 item = static_cast<u64>(node) * chains.chains + chain;
                if (order.earlier(node) == taken || parents[item] != 0) continue;
                if (next < 0 || number_of(order, node) < number_of(order, next)) next = node;
            }
            order.at(place) = static_cast<u8>(next);
            order.earlier(next) = taken;
            for (int node = 0; node < tables.nodes; ++node) {
                const u64 item = static_cast<u64>(node) * chains.chains + chain;
                parents[item] &= static_cast<u16>(~tables.bits_of(node)[next]);
            }
        }
        set_up(order, tables);
        chains.weights[chain] = weigh_order(order, tables, chains.before.bridge);
    }
}

// States go on where others were: column i of other arrays, of which there may be fewer, becomes
// what column from[i] is here.
ARCWISE_DEVICE void copy_orders(const Block& block, const CanonicalChains& chains,
                                const CanonicalChains& to, const u32* from) {
    const int nodes = static_cast<int>(chains.nodes);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 chain =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         chain < to.chains; chain += stride) {
        const ListedOrder source(chains, from[chain]);
        const ListedOrder target(to, chain);
        copy_order(source, target, nodes);
        to.weights[chain] = chains.weights[from[chain]];
    }
}

}  // namespace arcwise::kernels

#if defined(__CUDACC__)
extern "C" {
__global__ void observe_canonical_orders(const arcwise::kernels::CanonicalChains* chains,
                                         const arcwise::kernels::CanonicalRecord* record,
                                         unsigned long long position) {
    const auto own = *chains;
    const auto kept = *record;
    arcwise::kernels::observe(arcwise::kernels::Block{}, own, kept, position);
}

__global__ void number_canonical_orders(const arcwise::kernels::CanonicalChains* chains,
                                        unsigned short* parents, unsigned long long renumbers,
                                        unsigned long long position) {
    const auto own = *chains;
    arcwise::kernels::number_orders(arcwise::kernels::Block{}, own, parents, renumbers, position);
}

__global__ void copy_canonical_orders(const arcwise::kernels::CanonicalChains* chains,
                                      const arcwise::kernels::CanonicalChains* to,
                                      const unsigned int* from) {
    const auto own = *chains;
    const auto other = *to;
    arcwise::kernels::copy_orders(arcwise::kernels::Block{}, own, other, from);
}
}
#endif
