// Means of many quantities along a chain, kept in a few dozen batches from which their error is
// estimated.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/bytes.hpp"

namespace arcwise {

// No chain gets there, and dozens of such batches can still be counted.
constexpr std::uint64_t largest_batch = std::uint64_t{1} << 48;

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

// The mean of numbers that are given as logarithms, along a chain, with batches for its error.
//
// As BatchMeans, for one quantity whose values may be any number of nats apart.
class LogMeanBatches {
  public:
    void add(double log_value) {
        if (count_ == most_batches * batch_size_) merge();
        if (count_ % batch_size_ == 0) {
            log_sums_.push_back(log_value);
        } else {
            log_sums_.back() = log_add(log_sums_.back(), log_value);
        }
        ++count_;
    }

    std::uint64_t count() const { return count_; }
    std::uint64_t batch_size() const { return batch_size_; }

    // ln of the sum of each batch; the last may be unfinished.
    const std::vector<double>& log_sums() const { return log_sums_; }

    static constexpr std::size_t most_batches = 64;

    void save(ByteWriter& out) const {
        out.put(count_);
        out.put(batch_size_);
        out.put(log_sums_);
    }
    void restore(ByteReader& in) {
        count_ = in.get<std::uint64_t>();
        batch_size_ = in.get<std::uint64_t>();
        log_sums_ = in.get_vector<double>();
        if (!std::has_single_bit(batch_size_) || batch_size_ > largest_batch) ByteReader::damaged();
        const std::uint64_t begun = count_ / batch_size_ + (count_ % batch_size_ != 0 ? 1 : 0);
        if (begun > most_batches || log_sums_.size() != begun) ByteReader::damaged();
    }

  private:
    void merge() {
        for (std::size_t pair = 0; pair < most_batches / 2; ++pair) {
            log_sums_[pair] = log_add(log_sums_[2 * pair], log_sums_[2 * pair + 1]);
        }
        log_sums_.resize(most_batches / 2);
        batch_size_ *= 2;
    }

    std::uint64_t count_ = 0;
    std::uint64_t batch_size_ = 1;
    std::vector<double> log_sums_;
};

}  // namespace arcwise
