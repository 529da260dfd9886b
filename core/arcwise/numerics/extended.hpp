// Numbers that are not negative and have an exponent of their own: no product underflows.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace arcwise {

class Extended {
  public:
    Extended() = default;
    explicit Extended(double number) : mantissa_(number) { normalise(); }

    static Extended from_log(double logarithm) {
        Extended result;
        if (logarithm == -std::numeric_limits<double>::infinity()) return result;
        const double power = std::floor(logarithm / ln2);
        result.mantissa_ = std::exp(logarithm - power * ln2);
        result.exponent_ = static_cast<std::int64_t>(power);
        result.normalise();
        return result;
    }

    bool positive() const { return mantissa_ > 0.0; }

    // Minus infinity for zero.
    double log() const { return std::log(mantissa_) + static_cast<double>(exponent_) * ln2; }

    // The number as a share of another that is not zero.
    double over(const Extended& other) const {
        if (!positive()) return 0.0;
        const std::int64_t power = exponent_ - other.exponent_;
        if (power < -2000) return 0.0;
        return std::ldexp(mantissa_ / other.mantissa_, static_cast<int>(power));
    }

    Extended operator*(const Extended& other) const {
        Extended result;
        result.mantissa_ = mantissa_ * other.mantissa_;
        result.exponent_ = exponent_ + other.exponent_;
        result.normalise();
        return result;
    }
    Extended operator+(const Extended& other) const {
        if (!positive()) return other;
        if (!other.positive()) return *this;
        const bool larger = exponent_ >= other.exponent_;
        const Extended& high = larger ? *this : other;
        const Extended& low = larger ? other : *this;
        const std::int64_t gap = high.exponent_ - low.exponent_;
        if (gap > 100) return high;
        Extended result = high;
        result.mantissa_ += std::ldexp(low.mantissa_, -static_cast<int>(gap));
        result.normalise();
        return result;
    }
    Extended& operator+=(const Extended& other) { return *this = *this + other; }
    bool operator<(const Extended& other) const {
        if (!positive() || !other.positive()) return mantissa_ < other.mantissa_;
        return exponent_ != other.exponent_ ? exponent_ < other.exponent_
                                            : mantissa_ < other.mantissa_;
    }

  private:
    static constexpr double ln2 = 0x1.62e42fefa39efp-1;

    void normalise() {
        if (mantissa_ == 0.0) {
            exponent_ = 0;
            return;
        }
        int power = 0;
        mantissa_ = std::frexp(mantissa_, &power);
        exponent_ += power;
    }

    double mantissa_ = 0.0;  // zero, or from 1/2 to 1
    std::int64_t exponent_ = 0;
};

}  // namespace arcwise
