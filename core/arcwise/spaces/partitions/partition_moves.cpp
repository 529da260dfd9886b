// Split, join and swaps: moves that score the nodes of a few parts.
#include <algorithm>

#include "arcwise/spaces/partitions/partition.hpp"

namespace arcwise {
namespace {

// By Partitions::move_names.
enum Name { split, join, swapped_adjacent, swapped };

}  // namespace

// A part of two or more nodes, the size of what goes first, then which nodes do: all drawn
// uniformly and without replacement. The way back is the join of the two.
Proposal Partition::propose_split(Random& random) {
    std::size_t divisible = 0;
    for (int part = 0; part < parts(); ++part) divisible += size(part) > 1 ? 1u : 0u;
    if (divisible == 0) return {.move = split, .possible = false};
    int part = -1;
    for (std::size_t index = random.below(divisible) + 1; index > 0;) {
        index -= size(++part) > 1 ? 1u : 0u;
    }
    const std::size_t all = size(part);
    const std::size_t first_size = 1 + random.below(all - 1);

    some_nodes_.assign(members(part).begin(), members(part).end());
    random.draw_to_front(std::span(some_nodes_), first_size);
    const std::span<const int> first(some_nodes_.data(), first_size);
    // Those that stay behind now need a parent in the new part, and the part after them has lost
    // some of those it could have one in.
    for (std::size_t i = first_size; i < all; ++i) {
        const int node = some_nodes_[i];
        Word* changed = begin_change(node, false);
        need_none(changed);
        for (const int parent : first) {
            flip_allowed(changed, node, parent);
            flip_needed(changed, node, parent);
        }
    }
    if (part + 1 < parts()) {
        for (const int node : members(part + 1)) {
            Word* changed = begin_change(node, false);
            bool loses = false;
            for (const int parent : first) loses |= flip_needed(changed, node, parent);
            if (!loses) drop_change();
        }
    }
    weigh_changes();

    for (std::size_t node = 0; node < nodes_; ++node) {
        proposed_parts_[node] = part_of_[node] + (part_of_[node] >= part ? 1 : 0);
    }
    for (const int node : first) proposed_parts_[static_cast<std::size_t>(node)] = part;
    const double log_there = -space_.log_number(divisible) - space_.log_splits(all, first_size);
    const double log_back = -space_.log_number(starts_.size() - 1);  // pairs of neighbours then
    return proposal(split, log_back - log_there);
}

Proposal Partition::propose_join(Random& random) {
    if (parts() < 2) return {.move = join, .possible = false};
    const auto part = static_cast<int>(random.below(static_cast<std::size_t>(parts()) - 1));
    const std::span<const int> first = members(part);
    for (const int node : members(part + 1)) {
        Word* changed = begin_change(node, part == 0);
        for (const int parent : first) flip_allowed(changed, node, parent);
        need(part - 1, changed, node);
    }
    if (part + 2 < parts()) {
        for (const int node : members(part + 2)) {
            Word* changed = begin_change(node, false);
            bool gains = false;
            for (const int parent : first) gains |= flip_needed(changed, node, parent);
            if (!gains) drop_change();
        }
    }
    weigh_changes();

    std::size_t divisible = 1;
    for (int other = 0; other < parts(); ++other) {
        const bool apart = other != part && other != part + 1;
        divisible += apart && size(other) > 1 ? 1u : 0u;
    }
    for (std::size_t node = 0; node < nodes_; ++node) {
        proposed_parts_[node] = part_of_[node] - (part_of_[node] > part ? 1 : 0);
    }
    const double log_there = -space_.log_number(starts_.size() - 2);
    const double log_back = -space_.log_number(divisible) -
                            space_.log_splits(first.size() + size(part + 1), first.size());
    return proposal(join, log_back - log_there);
}

// Two nodes of different parts, or of neighbouring ones, every such pair with the same probability.
// Sizes stay, so there are as many pairs on the way back.
Proposal Partition::propose_swap(Random& random, bool adjacent) {
    const int move = adjacent ? swapped_adjacent : swapped;
    std::size_t pairs = 0;
    std::size_t earlier = 0;
    for (int part = 0; part < parts(); ++part) {
        pairs += size(part) * earlier;
        earlier = adjacent ? size(part) : earlier + size(part);
    }
    if (pairs == 0) return {.move = move, .possible = false};
    std::size_t index = random.below(pairs);
    int late_part = 0;
    earlier = 0;
    for (; index >= size(late_part) * earlier; ++late_part) {
        index -= size(late_part) * earlier;
        earlier = adjacent ? size(late_part) : earlier + size(late_part);
    }
    const int late = members(late_part)[index / earlier];
    // The nodes it can be swapped with are those right before its part.
    const int early =
        order_[starts_[static_cast<std::size_t>(late_part)] - earlier + index % earlier];
    const int early_part = part_of_[static_cast<std::size_t>(early)];

    // `early` gains, and `late` loses, all that is between them, and each other.
    Word* of_early = begin_change(early, false);
    Word* of_late = begin_change(late, early_part == 0);
    for (int part = early_part; part < late_part; ++part) {
        for (const int node : members(part)) {
            flip_allowed(of_early, early, node);
            flip_allowed(of_late, late, node);
        }
    }
    flip_allowed(of_early, early, late);
    need(late_part - 1, of_early, early);
    if (late_part - 1 == early_part) flip_needed(of_early, early, late);
    need(early_part - 1, of_late, late);

    for (int part = early_part + 1; part <= std::min(late_part + 1, parts() - 1); ++part) {
        for (const int node : members(part)) {
            const bool sees = space_.can_be_parent(early, node) || space_.can_be_parent(late, node);
            if (!sees || node == late) continue;
            Word* changed = begin_change(node, false);
            if (part <= late_part) {
                flip_allowed(changed, node, early);
                flip_allowed(changed, node, late);
            }
            if (part == early_part + 1 || part == late_part + 1) {
                flip_needed(changed, node, early);
                flip_needed(changed, node, late);
            }
        }
    }
    weigh_changes();
    proposed_parts_ = part_of_;
    proposed_parts_[static_cast<std::size_t>(early)] = late_part;
    proposed_parts_[static_cast<std::size_t>(late)] = early_part;
    return proposal(move, 0.0);
}

}  // namespace arcwise
