// Reversal of an edge, with both ends' parents drawn anew.
//
// The move of Grzegorczyk and Husmeier (2008), "Improving the structure MCMC sampler for Bayesian
// networks by introducing a new edge reversal move", made from a partition: a DAG G is drawn from
// it, an edge i -> j of G is chosen, both ends lose their parents, i gets new ones with j among
// them and then j gets new ones, each in proportion to its weight among those that close no cycle.
// The partition of the DAG that comes out is proposed.
//
// The edge is that to a random node with parents from a random one of them. So of G only those
// families matter that decide what is below i and j, and no others are drawn.
#include <algorithm>
#include <bit>
#include <limits>

#include "arcwise/spaces/given_predecessors.hpp"
#include "arcwise/spaces/partitions/partition.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

constexpr int name_of_move = 5;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// Whether a node is below the tail or the head of the edge once both have lost their parents, or
// is one of them.
constexpr unsigned char below_from = 1;
constexpr unsigned char below_to = 2;

}  // namespace

std::span<Partition::Word> Partition::row(int node) {
    const std::size_t words = words_for(nodes_);
    return {rows_.data() + static_cast<std::size_t>(node) * words, words};
}

void Partition::draw_family(int node, PartSets sets, double log_sum, Random& random) {
    const std::span<Word> parents = row(node);
    std::fill(parents.begin(), parents.end(), 0);
    add_family(weights_.sums(), node, draws_.draw(node, sets, log_sum, random), parents.data());
}

void Partition::enter_below(int node, unsigned char ends) {
    below_[static_cast<std::size_t>(node)] = ends;
    const std::span<const Word> children = space_.possible_children(node);
    for (std::size_t word = 0; word < children.size(); ++word) touched_[word] |= children[word];
}

// Parts in turn are an order of the DAG, so all parents of a node are known when it is reached.
void Partition::find_descendants(int from, int to, Random& random) {
    std::fill(below_.begin(), below_.end(), 0);
    std::fill(touched_.begin(), touched_.end(), 0);
    descendants_.clear();
    enter_below(from, below_from);
    const auto later = static_cast<std::size_t>(part_of_[static_cast<std::size_t>(from)]) + 1;
    for (std::size_t position = starts_[later]; position < nodes_; ++position) {
        const int node = order_[position];
        if (node == to) {
            enter_below(to, below_to);
        } else if (has_member(touched_.data(), node)) {
            draw_family(node, random);
            unsigned char ends = 0;
            for_each_member(row(node).data(), touched_.size(),
                            [&](int parent) { ends |= below_[static_cast<std::size_t>(parent)]; });
            if (ends == 0) continue;
            enter_below(node, ends);
            descendants_.push_back(node);
        }
    }
}

// The sets of a node whose parents are not below the given ends, `needed` among them if it is a
// node.
void Partition::set_outside(int node, unsigned char ends, int needed, Word* sets) const {
    std::fill_n(sets, 2 * words_, 0);
    const std::vector<int>& possible = weights_.sums().possible_parents(node);
    for (std::size_t place = 0; place < possible.size(); ++place) {
        const bool outside = (below_[static_cast<std::size_t>(possible[place])] & ends) == 0;
        sets[place / 64] |= Word{outside} << (place % 64);
    }
    if (needed >= 0) flip_needed(sets, node, needed);
}

void Partition::put_after_parents(int node) {
    int part = 0;
    for_each_member(row(node).data(), touched_.size(), [&](int parent) {
        part = std::max(part, proposed_parts_[static_cast<std::size_t>(parent)] + 1);
    });
    proposed_parts_[static_cast<std::size_t>(node)] = part;
}

Proposal Partition::propose_reversal(Random& random) {
    const Proposal impossible{.move = name_of_move, .possible = false};
    const std::size_t with_parents = nodes_ - size(0);
    if (weight_.impossible != 0 || with_parents == 0) return impossible;  // no DAG, or no edge
    const int to = order_[size(0) + random.below(with_parents)];
    draw_family(to, random);
    const std::size_t parents_of_to = count_members(row(to).data(), touched_.size());
    const int from = member_at(row(to).data(), random.below(parents_of_to));
    if (!space_.can_be_parent(to, from)) return impossible;
    find_descendants(from, to, random);

    // There: parents of `from` with `to` among them, then those of `to`. Back: those of `to` with
    // `from` among them, of which there are some, then those of `from`. Whoever comes second has
    // both ends below it.
    Word* of_from = new_sets();
    Word* of_to = new_sets();
    set_outside(to, below_to, from, of_to);
    const double back_to = sums_.log_sum(to, of_to);
    set_outside(from, below_from | below_to, -1, of_from);
    const double back_from = sums_.log_sum(from, of_from);
    set_outside(from, below_from, to, of_from);
    const double sum_from = sums_.log_sum(from, of_from);
    set_outside(to, below_from | below_to, -1, of_to);
    const double sum_to = sums_.log_sum(to, of_to);
    if (sum_from == minus_infinity || sum_to == minus_infinity) return impossible;
    draw_family(from, of_from, sum_from, random);
    draw_family(to, of_to, sum_to, random);

    // Only what is below the ends can change its part.
    proposed_parts_ = part_of_;
    put_after_parents(to);
    for (const int node : descendants_) {
        if (below_[static_cast<std::size_t>(node)] == below_to) put_after_parents(node);
    }
    put_after_parents(from);
    for (const int node : descendants_) {
        if (below_[static_cast<std::size_t>(node)] != below_to) put_after_parents(node);
    }
    descendants_.push_back(from);
    descendants_.push_back(to);
    change_moved(descendants_);
    std::size_t with_parents_then = with_parents;
    for (const int node : descendants_) {
        const auto at = static_cast<std::size_t>(node);
        with_parents_then += proposed_parts_[at] > 0 ? 1u : 0u;
        with_parents_then -= part_of_[at] > 0 ? 1u : 0u;
    }
    // Given its partition a DAG has the probability weight / weight of the partition; family
    // weights cancel against those in the probabilities to draw them.
    const double log_ratio = space_.log_number(with_parents) + space_.log_number(parents_of_to) -
                             space_.log_number(with_parents_then) -
                             space_.log_number(count_members(row(from).data(), touched_.size())) +
                             sum_from + sum_to - back_to - back_from -
                             (proposed_.value - weight_.value);
    return proposal(name_of_move, log_ratio);
}

// Changes the sets of all nodes to those of the proposed parts, when only some of the given nodes
// have another part. There, numbers of parts mean the same before and after.
void Partition::change_moved(std::span<const int> nodes) {
    const auto has_moved = [&](int node) {
        const auto at = static_cast<std::size_t>(node);
        return part_of_[at] != proposed_parts_[at];
    };
    for (const int node : nodes) {
        if (!has_moved(node)) continue;
        const int now = part_of_[static_cast<std::size_t>(node)];
        const int then = proposed_parts_[static_cast<std::size_t>(node)];
        set_by_parts(weights_.sums(), proposed_parts_, node, begin_change(node, then == 0));
        // Others see it pass if they are in between, or right after the part it leaves or enters.
        const auto first = static_cast<std::size_t>(std::min(now, then)) + 1;
        const auto last = static_cast<std::size_t>(std::min(std::max(now, then) + 1, parts() - 1));
        for (std::size_t position = starts_[first]; position < starts_[last + 1]; ++position) {
            const int other = order_[position];
            if (has_moved(other) || !space_.can_be_parent(node, other)) continue;
            const int part = part_of_[static_cast<std::size_t>(other)];
            int& change = change_of_[static_cast<std::size_t>(other)];
            if (change < 0) {
                change = static_cast<int>(changes_.size());
                begin_change(other, false);
            }
            Word* changed = changed_sets(static_cast<std::size_t>(change));
            if ((now < part) != (then < part)) flip_allowed(changed, other, node);
            if ((now == part - 1) != (then == part - 1)) flip_needed(changed, other, node);
        }
    }
    for (const Change& change : changes_) change_of_[static_cast<std::size_t>(change.node)] = -1;
    weigh_changes();
}

}  // namespace arcwise
