// Filling and merging batches.
#include "arcwise/chains/batch_means.hpp"

#include <algorithm>

namespace arcwise {

void BatchMeans::add(std::span<const double> values) {
    if (quantities_ == 0) return;
    if (count_ == most_batches_ * batch_size_) merge();
    if (count_ % batch_size_ == 0) sums_.resize(sums_.size() + quantities_, 0.0);
    double* batch = sums_.data() + (sums_.size() - quantities_);
    for (std::size_t i = 0; i < quantities_; ++i) batch[i] += values[i];
    ++count_;
}

void BatchMeans::merge() {
    for (std::size_t pair = 0; pair < most_batches_ / 2; ++pair) {
        const double* first = sums_.data() + 2 * pair * quantities_;
        const double* second = first + quantities_;
        double* merged = sums_.data() + pair * quantities_;
        for (std::size_t i = 0; i < quantities_; ++i) merged[i] = first[i] + second[i];
    }
    sums_.resize(most_batches_ / 2 * quantities_);
    batch_size_ *= 2;
}

void BatchMeans::save(ByteWriter& out) const {
    out.put(count_);
    out.put(batch_size_);
    out.put(sums_);
}

void BatchMeans::restore(ByteReader& in) {
    count_ = in.get<std::uint64_t>();
    batch_size_ = in.get<std::uint64_t>();
    sums_ = in.get_vector<double>();
    if (!std::has_single_bit(batch_size_) || batch_size_ > largest_batch) ByteReader::damaged();
    const std::uint64_t begun = count_ / batch_size_ + (count_ % batch_size_ != 0 ? 1 : 0);
    if (begun > most_batches_ || sums_.size() != begun * quantities_) ByteReader::damaged();
    // What is added up are probabilities; further sums of anything else may overflow.
    const double most = 2.0 * static_cast<double>(batch_size_);
    const auto sound = [&](double sum) { return sum >= 0.0 && sum <= most; };
    if (!std::ranges::all_of(sums_, sound)) ByteReader::damaged();
}

std::vector<double> BatchMeans::total() const {
    std::vector<double> total(quantities_, 0.0);
    for (std::size_t start = 0; start < sums_.size(); start += quantities_) {
        for (std::size_t i = 0; i < quantities_; ++i) total[i] += sums_[start + i];
    }
    return total;
}

}  // namespace arcwise
