// Which sets of variables a launch scores: the parent sets of nodes, each with its node, or all
// sets up to a size.
//
// An item is a set. A thread finds its members from its number alone, as `SubsetLayout` ranks sets,
// so that no list of sets is held: a million of them would take longer to send than to score.
#pragma once

#include "arcwise/kernels/platform.hpp"

namespace arcwise::kernels {

constexpr u64 no_node = ~u64{0};

// Sets that are made alike: any of a pool up to a size, the required variables, one of others if
// there are any, and the node. Every field takes eight bytes.
struct SetWalk {
    u64 first_item;
    u64 node;      // `no_node` if these are sets without one
    u64 numbers;   // where its variables are listed: the pool, the required ones, the others
    u64 pool;      // how many
    u64 required;  // likewise
    u64 others;    // likewise; sets with each of them stand side by side
    u64 most;      // of the pool
    u64 below;     // where its numbers of sets begin
};

struct SetWalks {
    u64 count;
    const SetWalk* list;
    const u32* numbers;
    const u64* below;  // [size][element]: sets of up to so many members, all below the element

    // The walk of an item: the last one that does not begin after it.
    ARCWISE_DEVICE SetWalk walk_of(u64 item) const {
        u64 low = 0;
        u64 high = count;
        while (high - low > 1) {
            const u64 middle = (low + high) / 2;
            if (list[middle].first_item <= item) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return list[low];
    }

    // Calls place(i, variable) for the i-th member of an item of a walk, the node last; returns how
    // many there are.
    template <class Place>
    ARCWISE_DEVICE u32 members(const SetWalk& walk, u64 item, Place place) const {
        const u32* variables = numbers + walk.numbers;
        const u64 of_others = walk.others == 0 ? 1 : walk.others;
        const u64 own = item - walk.first_item;
        u64 rank = own / of_others;
        u32 size = 0;
        u64 limit = walk.pool;
        for (u64 room = walk.most; rank > 0; --room) {
            // The largest member is the last one with no more sets below it than the rank.
            const u64* sets_below = below + walk.below + room * (walk.pool + 1);
            u64 low = 0;
            while (limit - low > 1) {
                const u64 middle = (low + limit) / 2;
                if (sets_below[middle] <= rank) {
                    low = middle;
                } else {
                    limit = middle;
                }
            }
            place(size++, variables[low]);
            rank -= sets_below[low];
            limit = low;
        }
        for (u64 i = 0; i < walk.required; ++i) place(size++, variables[walk.pool + i]);
        if (walk.others != 0) {
            place(size++, variables[walk.pool + walk.required + own % of_others]);
        }
        if (walk.node != no_node) place(size++, static_cast<u32>(walk.node));
        return size;
    }
};

}  // namespace arcwise::kernels
