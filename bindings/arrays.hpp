// New arrays for Python, and copies of what the core holds as such.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "gate.hpp"

namespace arcwise::bindings {

template <class T, std::size_t dimensions>
using NewArray = nb::ndarray<nb::numpy, T, nb::ndim<dimensions>>;

template <class T, std::size_t dimensions>
std::pair<NewArray<T, dimensions>, std::span<T>> new_array(const std::size_t (&shape)[dimensions]) {
    const std::size_t size =
        std::accumulate(shape, shape + dimensions, std::size_t{1}, std::multiplies<>());
    auto* numbers = new std::vector<T>(size);
    const nb::capsule owner(numbers,
                            [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {NewArray<T, dimensions>(numbers->data(), dimensions, shape, owner),
            std::span<T>(*numbers)};
}

// A copy of the core's numbers.
template <class T, std::size_t dimensions>
NewArray<T, dimensions> copied(std::span<const T> values, const std::size_t (&shape)[dimensions]) {
    auto [array, memory] = new_array<T>(shape);
    std::copy(values.begin(), values.end(), memory.begin());
    return array;
}

template <class T>
NewArray<T, 1> copied(const std::vector<T>& values) {
    return copied(std::span<const T>(values), {values.size()});
}

}  // namespace arcwise::bindings
