// The mean of numbers that are given as logarithms, along a chain, with batches for its error.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "arcwise/sums/log_space.hpp"

namespace arcwise {

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
