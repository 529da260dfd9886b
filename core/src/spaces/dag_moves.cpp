// Moves of a DAG: one edge added, deleted or reversed, the parents of a node drawn anew, and a
// reversal that draws the parents of both ends.
#include <algorithm>
#include <cmath>

#include "dag_state.hpp"

namespace arcwise {
namespace {

// By Dags::move_names.
enum Name { added, deleted, reversed, reversed_covered, redrawn, reversed_and_redrawn };

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
        case reversed_covered:
            return propose_reverse_covered(random);
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
    put_node(row, parent);
    weigh_changes();
    return proposal(added, log_of(count) - log_of(others + neighbours_.removable_count(node, row)));
}

Proposal DagState::propose_delete(Random& random) {
    const std::size_t count = neighbours_.count(DagNeighbours::remove);
    if (count == 0) return {.move = deleted, .possible = false};
    const auto [parent, node] = neighbours_.at(DagNeighbours::remove, random.below(count));
    flip_node(begin_change(node), parent);
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
    flip_node(begin_change(node), parent);
    flip_node(begin_change(parent), node);
    weigh_changes();
    neighbours_.change(dag_, changed_, changed_parents_.data());
    const std::size_t back = neighbours_.count(DagNeighbours::reverse);
    neighbours_.take_back(dag_);
    return proposal(reversed, log_of(count) - log_of(back));
}

// An edge u -> v is covered if v has all parents of u and no others but u. Reversing such edges
// leads to all DAGs of the same conditional independences and to no others (Chickering 1995, "A
// transformational characterization of equivalent Bayesian network structures"), and closes no
// cycle. A score that cannot tell these DAGs apart accepts it nearly always.
Proposal DagState::propose_reverse_covered(Random& random) {
    find_covered();
    const std::size_t count = covered_.size();
    if (count == 0) return {.move = reversed_covered, .possible = false};
    const auto [parent, node] = covered_[random.below(count)];
    flip_node(begin_change(node), parent);
    flip_node(begin_change(parent), node);
    weigh_changes();
    const std::vector<std::uint64_t>& rows = changed_parents_;
    set_.assign(dag_.parents(node), dag_.parents(node) + words_);
    one_.assign(dag_.parents(parent), dag_.parents(parent) + words_);
    dag_.set_parents(node, rows.data());
    dag_.set_parents(parent, rows.data() + words_);
    find_covered();
    dag_.set_parents(parent, one_.data());
    dag_.set_parents(node, set_.data());
    return proposal(reversed_covered, log_of(count) - log_of(covered_.size()));
}

void DagState::find_covered() {
    covered_.clear();
    for (int node = 0; node < dag_.nodes(); ++node) {
        const std::uint64_t* parents = dag_.parents(node);
        for_each_node(parents, words_, [&](int parent) {
            const std::uint64_t* above = dag_.parents(parent);
            std::uint64_t differ = 0;
            for (std::size_t word = 0; word < words_; ++word) {
                const bool here = static_cast<std::size_t>(parent) / 64 == word;
                const std::uint64_t own = here ? std::uint64_t{1} << (parent % 64) : 0;
                differ |= parents[word] ^ above[word] ^ own;
            }
            if (differ == 0) covered_.push_back({parent, node});
        });
    }
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
