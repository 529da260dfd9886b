// Memory that is used again and again while orders are counted: a hash table and rows of numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
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

// Rows of numbers, one after the other in large pieces, that stay where they are until given back.
template <class Number>
class NumberStack {
  public:
    struct Mark {
        std::size_t piece;
        std::size_t used;
    };

    // A row of so many numbers, of any value.
    Number* take(std::size_t count) {
        while (piece_ < pieces_.size() && used_ + count > pieces_[piece_].size) {
            ++piece_;
            used_ = 0;
        }
        if (piece_ == pieces_.size()) {
            const std::size_t size = std::max(count, std::min(taken_, largest_piece));
            taken_ += size;
            pieces_.push_back({std::make_unique_for_overwrite<Number[]>(size), size});
        }
        Number* row = pieces_[piece_].numbers.get() + used_;
        used_ += count;
        return row;
    }

    // Gives back what was taken since the mark; the memory is kept.
    Mark mark() const { return {piece_, used_}; }
    void back_to(const Mark& mark) {
        piece_ = mark.piece;
        used_ = mark.used;
    }
    void clear() { back_to({0, 0}); }

  private:
    static constexpr std::size_t largest_piece = 65536;

    struct Piece {
        std::unique_ptr<Number[]> numbers;
        std::size_t size;
    };

    std::vector<Piece> pieces_;
    std::size_t piece_ = 0;
    std::size_t used_ = 0;
    std::size_t taken_ =
        128;  // by all pieces, and the size of the first: each as large as those before
};

}  // namespace arcwise
