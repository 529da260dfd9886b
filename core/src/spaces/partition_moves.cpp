// Split, join and swaps: moves that score the nodes of a few parts.
#include <algorithm>
#include <cmath>

#include "arcwise/support/special.hpp"
#include "part_pairs.hpp"
#include "partition.hpp"

namespace arcwise {
namespace {

// By Partitions::move_names.
enum Name { split, join, swapped_adjacent, swapped };

}  // namespace

// A part of two or more nodes, the size of what goes first, then which nodes do: all drawn
// uniformly and without replacement. The way back is the join of the two.
Proposal Partition::propose_split(Random& random) {
    std::vector<int> divisible;
    for (int part = 0; part < parts(); ++part) {
        if (sizes_[static_cast<std::size_t>(part)] > 1) divisible.push_back(part);
    }
    if (divisible.empty()) return {.move = split, .possible = false};
    const int part = divisible[random.below(divisible.size())];
    const std::size_t size = sizes_[static_cast<std::size_t>(part)];
    const std::size_t first_size = 1 + random.below(size - 1);

    proposed_parts_ = part_of_;
    for (int& of_node : proposed_parts_) of_node += of_node >= part ? 1 : 0;
    std::vector<int> members;
    for (std::size_t node = 0; node < nodes_; ++node) {
        if (part_of_[node] == part) members.push_back(static_cast<int>(node));
    }
    for (std::size_t i = 0; i < first_size; ++i) {
        std::swap(members[i], members[i + random.below(size - i)]);
        proposed_parts_[static_cast<std::size_t>(members[i])] = part;
    }
    // Those that stay behind now need a parent in the new part, and the part after them has lost
    // some of those it could have one in.
    for (std::size_t node = 0; node < nodes_; ++node) {
        const int now = proposed_parts_[node];
        if (now == part + 1 || now == part + 2) change(static_cast<int>(node));
    }
    const double log_there =
        -std::log(static_cast<double>(divisible.size())) - std::log(static_cast<double>(size - 1)) -
        log_binomial(static_cast<double>(size), static_cast<double>(first_size));
    const double log_back = -std::log(static_cast<double>(parts()));  // pairs of neighbours then
    return proposal(split, log_back - log_there);
}

Proposal Partition::propose_join(Random& random) {
    if (parts() < 2) return {.move = join, .possible = false};
    const auto part = static_cast<int>(random.below(static_cast<std::size_t>(parts()) - 1));
    const std::size_t first_size = sizes_[static_cast<std::size_t>(part)];
    const std::size_t size = first_size + sizes_[static_cast<std::size_t>(part) + 1];
    proposed_parts_ = part_of_;
    for (int& of_node : proposed_parts_) of_node -= of_node > part ? 1 : 0;
    std::size_t divisible = 1;
    for (int other = 0; other < parts(); ++other) {
        const bool apart = other != part && other != part + 1;
        if (apart && sizes_[static_cast<std::size_t>(other)] > 1) ++divisible;
    }
    for (std::size_t node = 0; node < nodes_; ++node) {
        if (part_of_[node] == part + 1 || part_of_[node] == part + 2) {
            change(static_cast<int>(node));
        }
    }
    const double log_there = -std::log(static_cast<double>(parts()) - 1.0);
    const double log_back =
        -std::log(static_cast<double>(divisible)) - std::log(static_cast<double>(size - 1)) -
        log_binomial(static_cast<double>(size), static_cast<double>(first_size));
    return proposal(join, log_back - log_there);
}

// Sizes stay, so there are as many pairs on the way back.
Proposal Partition::propose_swap(Random& random, bool adjacent) {
    const int move = adjacent ? swapped_adjacent : swapped;
    const auto pair = choose_pair(sizes_, adjacent, random);
    if (!pair) return {.move = move, .possible = false};
    const int early_part = pair->early_part;
    const int late_part = pair->late_part;
    const int early = member(early_part, pair->early);
    const int late = member(late_part, pair->late);

    proposed_parts_ = part_of_;
    proposed_parts_[static_cast<std::size_t>(early)] = late_part;
    proposed_parts_[static_cast<std::size_t>(late)] = early_part;
    for (std::size_t node = 0; node < nodes_; ++node) {
        const int v = static_cast<int>(node);
        const int part = proposed_parts_[node];
        if (v == early || v == late || (part > early_part && part <= late_part + 1)) change(v);
    }
    return proposal(move, 0.0);
}

}  // namespace arcwise
