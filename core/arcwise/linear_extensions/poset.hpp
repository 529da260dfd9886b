// What lies above each node of a connected DAG, seen from either end.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

// Sets of up to 64 * Words nodes as bits; with one word they are as fast as the word itself.

template <int Words>
class NodeSet {
  public:
    static NodeSet one(int v) {
        NodeSet set;
        set.words_[static_cast<std::size_t>(v >> 6)] = std::uint64_t{1} << (v & 63);
        return set;
    }

    // Nodes 0 to count - 1.
    static NodeSet first(int count) {
        NodeSet set;
        for (int w = 0; w < Words; ++w) {
            const int here = count - 64 * w;
            if (here <= 0) break;
            set.words_[static_cast<std::size_t>(w)] = first_bits(static_cast<std::size_t>(here));
        }
        return set;
    }

    NodeSet operator|(const NodeSet& other) const {
        return combined(other, [](std::uint64_t a, std::uint64_t b) { return a | b; });
    }
    NodeSet operator&(const NodeSet& other) const {
        return combined(other, [](std::uint64_t a, std::uint64_t b) { return a & b; });
    }
    NodeSet without(const NodeSet& other) const {
        return combined(other, [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
    }
    // Not as the array compares, which calls a function even for one word.
    bool operator==(const NodeSet& other) const {
        std::uint64_t apart = 0;
        for (std::size_t w = 0; w < Words; ++w) apart |= words_[w] ^ other.words_[w];
        return apart == 0;
    }
    bool comes_before(const NodeSet& other) const { return words_ < other.words_; }

    bool empty() const {
        std::uint64_t any = 0;
        for (const std::uint64_t word : words_) any |= word;
        return any == 0;
    }
    bool contains(int v) const {
        return (words_[static_cast<std::size_t>(v >> 6)] >> (v & 63) & 1) != 0;
    }
    bool meets(const NodeSet& other) const { return !(*this & other).empty(); }

    int size() const {
        int count = 0;
        for (const std::uint64_t word : words_) count += count_bits(word);
        return count;
    }

    // The smallest member; the set is not empty.
    int lowest() const {
        for (int w = 0; w < Words - 1; ++w) {
            if (words_[static_cast<std::size_t>(w)] != 0) {
                return 64 * w + std::countr_zero(words_[static_cast<std::size_t>(w)]);
            }
        }
        return 64 * (Words - 1) + std::countr_zero(words_[Words - 1]);
    }

    // The largest member; -1 where there is none.
    int highest() const {
        for (int w = Words - 1; w >= 0; --w) {
            const std::uint64_t word = words_[static_cast<std::size_t>(w)];
            if (word != 0) return 64 * w + 63 - std::countl_zero(word);
        }
        return -1;
    }

    // Calls visit(v) for each member, in ascending order.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (int w = 0; w < Words; ++w) {
            for (std::uint64_t left = words_[static_cast<std::size_t>(w)]; left != 0;
                 left &= left - 1) {
                visit(64 * w + std::countr_zero(left));
            }
        }
    }

    std::uint64_t hash() const {
        std::uint64_t mixed = 0;
        for (const std::uint64_t word : words_) {
            mixed = (mixed ^ word) * 0x9e3779b97f4a7c15u;
            mixed ^= mixed >> 32;
        }
        return mixed;
    }

  private:
    template <class Operation>
    NodeSet combined(const NodeSet& other, Operation operation) const {
        NodeSet result;
        for (std::size_t w = 0; w < Words; ++w) {
            result.words_[w] = operation(words_[w], other.words_[w]);
        }
        return result;
    }

    std::array<std::uint64_t, static_cast<std::size_t>(Words)> words_{};
};

// Calls visit with the number of words, as a constant, of sets of `nodes` nodes.
template <class Visit>
void with_words_for(int nodes, Visit&& visit) {
    if (nodes <= 64) return visit(std::integral_constant<int, 1>{});
    if (nodes <= 128) return visit(std::integral_constant<int, 2>{});
    if (nodes <= 256) return visit(std::integral_constant<int, 4>{});
    if (nodes <= 1024) return visit(std::integral_constant<int, 16>{});
    throw Error(ErrorKind::capacity,
                "A component has " + std::to_string(nodes) +
                    " nodes; linear extensions of a component are counted for up to 1024.");
}

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

    // Takes a DAG whose nodes are numbered after their parents.
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
