// Means of many quantities along a chain, kept in a few dozen batches from which their error can be
// told.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/support/bytes.hpp"

namespace arcwise {

// Batches are of equal size; whenever there are too many, neighbours are merged and the size
// doubles. So memory stays flat however long the chain, and batches become longer than its memory.
class BatchMeans {
  public:
    // The most batches kept, an even number.
    explicit BatchMeans(std::size_t quantities, std::size_t most_batches = 64)
        : quantities_(quantities), most_batches_(most_batches) {}

    void add(std::span<const double> values);

    std::size_t quantities() const { return quantities_; }
    std::uint64_t count() const { return count_; }
    std::uint64_t batch_size() const { return batch_size_; }

    // The sums of the whole batches, and of all values.
    std::size_t batches() const { return static_cast<std::size_t>(count_ / batch_size_); }
    std::span<const double> batch(std::size_t index) const {
        return {sums_.data() + index * quantities_, quantities_};
    }
    std::vector<double> total() const;

    void save(ByteWriter& out) const;
    void restore(ByteReader& in);

  private:
    void merge();

    std::size_t quantities_;
    std::size_t most_batches_;
    std::uint64_t count_ = 0;
    std::uint64_t batch_size_ = 1;
    std::vector<double> sums_;  // batch by batch; the last may be unfinished
};

}  // namespace arcwise
