// Chains over orders at several targets that exchange their states (Metropolis-coupled MCMC).
//
// A chain keeps its state, and its target goes on to another: each group of chains has one at every
// level, the hottest first. Levels, pairs and counts are those of core/arcwise/chains/replicas.hpp.
#pragma once

#include "arcwise/kernels/canonical_orders.hpp"

namespace arcwise::kernels {

constexpr u64 exchange_stream = u64{4} << 56;

// Where a state was last: at neither end as far as is known, at the hottest level, or at the
// coldest after that.
constexpr u8 trip_from_hottest = 1;
constexpr u8 trip_from_coldest = 2;

// Every field takes eight bytes. A pair is known by its hotter level.
struct ReplicaGroups {
    u64 groups;
    u64 levels;
    u32* level_of;       // [chain]
    u32* chain_of;       // [level][group]
    u8* trips;           // [chain]
    u64* round_trips;    // [group]
    u64* exchanged;      // [pair][group]
    double* refusals;    // [pair][group]: summed probabilities
    double* log_ratios;  // [pair][group]: ln of the summed ratios of densities
};

// The weight of a chain at another target.
ARCWISE_DEVICE UnitWeight weight_at(const CanonicalChains& chains, const CanonicalTables& tables,
                                    u64 chain, const Target& own, const Target& other) {
    if (own.bridge == other.bridge) return chains.weights[chain];
    return weigh_order(ListedOrder(chains, chain), tables, other.bridge);
}

// An exchange between a level and the next colder one of a group. Passes are numbered, for random
// numbers.
ARCWISE_DEVICE void exchange(const CanonicalChains& chains, const CanonicalTables& tables,
                             const ReplicaGroups& replicas, u64 hotter, u64 group, u64 pass) {
    u32& hot = replicas.chain_of[hotter * replicas.groups + group];
    u32& cold = replicas.chain_of[(hotter + 1) * replicas.groups + group];
    const Target& at_hot = chains.targets[hotter];
    const Target& at_cold = chains.targets[hotter + 1];
    const UnitWeight cold_in_hot = weight_at(chains, tables, cold, at_cold, at_hot);
    const UnitWeight hot_in_cold = weight_at(chains, tables, hot, at_hot, at_cold);
    const double log_acceptance =
        at_hot.log_density(cold_in_hot) + at_cold.log_density(hot_in_cold) -
        at_hot.log_density(chains.weights[hot]) - at_cold.log_density(chains.weights[cold]);
    const FourWords words =
        philox(chains.seed, exchange_stream + group, pass * replicas.levels + hotter);
    const u64 pair = hotter * replicas.groups + group;
    replicas.refusals[pair] +=
        log_acceptance >= 0.0 ? 0.0 : 1.0 - exponential_or_zero(log_acceptance);
    if (accepts(log_acceptance, words.a)) {
        chains.weights[cold] = cold_in_hot;
        chains.weights[hot] = hot_in_cold;
        const u32 kept = hot;
        hot = cold;
        cold = kept;
        replicas.level_of[hot] = static_cast<u32>(hotter);
        replicas.level_of[cold] = static_cast<u32>(hotter + 1);
        ++replicas.exchanged[pair];
    }
    if (hotter == 0) {
        if (replicas.trips[hot] == trip_from_coldest) ++replicas.round_trips[group];
        replicas.trips[hot] = trip_from_hottest;
    }
    if (hotter + 2 == replicas.levels && replicas.trips[cold] == trip_from_hottest) {
        replicas.trips[cold] = trip_from_coldest;
    }
}

// One pass: between levels 0 and 1, 2 and 3 and so on if its number is even, else 1 and 2, 3 and 4;
// a thread for each pair, as where weights have to be found anew.
ARCWISE_DEVICE void exchange_pairs(const Block& block, const CanonicalChains& chains,
                                   const ReplicaGroups& replicas, u64 pass) {
    const CanonicalTables tables(chains);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    const u64 odd = pass & 1;
    for (u64 item =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         item < (replicas.levels - odd) / 2 * replicas.groups; item += stride) {
        exchange(chains, tables, replicas, odd + 2 * (item / replicas.groups),
                 item % replicas.groups, pass);
    }
}

// Several passes, a thread for each group.
ARCWISE_DEVICE void exchange_groups(const Block& block, const CanonicalChains& chains,
                                    const ReplicaGroups& replicas, u64 first_pass, u64 passes) {
    const CanonicalTables tables(chains);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 group =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         group < replicas.groups; group += stride) {
        for (u64 pass = first_pass; pass < first_pass + passes; ++pass) {
            for (u64 hotter = pass & 1; hotter + 1 < replicas.levels; hotter += 2) {
                exchange(chains, tables, replicas, hotter, group, pass);
            }
        }
    }
}

// Adds, for all levels but the coldest, the density of the next one over their own: its mean is the
// ratio of the constants of the two.
ARCWISE_DEVICE void add_ratios(const Block& block, const CanonicalChains& chains,
                               const ReplicaGroups& replicas) {
    const CanonicalTables tables(chains);
    const u64 stride = block.blocks() * static_cast<u64>(block.threads());
    for (u64 item =
             block.index() * static_cast<u64>(block.threads()) + static_cast<u64>(block.thread());
         item < (replicas.levels - 1) * replicas.groups; item += stride) {
        const u32 chain = replicas.chain_of[item];
        const Target& own = chains.targets[item / replicas.groups];
        const Target& colder = chains.targets[item / replicas.groups + 1];
        const double ratio = colder.log_density(weight_at(chains, tables, chain, own, colder)) -
                             own.log_density(chains.weights[chain]);
        replicas.log_ratios[item] = log_add(replicas.log_ratios[item], ratio);
    }
}

}  // namespace arcwise::kernels

#if defined(__CUDACC__)
extern "C" {
__global__ void exchange_replica_pairs(const arcwise::kernels::CanonicalChains* chains,
                                       const arcwise::kernels::ReplicaGroups* replicas,
                                       unsigned long long pass) {
    const auto own = *chains;
    const auto groups = *replicas;
    arcwise::kernels::exchange_pairs(arcwise::kernels::Block{}, own, groups, pass);
}

__global__ void exchange_replica_groups(const arcwise::kernels::CanonicalChains* chains,
                                        const arcwise::kernels::ReplicaGroups* replicas,
                                        unsigned long long first_pass, unsigned long long passes) {
    const auto own = *chains;
    const auto groups = *replicas;
    arcwise::kernels::exchange_groups(arcwise::kernels::Block{}, own, groups, first_pass, passes);
}

__global__ void add_replica_ratios(const arcwise::kernels::CanonicalChains* chains,
                                   const arcwise::kernels::ReplicaGroups* replicas) {
    const auto own = *chains;
    const auto groups = *replicas;
    arcwise::kernels::add_ratios(arcwise::kernels::Block{}, own, groups);
}
}
#endif
