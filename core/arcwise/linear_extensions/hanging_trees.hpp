// What is left of a poset when the trees that hang from it by one element are cut off.
//
// A node with a single neighbour among the covers (just above or just below) hangs from it. With
// the hanging nodes cut off one after the other, also those that hang only then, a core is left in
// which each node has two neighbours or more; a tree leaves a single node.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "arcwise/linear_extensions/poset.hpp"

namespace arcwise {

// A workspace: `cut` may be called again and again, and what it found last is read.
class HangingTrees {
  public:
    struct Cut {
        int node;
        int from;    // the node it hung from
        bool below;  // whether it comes before that one
    };

    // Of a connected poset, seen forward; at most so many nodes are cut off. Nodes keep their
    // numbers in it in `cuts`.
    template <int Words>
    void cut(const Poset<Words>& poset, std::size_t most_cuts) {
        begin(poset.size());
        for (int v = 0; v < poset.size(); ++v) {
            const auto strictly = poset.above(v).without(NodeSet<Words>::one(v));
            poset.minimal(strictly).for_each([&](int cover) { add_cover(v, cover); });
        }
        finish(most_cuts);
    }

    static constexpr std::size_t all_cuts = ~std::size_t{0};

    // In the order in which they were made: what hangs from a node is cut off before the node is.
    const std::vector<Cut>& cuts() const { return cuts_; }
    int whole_size() const { return static_cast<int>(degrees_.size()); }

    // The core as a DAG of its own, numbered in the same order.
    int size() const { return static_cast<int>(kept_.size()); }
    int whole_number(int i) const { return kept_[static_cast<std::size_t>(i)]; }
    std::span<const int> parents(int i) const {
        const auto v = static_cast<std::size_t>(i);
        return {parents_.data() + parent_starts_[v], parents_.data() + parent_starts_[v + 1]};
    }
    int roots() const { return roots_; }
    int leaves() const { return leaves_; }

  private:
    struct Cover {
        int lower;
        int upper;
    };

    void begin(int nodes);
    void add_cover(int lower, int upper);
    void finish(std::size_t most_cuts);

    std::vector<Cover> covers_;  // by their lower ends, in ascending order
    std::vector<int> degrees_;
    std::vector<int> neighbours_;  // of each node, the exclusive or of its neighbours' numbers
    std::vector<Cut> cuts_;
    std::vector<int> kept_;
    std::vector<int> numbers_;  // in the core; -1 for what is cut off
    std::vector<int> parents_;
    std::vector<std::size_t> parent_starts_;
    int roots_ = 0;
    int leaves_ = 0;
};

}  // namespace arcwise
