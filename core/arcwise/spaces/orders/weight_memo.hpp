// Remembers the weights of parts of a state by the sets of nodes that make them up.
//
// Chains come back to the same few buckets again and again. A set of nodes is known by the XOR of
// 128 random bits for each member, so that its key changes with a node in no time.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/support/random.hpp"
#include "arcwise/support/sum_memo.hpp"

namespace arcwise {

// The keys of single nodes, in each of several roles.
class NodeKeys {
  public:
    NodeKeys(int nodes, int roles) : nodes_(static_cast<std::size_t>(nodes)) {
        Random random(0x5e7cab1e, 0);
        for (std::size_t i = 0; i < nodes_ * static_cast<std::size_t>(roles); ++i) {
            const std::uint64_t first = random.bits();
            keys_.push_back({first, random.bits()});
        }
    }

    const SetKey& operator()(int role, int node) const {
        return keys_[static_cast<std::size_t>(role) * nodes_ + static_cast<std::size_t>(node)];
    }

  private:
    std::size_t nodes_;
    std::vector<SetKey> keys_;
};

using WeightMemo = SumMemo;

}  // namespace arcwise
