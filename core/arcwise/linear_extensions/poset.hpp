// What lies above each node of a connected DAG, seen from either end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "arcwise/linear_extensions/node_set.hpp"

namespace arcwise {

// Which end of the orders is filled first. Both give the same count; one may be much cheaper.
enum class Direction { forward, backward };

// Nodes come free at the far end: fewer sets are in the way when that end has more nodes.
template <class Graph>
Direction promising(const Graph& graph) {
    return graph.roots() > graph.leaves() ? Direction::backward : Direction::forward;
}

// Nodes are numbered so that whatever lies above a node has a larger number: in the direction
// `forward` its descendants, in the direction `backward` its ancestors.
template <int Words>
class Poset {
  public:
    using Set = NodeSet<Words>;

    // Of a DAG whose nodes are numbered after their parents.
    template <class Graph>
    void build(const Graph& graph, Direction direction) {
        size_ = graph.size();
        above_.assign(static_cast<std::size_t>(size_), Set{});
        if (direction == Direction::forward) {
            for (int v = size_ - 1; v >= 0; --v) {
                at(v) = at(v) | Set::one(v);
                for (const int p : graph.parents(v)) at(p) = at(p) | at(v);
            }
        } else {
            const int last = size_ - 1;
            for (int v = 0; v < size_; ++v) {
                Set& ancestors = at(last - v);
                ancestors = Set::one(last - v);
                for (const int p : graph.parents(v)) {
                    ancestors = ancestors | at(last - p);
                }
            }
        }
    }

    // To be called before `split`.
    void find_meetings() {
        meeting_.assign(static_cast<std::size_t>(size_), Set{});
        for (int v = 0; v < size_; ++v) {
            Set& mine = meeting_[static_cast<std::size_t>(v)];
            for (int u = 0; u < v; ++u) {
                if (!above(u).meets(above(v))) continue;
                mine = mine | Set::one(u);
                meeting_[static_cast<std::size_t>(u)] =
                    meeting_[static_cast<std::size_t>(u)] | Set::one(v);
            }
            mine = mine | Set::one(v);
        }
    }

    int size() const { return size_; }
    Set all() const { return Set::first(size_); }

    // With the node itself.
    const Set& above(int v) const { return above_[static_cast<std::size_t>(v)]; }

    // The nodes with which it has something above in common, with the node itself.
    const Set& meeting(int v) const { return meeting_[static_cast<std::size_t>(v)]; }

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

    // Calls visit(component) for each component of an up-set. Whatever meets a node of it belongs
    // to its component; and as what meets a node also meets the ones below, only minimal nodes are
    // asked: the lowest number that is not above those asked before is one.
    template <class Visit>
    void split(Set rest, Visit&& visit) const {
        while (!rest.empty()) {
            const int first = rest.lowest();
            Set component = meeting(first) & rest;
            Set asked = above(first);
            while (component != rest) {
                const Set others = component.without(asked);
                if (others.empty()) break;
                const int next = others.lowest();
                component = component | (meeting(next) & rest);
                asked = asked | above(next);
            }
            rest = rest.without(component);
            visit(component);
        }
    }

  private:
    Set& at(int v) { return above_[static_cast<std::size_t>(v)]; }

    int size_ = 0;
    std::vector<Set> above_;
    std::vector<Set> meeting_;
};

}  // namespace arcwise
