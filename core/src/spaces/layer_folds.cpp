// One element after the other is folded in, for a few t side by side that fit the fastest memory.
#include "layer_folds.hpp"

#include "sums/lanes.hpp"

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

}  // namespace arcwise
