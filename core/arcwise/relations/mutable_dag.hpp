// A DAG that moves change, by the bits of each node's parents and children.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "arcwise/support/bits.hpp"

namespace arcwise {

// Belongs to one thread: searches keep what they still have to visit in the object.
class MutableDag {
  public:
    explicit MutableDag(int nodes)
        : nodes_(nodes),
          words_(words_for(nodes)),
          parents_(static_cast<std::size_t>(nodes) * words_),
          children_(parents_.size()) {}

    int nodes() const { return nodes_; }
    std::size_t words() const { return words_; }  // in a set of nodes
    std::size_t edges() const { return edges_; }
    const std::uint64_t* parents(int node) const { return row(parents_, node); }
    const std::uint64_t* children(int node) const { return row(children_, node); }
    const std::vector<std::uint64_t>& all_parents() const { return parents_; }
    bool has(int parent, int node) const { return has_member(parents(node), parent); }

    void set_parents(int node, const std::uint64_t* parents) {
        std::uint64_t* own = row(parents_, node);
        for (std::size_t word = 0; word < words_; ++word) {
            std::uint64_t differ = own[word] ^ parents[word];
            edges_ += static_cast<std::size_t>(std::popcount(parents[word]));
            edges_ -= static_cast<std::size_t>(std::popcount(own[word]));
            own[word] = parents[word];
            for (; differ != 0; differ &= differ - 1) {
                const int parent = static_cast<int>(word * 64) + std::countr_zero(differ);
                flip_member(row(children_, parent), node);
            }
        }
    }

    // Adds all that can be reached from a node, or that it can be reached from, to a set whose
    // members have been followed already.
    void add_descendants(int node, std::uint64_t* found) const { reach(children_, node, found); }
    void add_ancestors(int node, std::uint64_t* found) const { reach(parents_, node, found); }

    bool acyclic() const {
        std::vector<std::size_t> waiting(static_cast<std::size_t>(nodes_));
        std::vector<int> ready;
        for (int node = 0; node < nodes_; ++node) {
            waiting[static_cast<std::size_t>(node)] = count_members(parents(node), words_);
            if (waiting[static_cast<std::size_t>(node)] == 0) ready.push_back(node);
        }
        int taken = 0;
        for (; !ready.empty(); ++taken) {
            const int node = ready.back();
            ready.pop_back();
            for_each_member(children(node), words_, [&](int child) {
                if (--waiting[static_cast<std::size_t>(child)] == 0) ready.push_back(child);
            });
        }
        return taken == nodes_;
    }

  private:
    using Rows = std::vector<std::uint64_t>;
    const std::uint64_t* row(const Rows& rows, int node) const {
        return rows.data() + static_cast<std::size_t>(node) * words_;
    }
    std::uint64_t* row(Rows& rows, int node) const {
        return rows.data() + static_cast<std::size_t>(node) * words_;
    }

    void reach(const Rows& rows, int node, std::uint64_t* found) const {
        if (words_ == 1) {
            std::uint64_t left = rows[static_cast<std::size_t>(node)] & ~found[0];
            while (left != 0) {
                const auto next = static_cast<std::size_t>(std::countr_zero(left));
                found[0] |= std::uint64_t{1} << next;
                left = (left | rows[next]) & ~found[0];
            }
            return;
        }
        unvisited_.assign(1, node);
        while (!unvisited_.empty()) {
            const std::uint64_t* next = row(rows, unvisited_.back());
            unvisited_.pop_back();
            for (std::size_t word = 0; word < words_; ++word) {
                std::uint64_t fresh = next[word] & ~found[word];
                found[word] |= fresh;
                for (; fresh != 0; fresh &= fresh - 1) {
                    unvisited_.push_back(static_cast<int>(word * 64) + std::countr_zero(fresh));
                }
            }
        }
    }

    int nodes_;
    std::size_t words_;
    std::size_t edges_ = 0;
    Rows parents_;
    Rows children_;
    mutable std::vector<int> unvisited_;
};

}  // namespace arcwise
