// Moves of a DAG: one edge added, deleted or reversed, the parents of a node drawn anew, and a
// reversal that draws the parents of both ends.
#include <algorithm>
#include <cmath>

#include "dag_state.hpp"

namespace arcwise {
namespace {

// By Dags::move_names.
enum Name { added, deleted, reversed, redrawn, reversed_and_redrawn };

double log_of(std::size_t count) { return std::log(static_cast<double>(count)); }

}  // namespace

Proposal DagState::propose(const Temperature& temperature, Random& random) {
    changed_.clear();
    const auto move = static_cast<int>(random.choose(space_.name_weights()));
    if (move <= reversed) {
        // Where the target excludes what the model has no family for, so do the proposals.
        const bool only_possible = std::isinf(temperature.penalty);
        neighbours_.look_at(dag_, only_possible ? NeighbourRule::families : NeighbourRule::any);
    }
    switch (move) {
        case added:
            return propose_add(random);
        case deleted:
            return propose_delete(random);
        case reversed:
            return propose_reverse(random);
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
    weights_.parents_of(node, family, begin_change(node));
    weigh_changes();
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
