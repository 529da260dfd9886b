// One block of the modular dynamic program: a set U among the middle and top nodes, and what the
// loops over the rest need; see SetParts.
//
// Belongs to one task, which moves it from block to block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/exact/modular_kernels.hpp"
#include "arcwise/exact/modular_tables.hpp"
#include "arcwise/exact/subsets.hpp"
#include "arcwise/numerics/lanes.hpp"

namespace arcwise {

template <class Real>
class ModularBlock {
  public:
    ModularBlock(const ScaledSums& sums, const std::vector<std::int32_t>& scales,
                 const SetParts& parts)
        : sums_(sums), scales_of_sets_(scales), parts_(parts) {
        const std::size_t most = std::max<std::size_t>(lanes, parts.middle_sets());
        values_.resize(most * parts.low_sets());
        scales_.resize(most * parts.low_sets());
        mantissas_.resize(most);
        exponents_.resize(most);
        additions_.resize(most);
        first_row_.resize(parts.low_sets() + std::size_t{1});
    }

    // Goes to the block of a set of top and one of middle nodes, both counted from 0.
    void enter(std::uint32_t top, std::uint32_t middle) {
        base_ = (top << parts_.middle | middle) << parts_.low;
        free_middle_ = (~middle & (parts_.middle_sets() - 1)) << parts_.low;
        free_top_ = (~top & (parts_.top_sets() - 1)) << (parts_.low + parts_.middle);
        sets_ = std::size_t{1} << std::popcount(free_middle_);
        stride_ = std::max(lanes, sets_);
        std::uint32_t added = 0;
        for (std::size_t i = 0; i < sets_; ++i) {
            additions_[i] = added;
            added = next_subset(added, free_middle_);
        }
        fill_low_rows();
    }

    // U without its low nodes, and the nodes outside U among the middle and top ones.
    std::uint32_t base() const { return base_; }
    std::uint32_t free_top() const { return free_top_; }

    // The free middle nodes by the bits of T among them.
    int middle_places() const { return std::popcount(free_middle_); }
    int middle_node(int place) const {
        return std::countr_zero(additions_[std::size_t{1} << place]);
    }

    // Numbers in a row, some of them padding.
    std::size_t stride() const { return stride_; }

    // Copies the scales of all sets U + T with T as given among the top nodes; and numbers of these
    // sets from a table over all sets.
    void read_scales(std::uint32_t added_top) { read(scales_of_sets_.data(), added_top, scales_); }
    void read_values(const std::vector<Real>& table, std::uint32_t added_top) {
        read(table.data(), added_top, values_);
    }
    // Adds rows to numbers of the sets whose top nodes are those of U + T, by their middle and low
    // nodes.
    void add_rows(const std::vector<Real>& rows, Real* numbers) const {
        const std::uint32_t below_top = (parts_.middle_sets() << parts_.low) - 1;
        for (std::size_t i = 0; i < sets_; ++i) {
            Real* const to = numbers + ((base_ | additions_[i]) & below_top);
            for (std::size_t r = 0; r < parts_.low_sets(); ++r) to[r] += rows[r * stride_ + i];
        }
    }

    // Row r has the sets U + T whose low nodes are r.
    Real* values(std::size_t row) { return values_.data() + row * stride_; }
    const std::int64_t* scales(std::size_t row) const { return scales_.data() + row * stride_; }

    // For U with these low nodes: the rows that T among the low nodes leads to, with the products
    // over T, the empty T first.
    std::span<const Row<Real>> rows(std::uint32_t low) const {
        return {rows_.data() + first_row_[low], rows_.data() + first_row_[low + 1]};
    }

    // For U with these low nodes and T as given among the top nodes: the products over all T among
    // the middle ones, times 2^scale(U). There are none if all are zero.
    Products<Real> products(std::uint32_t low, std::uint32_t added_top) {
        const std::uint32_t set = base_ | low;
        if (scales_of_sets_[set] == impossible_scale) return {nullptr, nullptr, 0};
        Real mantissa{1};
        std::int64_t exponent = scales_of_sets_[set] + exponent_bias;
        for (std::uint32_t left = added_top; left != 0; left &= left - 1) {
            const int v = std::countr_zero(left);
            mantissa *= -static_cast<Real>(sums_.mantissa(v, set));
            exponent += sums_.exponent(v, set);
        }
        if (mantissa == Real{0}) return {nullptr, nullptr, 0};
        mantissas_[0] = mantissa;
        exponents_[0] = exponent;
        std::size_t filled = 1;
        for (std::uint32_t left = free_middle_; left != 0; left &= left - 1) {
            const int v = std::countr_zero(left);
            const Real factor = -static_cast<Real>(sums_.mantissa(v, set));
            const std::int32_t shift = sums_.exponent(v, set);
            for (std::size_t i = 0; i < filled; ++i) {
                mantissas_[filled + i] = mantissas_[i] * factor;
                exponents_[filled + i] = exponents_[i] + shift;
            }
            filled *= 2;
        }
        for (; filled < stride_; ++filled) {
            mantissas_[filled] = Real{0};
            exponents_[filled] = 0;
        }
        return {mantissas_.data(), exponents_.data(), stride_};
    }

  private:
    void fill_low_rows() {
        rows_.clear();
        const std::uint32_t all = parts_.low_sets() - 1;
        for (std::uint32_t low = 0; low <= all; ++low) {
            const std::uint32_t set = base_ | low;
            const std::size_t first = rows_.size();
            first_row_[low] = first;
            rows_.push_back({Real{1}, 0, low});
            for (std::uint32_t left = all & ~low; left != 0; left &= left - 1) {
                const int v = std::countr_zero(left);
                const Real factor = -static_cast<Real>(sums_.mantissa(v, set));
                const std::int32_t shift = sums_.exponent(v, set);
                const std::size_t filled = rows_.size();
                for (std::size_t i = first; i < filled; ++i) {
                    const Row<Real> row = rows_[i];
                    rows_.push_back({row.factor * factor, row.exponent + shift,
                                     row.place | std::size_t{1} << v});
                }
            }
        }
        first_row_[all + 1] = rows_.size();
    }

    template <class From, class To>
    void read(const From* table, std::uint32_t added_top, std::vector<To>& to) const {
        for (std::size_t i = 0; i < sets_; ++i) {
            const From* const from = table + (base_ | added_top | additions_[i]);
            for (std::size_t r = 0; r < parts_.low_sets(); ++r) to[r * stride_ + i] = from[r];
        }
        for (std::size_t i = sets_; i < stride_; ++i) {
            for (std::size_t r = 0; r < parts_.low_sets(); ++r) to[r * stride_ + i] = To{0};
        }
    }

    const ScaledSums& sums_;
    const std::vector<std::int32_t>& scales_of_sets_;
    SetParts parts_;
    std::uint32_t base_ = 0;
    std::uint32_t free_middle_ = 0;
    std::uint32_t free_top_ = 0;
    std::size_t sets_ = 1;
    std::size_t stride_ = lanes;
    std::vector<std::uint32_t> additions_;  // T among the middle nodes, in the order of its bits
    std::vector<Real> values_;
    std::vector<std::int64_t> scales_;
    std::vector<Real> mantissas_;
    std::vector<std::int64_t> exponents_;
    std::vector<Row<Real>> rows_;
    std::vector<std::size_t> first_row_;
};

}  // namespace arcwise
