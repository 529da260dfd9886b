// The nodes in a row, and the change of places that is proposed to it.
//
// Shared by the spaces of linear orders, which differ in what an order is worth.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "arcwise/support/error.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

class NodeOrder {
  public:
    explicit NodeOrder(std::size_t nodes) : order_(nodes) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    std::size_t size() const { return order_.size(); }
    int operator[](std::size_t place) const { return order_[place]; }
    auto begin() const { return order_.begin(); }
    auto end() const { return order_.end(); }

    void shuffle(Random& random) { random.shuffle(std::span(order_)); }
    void assign(const std::vector<int>& order) { order_ = order; }

    // The nodes at two places are swapped, or that at `from` goes to `to` and those between make
    // room; made by `make_change`, taken back by `undo_change`.
    void propose_swap(std::size_t one, std::size_t other) { change_ = {one, other, false}; }
    void propose_relocation(std::size_t from, std::size_t to) { change_ = {from, to, true}; }
    void make_change() { make(change_.from, change_.to); }
    void undo_change() { make(change_.to, change_.from); }

    std::vector<std::uint16_t> encode() const { return {order_.begin(), order_.end()}; }

    // Throws `argument` unless every node is named once.
    void decode(std::span<const std::uint16_t> code) {
        std::vector<bool> seen(size(), false);
        for (const std::uint16_t node : code) {
            if (node >= size() || seen[node] || code.size() != size()) {
                throw Error(ErrorKind::argument, "An order must name every node once.");
            }
            seen[node] = true;
        }
        order_.assign(code.begin(), code.end());
    }

  private:
    struct Change {
        std::size_t from = 0;
        std::size_t to = 0;
        bool relocates = false;
    };

    void make(std::size_t from, std::size_t to) {
        const auto at = [&](std::size_t place) {
            return order_.begin() + static_cast<std::ptrdiff_t>(place);
        };
        if (!change_.relocates) {
            std::swap(order_[from], order_[to]);
        } else if (to > from) {
            std::rotate(at(from), at(from + 1), at(to + 1));
        } else {
            std::rotate(at(to), at(from), at(from + 1));
        }
    }

    std::vector<int> order_;
    Change change_;
};

}  // namespace arcwise
