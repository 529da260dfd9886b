// Sets of related nodes by unions of sets of bits, along a topological order where there must be.
#include "arcwise/relations/relations.hpp"

#include <algorithm>
#include <numeric>

#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

DagRelation::DagRelation(Relation relation, int nodes, int longest)
    : relation_(relation),
      nodes_(static_cast<std::size_t>(nodes)),
      words_(words_for(nodes_)),
      longest_(longest),
      rows_(nodes_ * words_),
      other_(nodes_ * words_),
      done_(words_),
      order_(nodes_),
      place_(nodes_) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
}

const std::uint64_t* DagRelation::of(const std::uint64_t* parents) {
    switch (relation_) {
        case Relation::edge:
            return parents;
        case Relation::ancestor:
            if (longest_ == 1) return parents;
            longest_ == 0 ? find_ancestors(parents) : find_short_paths(parents);
            break;
        case Relation::skeleton:
            find_neighbours(parents);
            break;
        case Relation::blanket:
            find_blankets(parents);
            break;
        case Relation::cpdag:
            find_class(parents);
            break;
        case Relation::compelled:
            find_class(parents);
            return other_.data();
        case Relation::reversible:
            find_class(parents);
            for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] ^= other_[i];
            break;
    }
    return rows_.data();
}

void DagRelation::unite(std::uint64_t* set, const std::uint64_t* with) const {
    for (std::size_t word = 0; word < words_; ++word) set[word] |= with[word];
}

// Puts the nodes into an order in which parents come first.
void DagRelation::sort(const std::uint64_t* parents) {
    std::fill(done_.begin(), done_.end(), 0);
    std::size_t sorted = 0;
    std::size_t waiting = nodes_;
    while (waiting > 0) {
        left_.clear();
        const std::size_t before = sorted;
        // What is sorted takes places that were read already, as nodes that wait leave gaps.
        for (std::size_t i = nodes_ - waiting; i < nodes_; ++i) {
            const std::size_t node = order_[i];
            const std::uint64_t* of_node = parents + node * words_;
            std::uint64_t missing = 0;
            for (std::size_t word = 0; word < words_; ++word)
                missing |= of_node[word] & ~done_[word];
            if (missing != 0) {
                left_.push_back(node);
                continue;
            }
            put_member(done_.data(), static_cast<int>(node));
            order_[sorted++] = node;
        }
        if (sorted == before) {
            throw Error(ErrorKind::argument, "A graph has a cycle; give DAGs.");
        }
        std::copy(left_.begin(), left_.end(), order_.begin() + static_cast<std::ptrdiff_t>(sorted));
        waiting = nodes_ - sorted;
    }
}

void DagRelation::find_ancestors(const std::uint64_t* parents) {
    sort(parents);
    for (const std::size_t node : order_) {
        const std::uint64_t* of_node = parents + node * words_;
        std::uint64_t* found = row(node);
        std::copy_n(of_node, words_, found);
        for_each_member(of_node, words_,
                        [&](int parent) { unite(found, row(static_cast<std::size_t>(parent))); });
    }
}

void DagRelation::find_short_paths(const std::uint64_t* parents) {
    std::copy_n(parents, rows_.size(), rows_.begin());
    // A path has fewer edges than there are nodes.
    const int rounds = std::min(longest_, static_cast<int>(nodes_));
    for (int length = 2; length <= rounds; ++length) {
        std::swap(rows_, other_);
        for (std::size_t node = 0; node < nodes_; ++node) {
            const std::uint64_t* of_node = parents + node * words_;
            std::uint64_t* found = row(node);
            std::copy_n(of_node, words_, found);
            for_each_member(of_node, words_, [&](int parent) {
                unite(found, other_.data() + static_cast<std::size_t>(parent) * words_);
            });
        }
    }
}

void DagRelation::find_neighbours(const std::uint64_t* parents) {
    std::copy_n(parents, rows_.size(), rows_.begin());
    for (std::size_t node = 0; node < nodes_; ++node) {
        for_each_member(parents + node * words_, words_, [&](int parent) {
            put_member(row(static_cast<std::size_t>(parent)), static_cast<int>(node));
        });
    }
}

void DagRelation::find_blankets(const std::uint64_t* parents) {
    find_neighbours(parents);
    for (std::size_t node = 0; node < nodes_; ++node) {
        const std::uint64_t* of_node = parents + node * words_;
        for_each_member(of_node, words_,
                        [&](int parent) { unite(row(static_cast<std::size_t>(parent)), of_node); });
    }
    for (std::size_t node = 0; node < nodes_; ++node) {
        remove_member(row(node), node);
    }
}

// As arcwise.graphs.cpdag: if the latest parent x of y is joined to all other parents of y, and all
// compelled parents of x are parents of y, then the compelled parents of y are those of x, and the
// other edges into y can be turned. Otherwise all edges into y are compelled (Chickering 1995).
void DagRelation::find_class(const std::uint64_t* parents) {
    sort(parents);
    for (std::size_t i = 0; i < nodes_; ++i) place_[order_[i]] = i;
    std::copy_n(parents, rows_.size(), rows_.begin());
    for (const std::size_t node : order_) {
        const std::uint64_t* of_node = parents + node * words_;
        std::uint64_t* compelled = other_.data() + node * words_;
        std::copy_n(of_node, words_, compelled);
        std::size_t latest = nodes_;
        for_each_member(of_node, words_, [&](int parent) {
            const auto at = static_cast<std::size_t>(parent);
            if (latest == nodes_ || place_[at] > place_[latest]) latest = at;
        });
        if (latest == nodes_) continue;
        const std::uint64_t* of_latest = parents + latest * words_;
        const std::uint64_t* fixed = other_.data() + latest * words_;
        std::uint64_t differ = 0;
        for (std::size_t word = 0; word < words_; ++word) {
            std::uint64_t more = of_node[word] & ~of_latest[word];
            if (word == latest / 64) more &= ~(std::uint64_t{1} << (latest % 64));
            differ |= more | (fixed[word] & ~of_node[word]);
        }
        if (differ != 0) continue;
        for (std::size_t word = 0; word < words_; ++word) {
            compelled[word] = fixed[word];
            for (std::uint64_t loose = of_node[word] & ~fixed[word]; loose != 0;
                 loose &= loose - 1) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(loose));
                put_member(row(word * 64 + bit), static_cast<int>(node));
            }
        }
    }
}

}  // namespace arcwise
