// Numbers that are not negative and have an exponent of their own: no product underflows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/numerics/log_space.hpp"

namespace arcwise {

class Extended {
  public:
    Extended() = default;
    explicit Extended(double number) : Extended(normalised(number, 0)) {}

    static Extended from_log(double logarithm) {
        if (logarithm == minus_infinity) return {};
        const double power = std::floor(logarithm / ln2);
        return normalised(std::exp(logarithm - power * ln2), static_cast<std::int64_t>(power));
    }

    bool positive() const { return mantissa_ > 0.0; }

    // Minus infinity for zero.
    double log() const { return std::log(mantissa_) + static_cast<double>(exponent_) * ln2; }

    // The number as a share of another that is not zero; infinite or zero where that is out of the
    // range of a double.
    double over(const Extended& other) const {
        constexpr std::int64_t beyond = 2000;
        const std::int64_t power = std::clamp(exponent_ - other.exponent_, -beyond, beyond);
        return std::ldexp(mantissa_ / other.mantissa_, static_cast<int>(power));
    }

    Extended times(double factor) const { return normalised(mantissa_ * factor, exponent_); }
    Extended divided_by(double divisor) const { return normalised(mantissa_ / divisor, exponent_); }

    Extended operator*(const Extended& other) const {
        return normalised(mantissa_ * other.mantissa_, exponent_ + other.exponent_);
    }
    Extended operator+(const Extended& other) const {
        if (!positive()) return other;
        if (!other.positive()) return *this;
        const bool larger = exponent_ >= other.exponent_;
        const Extended& high = larger ? *this : other;
        const Extended& low = larger ? other : *this;
        const std::int64_t gap = high.exponent_ - low.exponent_;
        if (gap > 100) return high;
        return normalised(high.mantissa_ + std::ldexp(low.mantissa_, -static_cast<int>(gap)),
                          high.exponent_);
    }
    Extended& operator+=(const Extended& other) { return *this = *this + other; }
    bool operator<(const Extended& other) const {
        if (!positive() || !other.positive()) return mantissa_ < other.mantissa_;
        return exponent_ != other.exponent_ ? exponent_ < other.exponent_
                                            : mantissa_ < other.mantissa_;
    }

  private:
    static Extended normalised(double mantissa, std::int64_t exponent) {
        Extended result;
        int power = 0;
        result.mantissa_ = std::frexp(mantissa, &power);
        if (result.mantissa_ != 0.0) result.exponent_ = exponent + power;
        return result;
    }

    double mantissa_ = 0.0;  // zero, or from 1/2 to 1
    std::int64_t exponent_ = 0;
};

// The kinds of numbers that the recursions over layers count in.
//
// Plain ones, of type double, serve nearly always; extended ones where weights are too far apart.
// Where all there is to know is whether a number is zero, a float counts every other as one.

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
    if (logarithm == minus_infinity) return 0.0;
    return exp_of_minus(-std::max(logarithm, lowest));
}

template <>
inline float share_of_log<float>(double logarithm) {
    return logarithm == minus_infinity ? 0.0F : 1.0F;
}

inline double log_of(double number) { return number > 0.0 ? std::log(number) : minus_infinity; }
inline double log_of(const Extended& number) { return number.log(); }

inline bool positive(double number) { return number > 0.0; }
inline bool positive(const Extended& number) { return number.positive(); }

inline double share(double number, double whole) { return number / whole; }
inline double share(const Extended& number, const Extended& whole) { return number.over(whole); }

}  // namespace arcwise
