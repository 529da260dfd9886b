// What lies above each node of a connected DAG, seen from either end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "components.hpp"
#include "node_set.hpp"

namespace arcwise {

// Which end of the orders is filled first. Both give the same count; one may be much cheaper.
enum class Direction { forward, backward };

// Nodes come free at the far end: fewer sets are in the way when that end has more nodes.
inline Direction promising(const Components& components, int component) {
    return components.roots(component) > components.leaves(component) ? Direction::backward
                                                                      : Direction::forward;
}

// Nodes are numbered so that whatever lies above a node has a larger number: in the direction
// `forward` its descendants, in the direction `backward` its ancestors.
template <int Words>
class Poset {
  public:
    using Set = NodeSet<Words>;

    void build(const Components& components, int component, Direction direction) {
        size_ = components.size(component);
        above_.assign(static_cast<std::size_t>(size_), Set{});
        if (direction == Direction::forward) {
            for (int v = size_ - 1; v >= 0; --v) {
                at(v) = at(v) | Set::one(v);
                for (const int p : components.parents(component, v)) at(p) = at(p) | at(v);
            }
        } else {
            const int last = size_ - 1;
            for (int v = 0; v < size_; ++v) {
                Set& ancestors = at(last - v);
                ancestors = Set::one(last - v);
                for (const int p : components.parents(component, v)) {
                    ancestors = ancestors | at(last - p);
                }
            }
        }
        find_twins();
    }

    int size() const { return size_; }
    Set all() const { return Set::first(size_); }

    // With the node itself.
    const Set& above(int v) const { return above_[static_cast<std::size_t>(v)]; }

    // The nodes that have the same above them, with the node itself.
    const Set& twins(int v) const { return twins_[static_cast<std::size_t>(v)]; }

    // The minimal nodes of an up-set: its lowest number, the next one not above that, and so on.
    Set minimal(Set up_set) const {
        Set result;
        while (!up_set.empty()) {
            const int m = up_set.lowest();
            result = result | Set::one(m);
            up_set = up_set.without(above(m));
        }
        return result;
    }

    // Starts of the longest series of parts, each wholly below the next, and the size as their end:
    // a part begins where every node before has all from there on above it.
    void find_series(std::vector<int>& starts) const {
        starts.assign(1, 0);
        int not_above = -1;  // the last node that is not above all before it
        for (int v = 0; v < size_; ++v) {
            if (v > 0 && not_above < v) starts.push_back(v);
            not_above = std::max(not_above, all().without(above(v)).highest());
        }
        starts.push_back(size_);
    }

    // Calls visit(component) for each component of an up-set: minimal nodes belong together when
    // something lies above both.
    template <class Visit>
    void split(Set rest, Visit&& visit) const {
        while (!rest.empty()) {
            Set component = above(rest.lowest());
            bool grown = true;
            while (grown) {
                grown = false;
                // The lowest number left is minimal; so is the next one not above it, and so on.
                for (Set others = rest.without(component); !others.empty();) {
                    const Set& next = above(others.lowest());
                    others = others.without(next);
                    if (next.meets(component)) {
                        component = component | next;
                        grown = true;
                    }
                }
            }
            rest = rest.without(component);
            visit(component);
        }
    }

  private:
    void find_twins() {
        twins_.clear();
        for (int v = 0; v < size_; ++v) twins_.push_back(Set::one(v));
        for (int v = 0; v < size_; ++v) {
            const Set strictly = above(v).without(Set::one(v));
            for (int u = 0; u < v; ++u) {
                if (above(u).without(Set::one(u)) != strictly) continue;
                const Set all_of_them = twins(u) | twins(v);
                twins_[static_cast<std::size_t>(u)] = all_of_them;
                twins_[static_cast<std::size_t>(v)] = all_of_them;
            }
        }
    }

    Set& at(int v) { return above_[static_cast<std::size_t>(v)]; }

    int size_ = 0;
    std::vector<Set> above_;
    std::vector<Set> twins_;
};

}  // namespace arcwise
