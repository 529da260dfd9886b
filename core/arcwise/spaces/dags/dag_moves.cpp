// Moves of a DAG: one edge added, deleted or reversed, a path turned round, the parents of a node
// drawn anew, and a reversal that draws the parents of both ends.
#include <algorithm>
#include <bit>
#include <cmath>

#include "arcwise/spaces/dags/dag_state.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// By Dags::move_names.
enum Name { added, deleted, reversed, reversed_path, redrawn, reversed_and_redrawn };

double log_of(std::size_t count) { return std::log(static_cast<double>(count)); }

}  // namespace

Proposal DagState::propose(const Temperature& temperature, Random& random) {
    changed_.clear();
    proposed_ = weight_;
    const bool hot = !std::isinf(temperature.penalty);
    const auto move = static_cast<int>(random.choose(space_.name_weights(hot)));
    renew_neighbours_ = move <= reversed;
    if (renew_neighbours_) {
        // Where the target excludes what the model has no family for, so do the proposals.
        neighbours_.look_at(dag_, hot ? NeighbourRule::any : NeighbourRule::families);
    }
    switch (move) {
        case added:
            return propose_add(random);
        case deleted:
            return propose_delete(random);
        case reversed:
            return propose_reverse(random);
        case reversed_path:
            return propose_reverse_path(random);
        case redrawn:
            return propose_parents(random);
        default:
            return propose_reverse_and_redraw(random);
    }
}

// An edge is added as one of those that can be, and taken back as one of those that can be deleted
// from the DAG that has it.
Proposal DagState::propose_add(Random& random) {
    const std::size_t count = neighbours_.count(DagNeighbours::add);
    if (count == 0) return {.move = added, .possible = false};
    const auto [parent, node] = neighbours_.at(DagNeighbours::add, random.below(count));
    std::uint64_t* row = begin_change(node);
    const std::size_t others =
        neighbours_.count(DagNeighbours::remove) - neighbours_.removable_count(node, row);
    put_member(row, parent);
    weigh_changes();
    return proposal(added, log_of(count) - log_of(others + neighbours_.removable_count(node, row)));
}

Proposal DagState::propose_delete(Random& random) {
    const std::size_t count = neighbours_.count(DagNeighbours::remove);
    if (count == 0) return {.move = deleted, .possible = false};
    const auto [parent, node] = neighbours_.at(DagNeighbours::remove, random.below(count));
    flip_member(begin_change(node), parent);
    weigh_changes();
    neighbours_.change(dag_, changed_, changed_parents_.data());
    const std::size_t back = neighbours_.count(DagNeighbours::add);
    neighbours_.take_back(dag_);
    return proposal(deleted, log_of(count) - log_of(back));
}

Proposal DagState::propose_reverse(Random& random) {
    const std::size_t count = neighbours_.count(DagNeighbours::reverse);
    if (count == 0) return {.move = reversed, .possible = false};
    const auto [parent, node] = neighbours_.at(DagNeighbours::reverse, random.below(count));
    flip_member(begin_change(node), parent);
    flip_member(begin_change(parent), node);
    weigh_changes();
    neighbours_.change(dag_, changed_, changed_parents_.data());
    const std::size_t back = neighbours_.count(DagNeighbours::reverse);
    neighbours_.take_back(dag_);
    return proposal(reversed, log_of(count) - log_of(back));
}

// A path w_k -> ... -> w_1 -> w_0 whose nodes have the parents C and the one before them on the
// path, w_k just C, is turned round: now w_0 has just C. Edge by edge from w_k on, each is covered
// when its turn comes, so that the conditional independences stay the same (Chickering 1995, "A
// transformational characterization of equivalent Bayesian network structures"); single covered
// edges are the shortest paths, and from those all DAGs of the class are reached. As all nodes of
// the path have C among their parents, no node of C lies below any, and no cycle is closed.
//
// The path is told by w_0 and w_1: it is climbed while a node has just one parent besides C. The
// way back is told by w_k and w_{k-1}, and w_k has then as many parents to choose from as w_0 has
// now, so both ways are equally probable. A score that cannot tell these DAGs apart accepts always.
Proposal DagState::propose_reverse_path(Random& random) {
    auto lower = static_cast<int>(random.below(static_cast<std::size_t>(dag_.nodes())));
    const std::uint64_t* parents = dag_.parents(lower);
    const std::size_t count = count_members(parents, words_);
    if (count == 0) return {.move = reversed_path, .possible = false};
    int upper = member_at(parents, random.below(count));
    set_.assign(parents, parents + words_);
    flip_member(set_.data(), upper);
    flip_member(begin_change(lower), upper);
    while (true) {
        int next = -1;
        std::size_t others = 0;
        bool has_all = true;
        for (std::size_t word = 0; word < words_; ++word) {
            const std::uint64_t above = dag_.parents(upper)[word];
            const std::uint64_t other = above & ~set_[word];
            has_all = has_all && (set_[word] & ~above) == 0;
            others += static_cast<std::size_t>(std::popcount(other));
            if (other != 0) next = static_cast<int>(word * 64) + std::countr_zero(other);
        }
        if (!has_all || others > 1) {
            changed_.clear();
            return {.move = reversed_path, .possible = false};
        }
        std::uint64_t* row = begin_change(upper);
        std::copy(set_.begin(), set_.end(), row);
        put_member(row, lower);
        if (others == 0) break;
        lower = upper;
        upper = next;
    }
    weigh_changes();
    return proposal(reversed_path, 0.0);
}

// A draw from the law of a node's parents given the rest of the DAG, at inverse temperature 1. What
// lies below a node does not depend on its parents, so the sum over those allowed is the same on
// the way back, and the ratio is that of the two families' weights.
Proposal DagState::propose_parents(Random& random) {
    const auto node = static_cast<int>(random.below(static_cast<std::size_t>(dag_.nodes())));
    // A family that the model has not is drawn on no way back.
    if (node_weights_[static_cast<std::size_t>(node)].impossible != 0) {
        return {.move = redrawn, .possible = false};
    }
    std::fill(set_.begin(), set_.end(), 0);
    dag_.add_descendants(node, set_.data());
    for (std::uint64_t& word : set_) word = ~word;
    weights_.to_places(node, set_.data(), allowed_.data());
    const std::int64_t family = weights_.sums()[node].draw(allowed_.data(), random);
    const std::uint64_t* row = begin_change(node);
    weights_.parents_of(node, family, changed_parents_.data());
    if (std::equal(row, row + words_, dag_.parents(node))) {
        changed_.clear();
    } else {
        weigh_change(0, {weights_.sums()[node].weight(family), 0});
    }
    return proposal(redrawn, weight_.value - proposed_.value);
}

Proposal DagState::propose_reverse_and_redraw(Random& random) {
    const auto holds = [&](int node) {
        return node_weights_[static_cast<std::size_t>(node)].impossible == 0;
    };
    if (!reversal_.reverse(dag_, memo_, random, holds)) {
        return {.move = reversed_and_redrawn, .possible = false};
    }
    begin_change(reversal_.from());
    begin_change(reversal_.to());
    reversal_.take_back(dag_);
    weigh_changes();
    return proposal(reversed_and_redrawn,
                    reversal_.log_ratio() - (proposed_.value - weight_.value));
}

}  // namespace arcwise
