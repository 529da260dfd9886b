// Counts of neighbours, renewed where a change of parents can have changed them.
#include "arcwise/spaces/dags/dag_neighbours.hpp"

#include <algorithm>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

DagNeighbours::DagNeighbours(const FamilyWeights& weights)
    : weights_(weights),
      nodes_(weights.nodes()),
      words_(weights.words()),
      stale_(words_),
      around_(words_),
      one_(words_),
      found_addable_(words_),
      found_removable_(words_) {
    const std::size_t size = static_cast<std::size_t>(nodes_) * words_;
    for (Rows* rows : {&descendants_, &addable_, &removable_, &adds_, &reversals_}) {
        rows->assign(size, 0);
    }
    for (std::vector<std::uint64_t>& counts : counts_) {
        counts.assign(static_cast<std::size_t>(nodes_), 0);
    }
}

void DagNeighbours::set(std::uint64_t& number, std::uint64_t value) {
    if (number == value) return;
    journal_.push_back({&number, number});
    number = value;
}

void DagNeighbours::renew_count(Kind kind, int node, std::uint64_t count) {
    std::uint64_t& own = counts_[kind][static_cast<std::size_t>(node)];
    set(totals_[kind], totals_[kind] - own + count);
    set(own, count);
}

void DagNeighbours::look_at(const MutableDag& dag, NeighbourRule rule) {
    if (known_ && rule == rule_) return;
    rule_ = rule;
    for (int node = 0; node < nodes_; ++node) renew_families(dag, node);
    std::fill(stale_.begin(), stale_.end(), 0);
    for (int node = 0; node < nodes_; ++node) put_member(stale_.data(), node);
    for (int node = 0; node < nodes_; ++node) renew_descendants(dag, node);
    for (int node = 0; node < nodes_; ++node) renew_adds(node);
    for (int node = 0; node < nodes_; ++node) renew_reversals(dag, node);
    journal_.clear();
    known_ = true;
}

DagNeighbours::Edge DagNeighbours::at(Kind kind, std::size_t index) const {
    const Rows& rows = kind == add ? adds_ : kind == remove ? removable_ : reversals_;
    int node = 0;
    for (;; ++node) {
        const auto here = static_cast<std::size_t>(counts_[kind][static_cast<std::size_t>(node)]);
        if (index < here) break;
        index -= here;
    }
    return {member_at(row(rows, node), index), node};
}

// What can be added to these parents and taken from them, without regard for cycles.
void DagNeighbours::find_families(int node, const std::uint64_t* parents) {
    const bool any = rule_ == NeighbourRule::any;
    const int most = any ? weights_.most_parents() : weights_.all_up_to(node);
    const std::uint64_t* candidates = weights_.candidates(node);
    if (most >= 0) {
        std::size_t free = 0;
        for (std::size_t word = 0; word < words_; ++word) {
            found_removable_[word] = parents[word] & (any ? ~std::uint64_t{0} : candidates[word]);
            free += static_cast<std::size_t>(std::popcount(found_removable_[word]));
        }
        const bool room = free < static_cast<std::size_t>(most);
        for (std::size_t word = 0; word < words_; ++word) {
            // Bits beyond the last node would be counted.
            const bool last = word + 1 == words_ && nodes_ % 64 != 0;
            const std::uint64_t all = first_bits(static_cast<std::size_t>(last ? nodes_ % 64 : 64));
            found_addable_[word] = room ? (any ? all : candidates[word]) & ~parents[word] : 0;
        }
        if (room && any) remove_member(found_addable_.data(), node);
        return;
    }
    // A list of families: each is looked up.
    std::fill(found_addable_.begin(), found_addable_.end(), 0);
    std::fill(found_removable_.begin(), found_removable_.end(), 0);
    std::copy(parents, parents + words_, one_.begin());
    for_each_member(candidates, words_, [&](int parent) {
        flip_member(one_.data(), parent);
        if (weights_.find(node, one_.data()) > minus_infinity) {
            const bool there = has_member(parents, parent);
            put_member((there ? found_removable_ : found_addable_).data(), parent);
        }
        flip_member(one_.data(), parent);
    });
}

std::size_t DagNeighbours::removable_count(int node, const std::uint64_t* parents) {
    find_families(node, parents);
    return count_members(found_removable_.data(), words_);
}

void DagNeighbours::renew_families(const MutableDag& dag, int node) {
    find_families(node, dag.parents(node));
    for (std::size_t word = 0; word < words_; ++word) {
        set(row(addable_, node)[word], found_addable_[word]);
        set(row(removable_, node)[word], found_removable_[word]);
    }
    renew_count(remove, node, count_members(found_removable_.data(), words_));
}

// Children first; a node is taken from those that are stale when it is done.
void DagNeighbours::renew_descendants(const MutableDag& dag, int node) {
    if (!has_member(stale_.data(), node)) return;
    for_each_member(dag.children(node), words_, [&](int child) { renew_descendants(dag, child); });
    flip_member(stale_.data(), node);
    for (std::size_t word = 0; word < words_; ++word) one_[word] = dag.children(node)[word];
    for_each_member(dag.children(node), words_, [&](int child) {
        for (std::size_t word = 0; word < words_; ++word) {
            one_[word] |= row(descendants_, child)[word];
        }
    });
    for (std::size_t word = 0; word < words_; ++word) {
        set(row(descendants_, node)[word], one_[word]);
    }
}

void DagNeighbours::renew_adds(int node) {
    for (std::size_t word = 0; word < words_; ++word) {
        set(row(adds_, node)[word], row(addable_, node)[word] & ~row(descendants_, node)[word]);
    }
    renew_count(add, node, count_members(row(adds_, node), words_));
}

void DagNeighbours::renew_reversals(const MutableDag& dag, int node) {
    const std::uint64_t* parents = dag.parents(node);
    std::fill(one_.begin(), one_.end(), 0);
    for_each_member(row(removable_, node), words_, [&](int parent) {
        if (!has_member(row(addable_, parent), node)) return;
        // No other parent may lie below this one.
        for (std::size_t word = 0; word < words_; ++word) {
            if ((parents[word] & row(descendants_, parent)[word]) != 0) return;
        }
        put_member(one_.data(), parent);
    });
    for (std::size_t word = 0; word < words_; ++word) {
        set(row(reversals_, node)[word], one_[word]);
    }
    renew_count(reverse, node, count_members(one_.data(), words_));
}

void DagNeighbours::change(MutableDag& dag, std::span<const int> nodes, const std::uint64_t* rows) {
    journal_.clear();
    changed_nodes_.assign(nodes.begin(), nodes.end());
    old_rows_.clear();
    std::fill(stale_.begin(), stale_.end(), 0);
    // Descendants change for those that led to a node, and for those that do so now.
    for (const int node : nodes) {
        old_rows_.insert(old_rows_.end(), dag.parents(node), dag.parents(node) + words_);
        dag.add_ancestors(node, stale_.data());
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) dag.set_parents(nodes[i], rows + i * words_);
    for (const int node : nodes) {
        // What was an ancestor before has not been followed upwards in the DAG as it is now.
        std::fill(one_.begin(), one_.end(), 0);
        dag.add_ancestors(node, one_.data());
        for (std::size_t word = 0; word < words_; ++word) stale_[word] |= one_[word];
    }
    if (!known_) return;
    for (const int node : nodes) renew_families(dag, node);
    around_ = stale_;
    for_each_member(around_.data(), words_, [&](int node) { renew_descendants(dag, node); });
    // Now `around_` are the nodes whose descendants or families have changed.
    for (const int node : nodes) put_member(around_.data(), node);
    stale_.assign(words_, 0);
    for_each_member(around_.data(), words_, [&](int node) {
        renew_adds(node);
        for (std::size_t word = 0; word < words_; ++word) {
            stale_[word] |= dag.children(node)[word];
        }
    });
    for (const int node : nodes) put_member(stale_.data(), node);
    for_each_member(stale_.data(), words_, [&](int node) { renew_reversals(dag, node); });
}

void DagNeighbours::take_back(MutableDag& dag) {
    for (std::size_t i = 0; i < changed_nodes_.size(); ++i) {
        dag.set_parents(changed_nodes_[i], old_rows_.data() + i * words_);
    }
    for (std::size_t entry = journal_.size(); entry-- > 0;) {
        *journal_[entry].number = journal_[entry].value;
    }
    journal_.clear();
}

}  // namespace arcwise
