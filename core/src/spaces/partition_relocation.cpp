// Relocation of one node: a draw from its law given the partition of the others.
//
// The node is put into one of the parts left, or into a part of its own in one of the gaps around
// them, in proportion to the weight of the partition. With the parts left numbered from 0, place 2i
// is the gap before part i and place 2i + 1 is in part i.
#include <algorithm>
#include <limits>

#include "arcwise/sums/log_space.hpp"
#include "partition.hpp"

namespace arcwise {
namespace {

constexpr int name_of_move = 4;

}  // namespace

Partition::Way Partition::way_now(const Moved& moved, int part) const {
    if (part <= moved.home) return not_before;
    if (part > moved.home + 1) return before;
    return moved.alone ? alone_before : in_part_before;
}

// The sets of a node with the moved one nowhere.
void Partition::set_without(const Moved& moved, int node, Word* sets) const {
    copy_sets(this->sets(node), sets);
    const int part = part_of_[static_cast<std::size_t>(node)];
    if (part > moved.home) flip_allowed(sets, node, moved.node);
    if (part != moved.home + 1) return;
    if (moved.alone) {
        need(moved.home - 1, sets, node);
    } else {
        flip_needed(sets, node, moved.node);
    }
}

void Partition::weigh_ways(const Moved& moved) {
    std::size_t left = 0;
    Word* sets = some_sets_.data();
    for (int part = 0; part < parts(); ++part) {
        if (moved.alone && part == moved.home) continue;
        const Way now = way_now(moved, part);
        const bool first = left == 0;
        auto& sums = part_ways_[left++];
        sums = {};
        LogWeight unmoved;
        for (const int node : members(part)) {
            if (node == moved.node) continue;
            const auto at = static_cast<std::size_t>(node);
            const bool possible = weights_.sums().place(node, moved.node) >= 0;
            if (!possible && now != alone_before) {
                unmoved = unmoved + node_weights_[at];
                sums[alone_before] = sums[alone_before] + LogWeight{weights_.stand_in(node), 1};
                continue;
            }
            auto& of_node = ways_[at];
            const auto weigh_way = [&](Way way) {
                of_node[way] =
                    way == now ? node_weights_[at] : weigh(node, sets, first && way == not_before);
            };
            set_without(moved, node, sets);
            weigh_way(not_before);
            of_node[before] = of_node[in_part_before] = of_node[not_before];
            if (possible) {
                flip_allowed(sets, node, moved.node);
                if (!first) {  // nothing but the moved node can come before the first part
                    weigh_way(before);
                    flip_needed(sets, node, moved.node);
                    weigh_way(in_part_before);
                }
                need_none(sets);
                flip_needed(sets, node, moved.node);
                weigh_way(alone_before);
            } else {
                of_node[alone_before] = {weights_.stand_in(node), 1};
            }
            for (std::size_t way = 0; way < ways; ++way) sums[way] = sums[way] + of_node[way];
        }
        for (const Way way : {not_before, before, in_part_before}) {
            sums[way] = sums[way] + unmoved;
        }
    }
}

// The moved node's own weight is the same in a part and in the gap before it.
void Partition::weigh_own(const Moved& moved) {
    Word* sets = some_sets_.data();
    std::fill_n(sets, 2 * words_, 0);
    std::size_t left = 0;
    own_[0] = weigh(moved.node, sets, true);
    for (int part = 0; part < parts(); ++part) {
        if (moved.alone && part == moved.home) continue;
        need(part, sets, moved.node);
        for (std::size_t word = 0; word < words_; ++word) sets[word] |= sets[words_ + word];
        own_[++left] = weigh(moved.node, sets, false);
    }
}

Proposal Partition::propose_relocation(const Temperature& temperature, Random& random) {
    const auto node = static_cast<int>(random.below(nodes_));
    const int home = part_of_[static_cast<std::size_t>(node)];
    const Moved moved{node, home, size(home) == 1};
    const std::size_t left = static_cast<std::size_t>(parts()) - (moved.alone ? 1 : 0);
    if (left == 0) return {.move = name_of_move, .possible = false};
    weigh_ways(moved);
    weigh_own(moved);

    // later_[i]: the parts from i on, the moved node before all of them and their neighbours.
    later_[left] = later_[left + 1] = {};
    for (std::size_t part = left; part-- > 0;) {
        later_[part] = later_[part + 1] + part_ways_[part][before];
    }
    choices_.resize(2 * left + 1);
    LogWeight earlier;
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t place = 0; place < choices_.size(); ++place) {
        const bool gap = place % 2 == 0;
        if (!gap) earlier = earlier + part_ways_[place / 2][not_before];
        const std::size_t next = (place + 1) / 2;
        LogWeight total = earlier + own_[place / 2];
        if (next < left) {
            total =
                total + part_ways_[next][gap ? alone_before : in_part_before] + later_[next + 1];
        }
        choices_[place] = temperature.log_density(total);
        largest = std::max(largest, choices_[place]);
    }
    scaled_exp(choices_.data(), choices_.data(), largest, choices_.size());
    const std::size_t place = random.choose(choices_);
    stays_ = place == 2 * static_cast<std::size_t>(home) + (moved.alone ? 0 : 1);
    if (!stays_) relocate(moved, place);
    // A draw from the law given the others is always accepted: the ratio undoes the change.
    const double gained = temperature.log_density(proposed_) - temperature.log_density(weight_);
    return proposal(name_of_move, -gained);
}

void Partition::relocate(const Moved& moved, std::size_t place) {
    const bool gap = place % 2 == 0;
    const std::size_t next = (place + 1) / 2;  // the part left that comes right after
    std::size_t left = 0;
    for (int part = 0; part < parts(); ++part) {
        if (moved.alone && part == moved.home) continue;
        const Way now = way_now(moved, part);
        const Way way = left < next   ? not_before
                        : left > next ? before
                        : gap         ? alone_before
                                      : in_part_before;
        const int renumbered = static_cast<int>(left) + (gap && left >= next ? 1 : 0);
        for (const int node : members(part)) {
            const auto at = static_cast<std::size_t>(node);
            proposed_parts_[at] = renumbered;
            if (node == moved.node || way == now) continue;
            const bool possible = weights_.sums().place(node, moved.node) >= 0;
            if (!possible && now != alone_before && way != alone_before) continue;
            Word* changed = begin_change(node, left == 0 && way == not_before);
            set_without(moved, node, changed);
            if (way != not_before) flip_allowed(changed, node, moved.node);
            if (way == alone_before) need_none(changed);
            if (way >= in_part_before) flip_needed(changed, node, moved.node);
            const LogWeight impossible{weights_.stand_in(node), 1};
            end_change(changes_.size() - 1,
                       possible || now == alone_before ? ways_[at][way] : impossible);
        }
        ++left;
    }
    const auto part_then = static_cast<int>(place / 2);
    proposed_parts_[static_cast<std::size_t>(moved.node)] = part_then;
    Word* changed = begin_change(moved.node, part_then == 0);
    set_by(proposed_parts_, moved.node, changed);
    end_change(changes_.size() - 1, own_[place / 2]);
}

}  // namespace arcwise
