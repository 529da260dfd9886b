// Relocation of one node: a draw from its law given the partition of the others.
#include <algorithm>
#include <cmath>
#include <limits>

#include "partition_weight.hpp"

namespace arcwise {
namespace {

constexpr int name_of_move = 4;
constexpr int nowhere = std::numeric_limits<int>::max();

// How another node w, in part i of those left, can see the node that is moved: not before it,
// further before, in the part before i, or alone right before i.
enum Way { not_before, before, in_part_before, alone_before, ways };

}  // namespace

// The node is put into one of the parts left, or into a part of its own in one of the gaps around
// them, in proportion to the weight of the partition. The parts left have the even numbers 2, 4,
// .., and the gaps before, between and after them the odd ones: place p is in part p / 2 or in the
// gap before part (p + 1) / 2.
Proposal Partition::propose_relocation(const Temperature& temperature, Random& random) {
    const auto moved = static_cast<int>(random.below(nodes_));
    const int home = part_of_[static_cast<std::size_t>(moved)];
    const bool alone = sizes_[static_cast<std::size_t>(home)] == 1;
    const auto left = static_cast<std::size_t>(parts() - (alone ? 1 : 0));
    if (left == 0) return {.move = name_of_move, .possible = false};
    others_.resize(nodes_);
    for (std::size_t node = 0; node < nodes_; ++node) {
        others_[node] = 2 * (part_of_[node] - (alone && part_of_[node] > home ? 1 : 0)) + 2;
    }
    // The weight of a node in part number `part`, with the moved one at `place`.
    const auto weigh_at = [&](int node, int part, int place) {
        const int needed = place == part - 1 ? place : part - 2;
        return weigh_with(node, part, needed, part == 2 && place != 1, [&](int parent) {
            return parent == moved ? place : others_[static_cast<std::size_t>(parent)];
        });
    };

    ways_.resize(ways * nodes_);
    part_ways_.assign(ways * (left + 1), {});
    for (std::size_t node = 0; node < nodes_; ++node) {
        const int v = static_cast<int>(node);
        if (v == moved) continue;
        const int part = others_[node];
        const bool can_be_parent = weights_.sums().place(v, moved) >= 0;
        const int places[] = {nowhere, part - 3, part - 2, part - 1};
        for (std::size_t way = 0; way < ways; ++way) {
            LogWeight& weight = ways_[ways * node + way];
            if (way == not_before || can_be_parent) {
                weight = weigh_at(v, part, places[way]);
            } else {
                weight = way == alone_before ? LogWeight{weights_.stand_in(v), 1}
                                             : ways_[ways * node + not_before];
            }
            LogWeight& sum = part_ways_[ways * static_cast<std::size_t>(part / 2) + way];
            sum = sum + weight;
        }
    }
    // later_[i]: the parts from i on, the moved node before all of them and their neighbours.
    later_.assign(left + 3, {});
    for (std::size_t part = left; part > 0; --part) {
        later_[part] = later_[part + 1] + part_ways_[ways * part + before];
    }
    const std::size_t count = 2 * left + 1;
    totals_.resize(count);
    choices_.resize(count);
    LogWeight earlier;
    LogWeight own;
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t place = 1; place <= count; ++place) {
        const std::size_t upto = place / 2;  // parts that come no later
        const bool gap = place % 2 == 1;
        // Its own sum is the same in a part and in the gap before it.
        if (gap) own = weigh_at(moved, static_cast<int>(place) + 1, nowhere);
        if (!gap) earlier = earlier + part_ways_[ways * upto + not_before];
        LogWeight total = earlier + own;
        if (upto < left) {
            total = total + part_ways_[ways * (upto + 1) + (gap ? alone_before : in_part_before)] +
                    later_[upto + 2];
        }
        totals_[place - 1] = total;
        choices_[place - 1] = temperature.log_density(total);
        largest = std::max(largest, choices_[place - 1]);
    }
    for (double& choice : choices_) choice = std::exp(choice - largest);
    const std::size_t chosen = random.choose(choices_) + 1;

    const bool gap = chosen % 2 == 1;
    const auto upto = static_cast<int>(chosen / 2);
    proposed_parts_.resize(nodes_);
    for (std::size_t node = 0; node < nodes_; ++node) {
        const int v = static_cast<int>(node);
        const int part = others_[node] / 2;
        if (v == moved) {
            proposed_parts_[node] = gap ? upto : upto - 1;
            continue;
        }
        proposed_parts_[node] = part - 1 + (gap && part > upto ? 1 : 0);
        const std::size_t way = part <= upto      ? not_before
                                : part > upto + 1 ? before
                                : gap             ? alone_before
                                                  : in_part_before;
        change(v, ways_[ways * node + way]);
    }
    change(moved);
    // A draw from the law given the others is always accepted: the ratio undoes the change.
    const double gained = temperature.log_density(proposed_) - temperature.log_density(weight_);
    return proposal(name_of_move, -gained);
}

}  // namespace arcwise
