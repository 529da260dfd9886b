// Pascal-like recurrence for the numbers behind subset ranks.
#include "arcwise/families/subset_layout.hpp"

#include <algorithm>
#include <string>

#include "arcwise/support/error.hpp"

namespace arcwise {

SubsetLayout::SubsetLayout(int elements, int max_size)
    : elements_(elements), max_size_(std::min(elements, max_size)) {
    if (elements < 0 || max_size < 0) {
        throw Error(ErrorKind::argument, "A layout needs nonnegative sizes.");
    }
    constexpr std::uint64_t limit = std::uint64_t{1} << 62;
    const auto width = static_cast<std::size_t>(elements_) + 1;
    below_.assign((static_cast<std::size_t>(max_size_) + 1) * width, 1);
    // A set under c + 1 either avoids c, or has c and one member fewer under c.
    for (std::size_t size = 1; size <= static_cast<std::size_t>(max_size_); ++size) {
        for (std::size_t element = 0; element + 1 < width; ++element) {
            below_[size * width + element + 1] = std::min(
                limit, below_[size * width + element] + below_[(size - 1) * width + element]);
        }
    }
    if (count() >= limit) {
        throw Error(ErrorKind::capacity, "The subsets of " + std::to_string(elements) +
                                             " elements with up to " + std::to_string(max_size) +
                                             " members are too many to number.");
    }
}

}  // namespace arcwise
