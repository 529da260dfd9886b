// Rows of numbers, one after the other in large pieces, that stay where they are until given back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace arcwise {

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
