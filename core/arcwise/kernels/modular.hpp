// The kernels of the exact modular posterior.
#pragma once

#include "arcwise/kernels/modular_sets.hpp"
#include "arcwise/kernels/modular_tables.hpp"
#include "arcwise/kernels/modular_tiles.hpp"

#if defined(__CUDACC__)
extern "C" {
__global__ void place_modular_families(const arcwise::kernels::ModularTables* tables,
                                       const arcwise::kernels::ListedFamilies* families) {
    arcwise::kernels::place_families(arcwise::kernels::Block{}, *tables, *families);
}

__global__ void add_modular_sums(const arcwise::kernels::ModularTables* tables,
                                 unsigned long long bit, unsigned long long to_larger) {
    arcwise::kernels::add_along_bit(arcwise::kernels::Block{}, *tables, bit, to_larger != 0);
}

__global__ void fill_modular_scales(const arcwise::kernels::ModularTables* tables,
                                    unsigned long long size, unsigned long long count) {
    const auto own = *tables;
    arcwise::kernels::fill_scales(arcwise::kernels::Block{}, own, static_cast<unsigned int>(size),
                                  count);
}

__global__ void fill_modular_beyond(const arcwise::kernels::ModularTables* tables,
                                    unsigned long long size, unsigned long long count) {
    extern __shared__ double memory[];
    const auto own = *tables;
    arcwise::kernels::fill_beyond(arcwise::kernels::Block{}, own, static_cast<unsigned int>(size),
                                  count, memory);
}

__global__ void fill_modular_on(const arcwise::kernels::ModularTables* tables,
                                const unsigned int* high_sets, unsigned long long count) {
    extern __shared__ double memory[];
    const auto own = *tables;
    arcwise::kernels::fill_on(arcwise::kernels::Block{}, own, high_sets, count, memory);
}

__global__ void fill_modular_shares(const arcwise::kernels::ModularTables* tables,
                                    unsigned long long size, unsigned long long count) {
    extern __shared__ double memory[];
    const auto own = *tables;
    arcwise::kernels::fill_shares(arcwise::kernels::Block{}, own, static_cast<unsigned int>(size),
                                  count, memory);
}

__global__ void divide_modular_shares(const arcwise::kernels::ModularTables* tables) {
    arcwise::kernels::divide_shares(arcwise::kernels::Block{}, *tables);
}

__global__ void find_modular_probabilities(const arcwise::kernels::ModularTables* tables,
                                           const arcwise::kernels::ListedFamilies* families) {
    arcwise::kernels::find_probabilities(arcwise::kernels::Block{}, *tables, *families);
}
}
#endif
