// One element after the other is folded in, for a few t side by side that fit the fastest memory.
#include "arcwise/numerics/subset_folds.hpp"

#include "arcwise/numerics/lanes.hpp"

namespace arcwise {
namespace {

// For `width` neighbouring t: value[S] + factor * value[S + i] for the last element i, and so on.
template <std::size_t width, class Number>
ARCWISE_INLINE void fold_some(const Number* values, const Number* const* factors,
                              std::size_t elements, std::size_t first, Number* __restrict out,
                              Number* __restrict scratch) {
    if (elements == 0) {
        for (std::size_t t = 0; t < width; ++t) out[first + t] = values[0];
        return;
    }
    std::size_t half = std::size_t{1} << (elements - 1);
    const Number* factor = factors[elements - 1] + first;
    for (std::size_t set = 0; set < half; ++set) {
        for (std::size_t t = 0; t < width; ++t) {
            scratch[set * width + t] = values[set] + factor[t] * values[set + half];
        }
    }
    for (std::size_t element = elements - 1; element-- > 0;) {
        half /= 2;
        factor = factors[element] + first;
        for (std::size_t set = 0; set < half; ++set) {
            for (std::size_t t = 0; t < width; ++t) {
                scratch[set * width + t] =
                    scratch[set * width + t] + factor[t] * scratch[(set + half) * width + t];
            }
        }
    }
    for (std::size_t t = 0; t < width; ++t) out[first + t] = scratch[t];
}

// The same forwards, keeping all levels, and then backwards: how the sum changes with each level.
// Level k has the 2^k subsets of the first k elements; it begins at (2^k - 1) * width.
template <std::size_t width, class Number>
ARCWISE_INLINE void unfold_some(const Number* values, const Number* const* factors,
                                std::size_t elements, std::size_t first, const Number* weights,
                                Number* const* by_factor, Number* by_value,
                                Number* __restrict levels, Number* __restrict changes) {
    const auto level = [](std::size_t k) { return ((std::size_t{1} << k) - 1) * width; };
    for (std::size_t set = 0; set < std::size_t{1} << elements; ++set) {
        for (std::size_t t = 0; t < width; ++t) {
            levels[level(elements) + set * width + t] = values[set];
        }
    }
    for (std::size_t k = elements; k-- > 0;) {
        const std::size_t half = width << k;
        const Number* const factor = factors[k] + first;
        const Number* const from = levels + level(k + 1);
        Number* const to = levels + level(k);
        for (std::size_t i = 0; i < half; i += width) {
            for (std::size_t t = 0; t < width; ++t) {
                to[i + t] = from[i + t] + factor[t] * from[half + i + t];
            }
        }
    }
    for (std::size_t t = 0; t < width; ++t) changes[t] = weights[first + t];
    for (std::size_t k = 0; k < elements; ++k) {
        const std::size_t half = width << k;
        const Number* const factor = factors[k] + first;
        const Number* const with = levels + level(k + 1) + half;
        Number sums[width] = {};
        for (std::size_t i = 0; i < half; i += width) {
            for (std::size_t t = 0; t < width; ++t) {
                sums[t] = sums[t] + changes[i + t] * with[i + t];
                changes[half + i + t] = changes[i + t] * factor[t];
            }
        }
        for (std::size_t t = 0; t < width; ++t) by_factor[k][first + t] = sums[t];
    }
    for (std::size_t set = 0; set < std::size_t{1} << elements; ++set) {
        Number sum = by_value[set];
        for (std::size_t t = 0; t < width; ++t) sum = sum + changes[set * width + t];
        by_value[set] = sum;
    }
}

template <class Number>
ARCWISE_INLINE void fold_all(const Number* values, const Number* const* factors,
                             std::size_t elements, std::size_t count, Number* out,
                             Number* scratch) {
    std::size_t first = 0;
    for (; first + 8 <= count; first += 8) {
        fold_some<8>(values, factors, elements, first, out, scratch);
    }
    for (; first + 4 <= count; first += 4) {
        fold_some<4>(values, factors, elements, first, out, scratch);
    }
    for (; first + 2 <= count; first += 2) {
        fold_some<2>(values, factors, elements, first, out, scratch);
    }
    for (; first < count; ++first) fold_some<1>(values, factors, elements, first, out, scratch);
}

ARCWISE_VECTOR_VERSIONS
void fold_doubles(const double* values, const double* const* factors, std::size_t elements,
                  std::size_t count, double* out, double* scratch) {
    fold_all(values, factors, elements, count, out, scratch);
}

ARCWISE_VECTOR_VERSIONS
void fold_floats(const float* values, const float* const* factors, std::size_t elements,
                 std::size_t count, float* out, float* scratch) {
    fold_all(values, factors, elements, count, out, scratch);
}

ARCWISE_VECTOR_VERSIONS
void unfold_doubles(const double* values, const double* const* factors, std::size_t elements,
                    std::size_t count, const double* weights, double* const* by_factor,
                    double* by_value, double* levels, double* changes) {
    std::size_t first = 0;
    for (; first + 8 <= count; first += 8) {
        unfold_some<8>(values, factors, elements, first, weights, by_factor, by_value, levels,
                       changes);
    }
    for (; first < count; ++first) {
        unfold_some<1>(values, factors, elements, first, weights, by_factor, by_value, levels,
                       changes);
    }
}

}  // namespace

void fold(const double* values, const double* const* factors, std::size_t elements,
          std::size_t count, double* out, std::vector<double>& scratch) {
    if (scratch.size() < lanes << elements) scratch.resize(lanes << elements);
    fold_doubles(values, factors, elements, count, out, scratch.data());
}

void fold(const float* values, const float* const* factors, std::size_t elements, std::size_t count,
          float* out, std::vector<float>& scratch) {
    if (scratch.size() < lanes << elements) scratch.resize(lanes << elements);
    fold_floats(values, factors, elements, count, out, scratch.data());
}

void fold(const Extended* values, const Extended* const* factors, std::size_t elements,
          std::size_t count, Extended* out, std::vector<Extended>& scratch) {
    if (scratch.size() < std::size_t{1} << elements) scratch.resize(std::size_t{1} << elements);
    for (std::size_t t = 0; t < count; ++t) {
        fold_some<1>(values, factors, elements, t, out, scratch.data());
    }
}

void unfold(const double* values, const double* const* factors, std::size_t elements,
            std::size_t count, const double* weights, double* const* by_factor, double* by_value,
            std::vector<double>& scratch) {
    const std::size_t size = lanes << (elements + 1);
    if (scratch.size() < 2 * size) scratch.resize(2 * size);
    unfold_doubles(values, factors, elements, count, weights, by_factor, by_value, scratch.data(),
                   scratch.data() + size);
}

void unfold(const Extended* values, const Extended* const* factors, std::size_t elements,
            std::size_t count, const Extended* weights, Extended* const* by_factor,
            Extended* by_value, std::vector<Extended>& scratch) {
    const std::size_t size = std::size_t{2} << elements;
    if (scratch.size() < 2 * size) scratch.resize(2 * size);
    for (std::size_t t = 0; t < count; ++t) {
        unfold_some<1>(values, factors, elements, t, weights, by_factor, by_value, scratch.data(),
                       scratch.data() + size);
    }
}

}  // namespace arcwise
