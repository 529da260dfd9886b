// Numbers that are only read: owned, or lying in memory that something else keeps, such as a file
// that is mapped and shared by all processes of a machine.
//
// Copies share the numbers. What reads them cannot tell the two apart.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace arcwise {

template <class T>
class Stored {
  public:
    Stored() = default;

    // NOLINTNEXTLINE(google-explicit-constructor): made as a vector, kept as this.
    Stored(std::vector<T> numbers) {
        const auto owned = std::make_shared<const std::vector<T>>(std::move(numbers));
        numbers_ = *owned;
        keeper_ = owned;
    }

    // Of memory that lasts as long as its keeper.
    Stored(std::span<const T> numbers, std::shared_ptr<const void> keeper)
        : numbers_(numbers), keeper_(std::move(keeper)) {}

    const T* data() const { return numbers_.data(); }
    std::size_t size() const { return numbers_.size(); }
    bool empty() const { return numbers_.empty(); }
    const T& operator[](std::size_t at) const { return numbers_[at]; }
    const T* begin() const { return numbers_.data(); }
    const T* end() const { return numbers_.data() + numbers_.size(); }

  private:
    std::span<const T> numbers_;
    std::shared_ptr<const void> keeper_;
};

}  // namespace arcwise
