// The table of the moves of a partition; split, join and swaps, which score the nodes of a few
// parts.
#include <algorithm>

#include "arcwise/spaces/partitions/partition.hpp"

namespace arcwise {
namespace {

using Word = Partition::Word;

// A part of two or more nodes, the size of what goes first, then which nodes do: all drawn
// uniformly and without replacement. The way back is the join of the two.
class Split final : public Move {
  public:
    explicit Split(Partition& partition) : partition_(partition) {}

    Proposal propose(const Temperature&, Random& random) override {
        Partition& now = partition_;
        std::size_t divisible = 0;
        for (int part = 0; part < now.parts(); ++part) divisible += now.size(part) > 1 ? 1u : 0u;
        if (divisible == 0) return {.possible = false};
        int part = -1;
        for (std::size_t index = random.below(divisible) + 1; index > 0;) {
            index -= now.size(++part) > 1 ? 1u : 0u;
        }
        const std::size_t all = now.size(part);
        const std::size_t first_size = 1 + random.below(all - 1);
        nodes_.assign(now.members(part).begin(), now.members(part).end());
        random.draw_to_front(std::span(nodes_), first_size);
        const std::span<const int> first(nodes_.data(), first_size);

        // Those that stay behind now need a parent in the new part, and the part after them has
        // lost some of those it could have one in.
        for (std::size_t i = first_size; i < all; ++i) {
            const int node = nodes_[i];
            Word* changed = now.begin_change(node, false);
            now.need_none(changed);
            for (const int parent : first) {
                now.flip_allowed(changed, node, parent);
                now.flip_needed(changed, node, parent);
            }
        }
        if (part + 1 < now.parts()) {
            for (const int node : now.members(part + 1)) {
                Word* changed = now.begin_change(node, false);
                bool loses = false;
                for (const int parent : first) loses |= now.flip_needed(changed, node, parent);
                if (!loses) now.drop_change();
            }
        }
        now.weigh_changes();

        const std::vector<int>& part_of = now.by_part().part_of();
        for (std::size_t node = 0; node < part_of.size(); ++node) {
            now.proposed_parts()[node] = part_of[node] + (part_of[node] >= part ? 1 : 0);
        }
        for (const int node : first) now.proposed_parts()[static_cast<std::size_t>(node)] = part;
        const Partitions& space = now.space();
        const double log_there = -space.log_number(divisible) - space.log_splits(all, first_size);
        const double log_back = -space.log_number(now.by_part().count());  // neighbours then
        return now.proposal(log_back - log_there);
    }

  private:
    Partition& partition_;
    std::vector<int> nodes_;
};

class Join final : public Move {
  public:
    explicit Join(Partition& partition) : partition_(partition) {}

    Proposal propose(const Temperature&, Random& random) override {
        Partition& now = partition_;
        if (now.parts() < 2) return {.possible = false};
        const auto part = static_cast<int>(random.below(now.by_part().count() - 1));
        const std::span<const int> first = now.members(part);
        for (const int node : now.members(part + 1)) {
            Word* changed = now.begin_change(node, part == 0);
            for (const int parent : first) now.flip_allowed(changed, node, parent);
            now.need(part - 1, changed, node);
        }
        if (part + 2 < now.parts()) {
            for (const int node : now.members(part + 2)) {
                Word* changed = now.begin_change(node, false);
                bool gains = false;
                for (const int parent : first) gains |= now.flip_needed(changed, node, parent);
                if (!gains) now.drop_change();
            }
        }
        now.weigh_changes();

        std::size_t divisible = 1;
        for (int other = 0; other < now.parts(); ++other) {
            const bool apart = other != part && other != part + 1;
            divisible += apart && now.size(other) > 1 ? 1u : 0u;
        }
        const std::vector<int>& part_of = now.by_part().part_of();
        for (std::size_t node = 0; node < part_of.size(); ++node) {
            now.proposed_parts()[node] = part_of[node] - (part_of[node] > part ? 1 : 0);
        }
        const Partitions& space = now.space();
        const double log_there = -space.log_number(now.by_part().count() - 1);
        const double log_back = -space.log_number(divisible) -
                                space.log_splits(first.size() + now.size(part + 1), first.size());
        return now.proposal(log_back - log_there);
    }

  private:
    Partition& partition_;
};

// Of two nodes of different parts, or of neighbouring ones. Sizes stay, so there are as many pairs
// on the way back.
template <bool adjacent>
class Swap final : public Move {
  public:
    explicit Swap(Partition& partition) : partition_(partition) {}

    Proposal propose(const Temperature&, Random& random) override {
        Partition& now = partition_;
        const auto pair = choose_pair(now.by_part(), adjacent, random);
        if (!pair) return {.possible = false};
        const auto [early, late] = *pair;
        const int early_part = now.part_of(early);
        const int late_part = now.part_of(late);

        // `early` gains, and `late` loses, all that is between them, and each other.
        Word* of_early = now.begin_change(early, false);
        Word* of_late = now.begin_change(late, early_part == 0);
        for (int part = early_part; part < late_part; ++part) {
            for (const int node : now.members(part)) {
                now.flip_allowed(of_early, early, node);
                now.flip_allowed(of_late, late, node);
            }
        }
        now.flip_allowed(of_early, early, late);
        now.need(late_part - 1, of_early, early);
        if (late_part - 1 == early_part) now.flip_needed(of_early, early, late);
        now.need(early_part - 1, of_late, late);

        const Partitions& space = now.space();
        const int last = std::min(late_part + 1, now.parts() - 1);
        for (int part = early_part + 1; part <= last; ++part) {
            for (const int node : now.members(part)) {
                const bool sees =
                    space.can_be_parent(early, node) || space.can_be_parent(late, node);
                if (!sees || node == late) continue;
                Word* changed = now.begin_change(node, false);
                if (part <= late_part) {
                    now.flip_allowed(changed, node, early);
                    now.flip_allowed(changed, node, late);
                }
                if (part == early_part + 1 || part == late_part + 1) {
                    now.flip_needed(changed, node, early);
                    now.flip_needed(changed, node, late);
                }
            }
        }
        now.weigh_changes();
        std::vector<int>& proposed = now.proposed_parts();
        proposed = now.by_part().part_of();
        proposed[static_cast<std::size_t>(early)] = late_part;
        proposed[static_cast<std::size_t>(late)] = early_part;
        return now.proposal(0.0);
    }

  private:
    Partition& partition_;
};

}  // namespace

const std::vector<MoveRow<Partition>>& partition_moves() {
    static const std::vector<MoveRow<Partition>> rows = {
        {"split", 0.1, make_move<Split>, "split or join"},
        {"join", 0.1, make_move<Join>, "split or join"},
        {"swap adjacent", 0.2, make_move<Swap<true>>},
        {"swap", 0.05, make_move<Swap<false>>},
        {"relocate", 0.35, make_relocation},
        {Partitions::reversal, 0.2, make_reversal},
    };
    return rows;
}

}  // namespace arcwise
