// The kinds of numbers that the programmes over layers count in.
//
// Plain ones, of type double, serve nearly always; extended ones where weights are too far apart.
// Where all there is to know is whether a number is zero, a float counts every other as one.
#pragma once

#include <algorithm>
#include <limits>

#include "arcwise/numerics/extended.hpp"
#include "arcwise/numerics/log_kernels.hpp"

namespace arcwise {

// A share of a sum, kept as a logarithm, as a number. A double takes what is smaller than 2^-1000
// for that: so a share that is not zero never looks like one that is, and no share is off by more.
template <class Number>
Number share_of_log(double logarithm);

template <>
inline Extended share_of_log<Extended>(double logarithm) {
    return Extended::from_log(logarithm);
}

template <>
inline double share_of_log<double>(double logarithm) {
    constexpr double lowest = -693.0;
    if (logarithm == -std::numeric_limits<double>::infinity()) return 0.0;
    return exp_of_minus(-std::max(logarithm, lowest));
}

template <>
inline float share_of_log<float>(double logarithm) {
    return logarithm == -std::numeric_limits<double>::infinity() ? 0.0F : 1.0F;
}

inline double log_of(double number) {
    return number > 0.0 ? std::log(number) : -std::numeric_limits<double>::infinity();
}
inline double log_of(const Extended& number) { return number.log(); }

inline bool positive(double number) { return number > 0.0; }
inline bool positive(const Extended& number) { return number.positive(); }

inline double share(double number, double whole) { return number / whole; }
inline double share(const Extended& number, const Extended& whole) { return number.over(whole); }

}  // namespace arcwise
