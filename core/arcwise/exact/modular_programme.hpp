// The tables H and B of the modular programme, in numbers whose exponents are kept apart.
//
// A value at a set is a mantissa times 2 to an exponent fixed beforehand, from the best DAG on that
// set: so the sums are plain sums, whatever the range of the weights. See modular.hpp for the
// recurrences.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// mantissa * 2^exponent; exponents far below the range of doubles give (nearly) zero.
inline double times_power_of_two(double mantissa, std::int32_t exponent);
inline long double times_power_of_two(long double mantissa, std::int32_t exponent);

template <class Real>
class ModularProgramme {
  public:
    static constexpr int most_nodes = 25;

    explicit ModularProgramme(const FamilyTable& weights);

    // Bytes the tables for `nodes` variables take, shares included.
    static std::uint64_t bytes(int nodes);

    int nodes() const { return sums_.nodes(); }
    std::uint32_t everything() const { return everything_; }
    const BlockSums& sums() const { return sums_; }

    // Fills the exponents, H, and B. With shares, also
    //   share(v)[U] = H(U) alpha_v(U) / H(V) * (the coefficient of alpha_v(U) in B(U)).
    void run(bool with_shares, const RunOptions& options);

    // The work that `run` reports, in subsets of subsets.
    static std::uint64_t work(int nodes);

    // H and B as mantissas, with their exponents; alpha_v(U) likewise, for U without v.
    const std::vector<Real>& weight_on() const { return weight_on_; }
    const std::vector<Real>& weight_beyond() const { return weight_beyond_; }
    std::int32_t exponent_on(std::uint32_t set) const { return exponent_on_[set]; }
    std::int32_t exponent_beyond(std::uint32_t set) const { return exponent_beyond_[set]; }
    double sum_mantissa(int v, std::uint32_t set) const {
        return sum_mantissa_[static_cast<std::size_t>(v)][sums_.index(v, set)];
    }
    std::int32_t sum_exponent(int v, std::uint32_t set) const {
        return sum_exponent_[static_cast<std::size_t>(v)][sums_.index(v, set)];
    }
    const std::vector<double>& share(int v) const { return share_[static_cast<std::size_t>(v)]; }

    // ln H(V), relative to the offsets of the nodes.
    double log_total() const;

    // Estimate of the relative error of H(V) that comes from rounding; see modular.hpp.
    double error() const { return error_; }

    // Products over T within the nodes `free`, for all T in the order of their bits squeezed
    // together: mantissas times (-1)^|T| and exponents, starting from those given.
    struct Products {
        std::vector<Real> mantissa;
        std::vector<std::int32_t> exponent;
    };
    void multiply_out(std::uint32_t set, std::uint32_t free, Real mantissa, std::int32_t exponent,
                      Products& out) const;

    // The terms of B(set), for all T outside the set in the same order, in the scale of B(set), and
    // reach = H(set) / H(V) in that scale. Needs H, and B of all larger sets.
    struct Terms {
        Products products;
        std::vector<Real> values;
        Real sum{0};
        Real absolute{0};
        Real reach{0};

        // Bounds what the set can add to any probability; below `negligible` it cannot show.
        double influence() const { return static_cast<double>(reach * absolute); }
        static constexpr double negligible = 1e-25;
    };
    void expand(std::uint32_t set, Terms& out) const;

  private:
    void fill_exponents(const RunOptions& options);
    void fill_sums(const RunOptions& options);
    void fill_weight_on(const RunOptions& options);
    void fill_weight_beyond(bool with_shares, const RunOptions& options);
    void push(std::uint32_t set, std::uint32_t top_added, std::uint32_t low_mask,
              Products& products);
    double pull(std::uint32_t set, bool with_shares, Terms& terms);

    BlockSums sums_;
    std::uint32_t everything_;
    std::vector<std::vector<double>> sum_mantissa_;
    std::vector<std::vector<std::int32_t>> sum_exponent_;
    std::vector<std::int32_t> exponent_on_;
    std::vector<std::int32_t> exponent_beyond_;
    std::vector<Real> weight_on_;
    std::vector<Real> weight_beyond_;
    std::vector<std::vector<double>> share_;
    double error_ = 0.0;
};

extern template class ModularProgramme<double>;
extern template class ModularProgramme<long double>;

}  // namespace arcwise

#include <algorithm>
#include <bit>
#include <cmath>

namespace arcwise {

inline double times_power_of_two(double mantissa, std::int32_t exponent) {
    const std::int32_t kept = std::clamp(exponent, -1022, 1023);
    return mantissa * std::bit_cast<double>(static_cast<std::uint64_t>(kept + 1023) << 52);
}

inline long double times_power_of_two(long double mantissa, std::int32_t exponent) {
    return std::ldexp(mantissa, std::clamp(exponent, -16000, 16000));
}

}  // namespace arcwise
