// The kernels as plain C++, for tests without a device: every block in turn, its threads as threads
// of the machine that wait for each other where the kernel says so, or one that does all.
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "arcwise/kernels/canonical_draws.hpp"
#include "arcwise/kernels/discrete_scores.hpp"
#include "arcwise/kernels/gaussian_scores.hpp"
#include "arcwise/kernels/modular.hpp"
#include "arcwise/kernels/order_draws.hpp"
#include "arcwise/kernels/order_modular.hpp"
#include "arcwise/kernels/relocation.hpp"
#include "arcwise/kernels/replicas.hpp"

namespace {

using namespace arcwise::kernels;

void run_blocks(u64 blocks, int threads, u64 shared,
                const std::function<void(const Block&, void*)>& kernel) {
    for (u64 index = 0; index < blocks; ++index) {
        // What was there before is of no use to anyone.
        std::vector<u64> memory(shared / sizeof(u64) + 1, 0xDEADBEEFDEADBEEF);
        if (threads == 1) {
            kernel(Block{0, 1, index, blocks, nullptr}, memory.data());
            continue;
        }
        std::barrier barrier(threads);
        std::vector<std::thread> running;
        for (int thread = 0; thread < threads; ++thread) {
            running.emplace_back([&, thread] {
                kernel(Block{thread, threads, index, blocks, &barrier}, memory.data());
            });
        }
        for (std::thread& each : running) each.join();
    }
}

}  // namespace

extern "C" {

void forward_sums(u64 blocks, int threads, u64 shared, const OrderModular<Wide>* computation,
                  const u32* high_sets, u64 count) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void* memory) {
        forward_level(block, *computation, high_sets, count, memory);
    });
}

void forward_maxima(u64 blocks, int threads, u64 shared,
                    const OrderModular<LogMaximum>* computation, const u32* high_sets, u64 count) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void* memory) {
        forward_level(block, *computation, high_sets, count, memory);
    });
}

void backward_sums(u64 blocks, int threads, u64 shared, const OrderModular<Wide>* computation,
                   const u32* high_sets, u64 count) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void* memory) {
        backward_level(block, *computation, high_sets, count, memory);
    });
}

void draw_orders(u64 blocks, int threads, u64 shared, const OrderModular<Wide>* computation,
                 const OrderDraws* draws) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void* memory) {
        arcwise::kernels::draw_orders(block, *computation, *draws, memory);
    });
}

void walk_canonical_orders(u64 blocks, int threads, u64 shared, const CanonicalChains* chains,
                           u64 first_step, u64 steps) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void* memory) {
        walk(block, *chains, first_step, steps, memory);
    });
}

void start_canonical_orders(u64 blocks, int threads, u64 shared, const CanonicalChains* chains,
                            u64 draws) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void*) {
        arcwise::kernels::start_canonical_orders(block, *chains, draws);
    });
}

void reweigh_canonical_orders(u64 blocks, int threads, u64 shared, const CanonicalChains* chains) {
    run_blocks(blocks, threads, shared,
               [&](const Block& block, void*) { reweigh_orders(block, *chains); });
}

void observe_canonical_orders(u64 blocks, int threads, u64 shared, const CanonicalChains* chains,
                              const CanonicalRecord* record, u64 position) {
    run_blocks(blocks, threads, shared,
               [&](const Block& block, void*) { observe(block, *chains, *record, position); });
}

void number_canonical_orders(u64 blocks, int threads, u64 shared, const CanonicalChains* chains,
                             u16* parents, u64 renumbers, u64 position) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void*) {
        number_orders(block, *chains, parents, renumbers, position);
    });
}

void copy_canonical_orders(u64 blocks, int threads, u64 shared, const CanonicalChains* chains,
                           const CanonicalChains* to, const u32* from) {
    run_blocks(blocks, threads, shared,
               [&](const Block& block, void*) { copy_orders(block, *chains, *to, from); });
}

void relocate_canonical_orders(u64 blocks, int threads, u64 shared, const CanonicalChains* chains,
                               u64 position) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void* memory) {
        relocate_orders(block, *chains, position, memory);
    });
}

void exchange_replica_pairs(u64 blocks, int threads, u64 shared, const CanonicalChains* chains,
                            const ReplicaGroups* replicas, u64 pass) {
    run_blocks(blocks, threads, shared,
               [&](const Block& block, void*) { exchange_pairs(block, *chains, *replicas, pass); });
}

void exchange_replica_groups(u64 blocks, int threads, u64 shared, const CanonicalChains* chains,
                             const ReplicaGroups* replicas, u64 first_pass, u64 passes) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void*) {
        exchange_groups(block, *chains, *replicas, first_pass, passes);
    });
}

void add_replica_ratios(u64 blocks, int threads, u64 shared, const CanonicalChains* chains,
                        const ReplicaGroups* replicas) {
    run_blocks(blocks, threads, shared,
               [&](const Block& block, void*) { add_ratios(block, *chains, *replicas); });
}

void place_modular_families(u64 blocks, int threads, u64 shared, const ModularTables* tables,
                            const ListedFamilies* families) {
    run_blocks(blocks, threads, shared,
               [&](const Block& block, void*) { place_families(block, *tables, *families); });
}

void add_modular_sums(u64 blocks, int threads, u64 shared, const ModularTables* tables, u64 bit,
                      u64 to_larger) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void*) {
        add_along_bit(block, *tables, bit, to_larger != 0);
    });
}

void fill_modular_scales(u64 blocks, int threads, u64 shared, const ModularTables* tables, u64 size,
                         u64 count) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void*) {
        fill_scales(block, *tables, static_cast<u32>(size), count);
    });
}

void fill_modular_beyond(u64 blocks, int threads, u64 shared, const ModularTables* tables, u64 size,
                         u64 count) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void* memory) {
        fill_beyond(block, *tables, static_cast<u32>(size), count, memory);
    });
}

void fill_modular_on(u64 blocks, int threads, u64 shared, const ModularTables* tables,
                     const u32* high_sets, u64 count) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void* memory) {
        fill_on(block, *tables, high_sets, count, memory);
    });
}

void fill_modular_shares(u64 blocks, int threads, u64 shared, const ModularTables* tables, u64 size,
                         u64 count) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void* memory) {
        fill_shares(block, *tables, static_cast<u32>(size), count, memory);
    });
}

void divide_modular_shares(u64 blocks, int threads, u64 shared, const ModularTables* tables) {
    run_blocks(blocks, threads, shared,
               [&](const Block& block, void*) { divide_shares(block, *tables); });
}

void find_modular_probabilities(u64 blocks, int threads, u64 shared, const ModularTables* tables,
                                const ListedFamilies* families) {
    run_blocks(blocks, threads, shared,
               [&](const Block& block, void*) { find_probabilities(block, *tables, *families); });
}

void score_discrete_sets(u64 blocks, int threads, u64 shared, const DiscreteScores* scores,
                         u64 first_item, u64 count) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void* memory) {
        score_sets(block, *scores, first_item, count, memory);
    });
}

void add_column_products(u64 blocks, int threads, u64 shared, const ScatterSums* scatter) {
    run_blocks(blocks, threads, shared,
               [&](const Block& block, void* memory) { add_scatter(block, *scatter, memory); });
}

void score_gaussian_families(u64 blocks, int threads, u64 shared, const GaussianScores* scores,
                             u64 first_item, u64 count) {
    run_blocks(blocks, threads, shared, [&](const Block& block, void* memory) {
        score_families(block, *scores, first_item, count, memory);
    });
}

// For tests of the parts.
void philox_words(u64 seed, u64 stream, u64 position, u32* words) {
    const FourWords found = philox(seed, stream, position);
    words[0] = found.a;
    words[1] = found.b;
    words[2] = found.c;
    words[3] = found.d;
}

double exponential_of(double x) { return exponential(x); }
double logarithm_of(double x) { return logarithm(x); }
double log_gamma_of(double x) { return log_gamma(x); }

// ln of the density, or of a bound on it, with the node of a place at each place: [chain][place].
void log_densities_of_places(const CanonicalChains* chains, u64 from, double* densities) {
    const CanonicalTables tables(*chains);
    for (u64 chain = 0; chain < chains->chains; ++chain) {
        const ListedOrder order(*chains, chain);
        weigh_places(order, tables, chains->before, static_cast<int>(from),
                     [&](int place, UnitWeight weight) {
                         densities[chain * chains->nodes + static_cast<u64>(place)] =
                             chains->before.log_density(weight);
                     });
        carry(order, tables, tables.nodes - 1, static_cast<int>(from));
    }
}

// ln of the acceptance ratio of a swap in the order of each chain, by the bound on it as well.
void log_ratios_of_swap(const CanonicalChains* chains, u64 first, u64 last, double* exact,
                        double* above) {
    const CanonicalTables tables(*chains);
    const Target& target = chains->before;
    for (u64 chain = 0; chain < chains->chains; ++chain) {
        const ListedOrder order(*chains, chain);
        const bool refuses = target.penalty == -minus_infinity();
        const auto ratio = [&](bool* rough) {
            return target.log_density(change_of_swap(order, tables, static_cast<int>(first),
                                                     static_cast<int>(last), target.bridge, refuses,
                                                     rough));
        };
        bool rough = false;
        exact[chain] = ratio(nullptr);
        above[chain] = ratio(&rough);
    }
}

// How many of the 2^32 words accept a change, which are the lowest ones.
u64 accepting_words(double change) {
    u64 low = 0;
    u64 high = u64{1} << 32;
    while (low < high) {
        const u64 middle = (low + high) / 2;
        if (accepts(change, static_cast<u32>(middle))) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // extern "C"
