// Independent orders and DAGs from the order-modular posterior, by walking back through F.
//
// The last node of a set Y is v with probability alpha_v(Y - v) F(Y - v) / F(Y); then Y - v goes
// on. Given the order, every node draws its parents among its predecessors. (DOS and DDS of He,
// Tian and Wu 2016.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/exact/block_sums.hpp"
#include "arcwise/exact/exact_computation.hpp"
#include "arcwise/exact/parent_sampler.hpp"
#include "arcwise/families/family_table.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

class OrderSampler {
  public:
    // `forward` is ln F of the forward recursion, less the offsets; it must outlive this.
    OrderSampler(const FamilyTable& weights, const BlockSums& blocks,
                 const std::vector<double>& forward, const RunOptions& options);

    int nodes() const { return sums_.nodes(); }

    // As ExactComputation::draw.
    void sample(const RandomOf& random_of, std::size_t count, std::span<std::uint8_t> orders,
                std::span<std::uint32_t> parents, const RunOptions& options) const;

  private:
    const std::vector<double>& forward_;
    std::vector<double> offset_;
    SetSums sums_;
};

}  // namespace arcwise
