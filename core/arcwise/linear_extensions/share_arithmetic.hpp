// Numbers for shares of orders: floating point, floating point of any range, whole numbers modulo
// primes.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arcwise/numerics/extended.hpp"
#include "arcwise/support/wide_product.hpp"

namespace arcwise {

// For up to 170 nodes, whose smallest share 1 / 170! is a normal number.
struct PlainShares {
    using Number = double;
    static constexpr int most_nodes = 170;

    static Number one() { return 1.0; }
    static Number zero() { return 0.0; }
    static Number sum(Number a, Number b) { return a + b; }
    static Number product(Number a, Number b) { return a * b; }
    static Number times(Number a, int factor) { return a * factor; }
    static Number divided(Number a, int divisor) { return a / divisor; }
    static double log(Number a) { return std::log(a); }
    static double ratio(Number a, Number b) { return a / b; }
};

// For any number of nodes.
struct WideShares {
    using Number = Extended;

    static Number one() { return Extended(1.0); }
    static Number zero() { return {}; }
    static Number sum(const Number& a, const Number& b) { return a + b; }
    static Number product(const Number& a, const Number& b) { return a * b; }
    static Number times(const Number& a, int factor) { return a.times(factor); }
    static Number divided(const Number& a, int divisor) { return a.divided_by(divisor); }
    static double log(const Number& a) { return a.log(); }
    static double ratio(const Number& a, const Number& b) { return a.over(b); }
};

// The share modulo four primes at once: as the primes are larger than any divisor, every division
// has an answer, and the share times n! is the whole number of linear extensions.
class Remainders {
  public:
    static constexpr std::size_t lanes = 4;
    using Number = std::array<std::uint64_t, lanes>;

    // Primes above `most_divisor` and below 2^62.
    void set(const Number& primes, int most_divisor) {
        primes_ = primes;
        // 1 / d from the remainder of p by d: p = q d + r gives 1 / d = -q / r modulo p.
        inverses_.assign(static_cast<std::size_t>(most_divisor) + 1, Number{});
        inverses_[1] = one();
        for (std::size_t d = 2; d < inverses_.size(); ++d) {
            for (std::size_t i = 0; i < lanes; ++i) {
                const std::uint64_t quotient = primes_[i] / d;
                inverses_[d][i] =
                    product_modulo(primes_[i] - quotient, inverses_[primes_[i] % d][i], primes_[i]);
            }
        }
    }

    static Number one() { return {1, 1, 1, 1}; }
    static Number zero() { return {0, 0, 0, 0}; }
    Number sum(const Number& a, const Number& b) const {
        Number result;
        for (std::size_t i = 0; i < lanes; ++i) {
            const std::uint64_t plain = a[i] + b[i];
            result[i] = plain >= primes_[i] ? plain - primes_[i] : plain;
        }
        return result;
    }
    Number product(const Number& a, const Number& b) const {
        Number result;
        for (std::size_t i = 0; i < lanes; ++i) result[i] = product_modulo(a[i], b[i], primes_[i]);
        return result;
    }
    Number times(const Number& a, int factor) const {
        if (factor == 1) return a;
        const auto same = static_cast<std::uint64_t>(factor);
        return product(a, {same, same, same, same});
    }
    Number divided(const Number& a, int divisor) const {
        return product(a, inverses_[static_cast<std::size_t>(divisor)]);
    }

  private:
    Number primes_{};
    std::vector<Number> inverses_;
};

}  // namespace arcwise
