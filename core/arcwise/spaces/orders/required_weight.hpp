// The weight of one node that needs a parent in a part of its predecessors, all along the bridge.
//
// With S the sum over the families within all predecessors and Q that over those within the earlier
// ones, which do not meet the recent ones, the weight is S - t Q: at t = 1 the sum under the
// requirement, at t = 0 without it.
#pragma once

#include <cmath>
#include <cstdint>

#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/spaces/proposal.hpp"
#include "arcwise/support/set_memo.hpp"

namespace arcwise {

// Where on the bridge: t, and 1 - t with its logarithm.
struct BridgePlace {
    double t = 1.0;
    double left = 0.0;
    double log_left = minus_infinity;

    static BridgePlace at(double t) { return {t, 1.0 - t, std::log1p(-t)}; }
    bool operator==(const BridgePlace&) const = default;
};

// S and Q of a node.
struct RequiredWeight {
    double log_sum = 0.0;  // of S; where that is zero, what stands in for it
    double unmet = 0.0;    // Q / S
    bool without = false;  // S is zero: no family is within the predecessors
    bool lacking = false;  // Q is S: none of the recent nodes can be a parent

    // 1 - t Q / S keeps about as many digits as this is above the last of them; below it the
    // families are added up.
    static constexpr double smallest_share = 0x1p-7;

    bool cancels(const BridgePlace& place) const {
        return !lacking && 1.0 - place.t * unmet < smallest_share;
    }
};

// The sums of all nodes; belongs to one thread.
class RequiredWeights {
  public:
    explicit RequiredWeights(const NodeWeights& weights)
        : weights_(weights), words_(weights.words()), required_(words_) {}

    // The node's S, and its Q if it needs a parent beyond `earlier`.
    RequiredWeight split(int node, ParentBits allowed, ParentBits earlier, bool bound) const {
        const LogWeight sum = weights_.at(node, allowed);
        RequiredWeight result{.log_sum = sum.value, .without = sum.impossible != 0};
        if (bound && !result.without) set_unmet(result, node, allowed, earlier);
        return result;
    }

    // Sets Q of a node whose S is known and not zero.
    void set_unmet(RequiredWeight& weight, int node, ParentBits allowed, ParentBits earlier) const {
        weight.lacking = same(allowed, earlier);
        if (weight.lacking) return;
        const LogWeight rest = weights_.at(node, earlier);
        weight.unmet = rest.impossible != 0 ? 0.0 : std::exp(rest.value - weight.log_sum);
    }

    LogWeight at(const BridgePlace& place, const RequiredWeight& weight, int node,
                 ParentBits allowed, ParentBits earlier) {
        if (weight.without) return {weight.log_sum, 1};
        if (weight.lacking) {
            return place.left > 0.0 ? LogWeight{weight.log_sum + place.log_left, 0}
                                    : LogWeight{weight.log_sum, 1};
        }
        if (weight.unmet == 0.0) return {weight.log_sum, 0};
        if (weight.cancels(place)) return added_up(place, weight, node, allowed, earlier);
        return {weight.log_sum + std::log1p(-place.t * weight.unmet), 0};
    }

    bool same(ParentBits one, ParentBits other) const {
        std::uint64_t differing = one[0] ^ other[0];
        for (std::size_t word = 1; word < words_; ++word) differing |= one[word] ^ other[word];
        return differing == 0;
    }

  private:
    LogWeight added_up(const BridgePlace& place, const RequiredWeight& weight, int node,
                       ParentBits allowed, ParentBits earlier) {
        for (std::size_t word = 0; word < words_; ++word) {
            required_[word] = allowed[word] & ~earlier[word];
        }
        const double met = weights_.sums()[node].log_sum(allowed, required_.data(), memo_);
        const double rest = weight.log_sum + std::log(weight.unmet) + place.log_left;
        const double sum = log_add(met, rest);
        return sum > minus_infinity ? LogWeight{sum, 0} : LogWeight{weight.log_sum, 1};
    }

    const NodeWeights& weights_;
    std::size_t words_;
    std::vector<std::uint64_t> required_;
    SumMemo memo_;
};

}  // namespace arcwise
