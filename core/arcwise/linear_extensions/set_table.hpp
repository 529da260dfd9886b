// A hash table from sets of nodes to numbers that is emptied millions of times at little cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arcwise/linear_extensions/node_set.hpp"

namespace arcwise {

// Open addressing; the empty set marks a free place, so it cannot be a key. Memory is kept when the
// table is emptied, but only as many places as the new contents need are touched.
template <int Words, class Number>
class SetTable {
  public:
    struct Entry {
        NodeSet<Words> set;
        Number number;
    };

    void clear() {
        places_ = smallest;
        if (entries_.size() < places_) entries_.resize(places_);
        for (std::size_t i = 0; i < places_; ++i) entries_[i].set = {};
        size_ = 0;
    }

    std::size_t size() const { return size_; }

    // Valid until the next insertion; null where the set is not there.
    const Number* find(const NodeSet<Words>& set) const {
        const Entry& entry = entries_[place(set)];
        return entry.set.empty() ? nullptr : &entry.number;
    }

    // The number of a set, made as `fresh` where the set was not there.
    Number& at(const NodeSet<Words>& set, const Number& fresh) {
        std::size_t i = place(set);
        if (entries_[i].set.empty()) {
            if (2 * (size_ + 1) > places_) {
                grow();
                i = place(set);
            }
            entries_[i] = {set, fresh};
            ++size_;
        }
        return entries_[i].number;
    }

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t i = 0; i < places_; ++i) {
            if (!entries_[i].set.empty()) visit(entries_[i].set, entries_[i].number);
        }
    }

  private:
    static constexpr std::size_t smallest = 128;

    std::size_t place(const NodeSet<Words>& set) const {
        const std::size_t mask = places_ - 1;
        std::size_t i = set.hash() & mask;
        while (!entries_[i].set.empty() && entries_[i].set != set) i = (i + 1) & mask;
        return i;
    }

    void grow() {
        spare_.clear();
        for_each([&](const NodeSet<Words>& set, const Number& number) {
            spare_.push_back({set, number});
        });
        places_ *= 2;
        if (entries_.size() < places_) entries_.resize(places_);
        for (std::size_t i = 0; i < places_; ++i) entries_[i].set = {};
        for (const Entry& entry : spare_) entries_[place(entry.set)] = entry;
    }

    std::vector<Entry> entries_;
    std::vector<Entry> spare_;
    std::size_t places_ = 0;
    std::size_t size_ = 0;
};

}  // namespace arcwise
