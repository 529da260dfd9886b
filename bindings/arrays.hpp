// New NumPy arrays, and copies of the core's vectors as such.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "gate.hpp"

namespace arcwise::bindings {

template <class T>
using NewArray = nb::ndarray<nb::numpy, T>;

// A new array of the given shape, and the memory it holds.
template <class T>
std::pair<NewArray<T>, std::span<T>> new_array(const std::vector<std::size_t>& shape) {
    const std::size_t size =
        std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
    auto* numbers = new std::vector<T>(size);
    const nb::capsule owner(numbers,
                            [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {NewArray<T>(numbers->data(), shape.size(), shape.data(), owner),
            std::span<T>(*numbers)};
}

template <class T>
NewArray<T> copied(std::span<const T> values, const std::vector<std::size_t>& shape) {
    auto [array, memory] = new_array<T>(shape);
    std::copy(values.begin(), values.end(), memory.begin());
    return array;
}

template <class T>
NewArray<T> copied(const std::vector<T>& values) {
    return copied(std::span<const T>(values), {values.size()});
}

}  // namespace arcwise::bindings
