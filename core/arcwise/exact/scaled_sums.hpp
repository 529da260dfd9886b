// The score sums alpha_v(U) of every node over every set, as mantissas and binary exponents.
//
// Sums of one node differ by thousands of nats; kept so, products of them are products of plain
// numbers and sums of whole ones. All weights of a node are relative to its heaviest family, as in
// block_sums.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/exact/subsets.hpp"
#include "arcwise/families/family_table.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

class ScaledSums {
  public:
    ScaledSums(const FamilyTable& weights, const RunOptions& options);

    // Bytes the tables for `nodes` variables take.
    static std::uint64_t bytes(int nodes);

    int nodes() const { return static_cast<int>(mantissas_.size()); }

    // The log weights of the heaviest families of all nodes, added up.
    double total_offset() const { return total_offset_; }

    // Of alpha_v(set), for sets without v; the mantissa is from 1 to 2, or zero.
    double mantissa(int v, std::uint32_t set) const {
        return mantissas_[static_cast<std::size_t>(v)][place_without(v, set)];
    }
    std::int32_t exponent(int v, std::uint32_t set) const {
        return exponents_[static_cast<std::size_t>(v)][place_without(v, set)];
    }

    // Entries of one node.
    std::size_t size() const { return std::size_t{1} << (nodes() - 1); }

  private:
    std::vector<std::vector<double>> mantissas_;
    std::vector<std::vector<std::int32_t>> exponents_;
    double total_offset_ = 0.0;
};

}  // namespace arcwise
