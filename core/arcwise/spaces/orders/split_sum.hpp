// The weight of one node of a canonical order at any point of the bridge.
//
// In the symbols of canonical_orders.hpp: with S the sum over the families within the predecessors
// A and Q that over those within the earlier ones E, R = S - Q is the sum over those with a recent
// parent, and a bound node has the weight R + (1 - t) Q = S ((1 - t) + t R / S). A node that is not
// bound has the weight S.
//
// S is an upper bound that costs one look-up. R / S costs another; as 1 - Q / S it has few digits
// where it is small, and then R is added up family by family, or a closer bound is used.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/spaces/proposal.hpp"
#include "arcwise/support/set_memo.hpp"

namespace arcwise {

// A point of the bridge.
struct BridgePlace {
    double t = 1.0;
    double one_minus_t = 0.0;
    double log_one_minus_t = minus_infinity;

    static BridgePlace at(double t) { return {t, 1.0 - t, std::log1p(-t)}; }
    bool operator==(const BridgePlace&) const = default;
};

// S and R / S of a node.
struct SplitSum {
    double log_S = 0.0;           // where S is zero, the logarithm that stands in for it
    double relative_log_S = 0.0;  // ln S relative to the node's scale
    double R_over_S = 1.0;
    bool S_is_zero = false;  // no family is within the predecessors
    bool R_is_zero = false;  // no recent node is a possible parent; R_over_S is then not set
    bool cancels = false;    // S - Q has few digits, and so has R_over_S

    // With so much of the bridge left, the missing digits of R / S do no harm.
    static constexpr double safe = 0x1p-10;

    // Whether the weight is S ((1 - t) + t R / S) by these numbers.
    bool is_product(const BridgePlace& place) const {
        return !(S_is_zero || R_is_zero || (cancels && place.one_minus_t < safe));
    }
    // The same for a node that is not bound.
    SplitSum unbound() const {
        return {.log_S = log_S, .relative_log_S = relative_log_S, .S_is_zero = S_is_zero};
    }
};

// The sums of all nodes; belongs to one thread.
class SplitSums {
  public:
    explicit SplitSums(const NodeWeights& weights)
        : weights_(weights), words_(weights.words()), recent_(words_) {
        for (int node = 0; node < weights.nodes(); ++node) {
            const NodeSums& sums = weights.sums()[node];
            nodes_.push_back({sums.sum_scale(), sums.smallest_difference()});
        }
    }

    // For a node that is not bound, with these predecessors.
    SplitSum unbound(int node, ParentBits predecessors) const {
        const double relative = weights_.relative_log_sum(node, predecessors);
        if (relative > minus_infinity) {
            return {.log_S = of(node).scale + relative, .relative_log_S = relative};
        }
        return {.log_S = weights_.stand_in(node), .relative_log_S = relative, .S_is_zero = true};
    }
    // Makes it that of a bound node, with these earlier ones among the predecessors.
    void bind(SplitSum& sum, int node, ParentBits predecessors, ParentBits earlier) const {
        if (sum.S_is_zero) return;
        sum.R_is_zero = same(predecessors, earlier);
        if (sum.R_is_zero) return;
        const double relative_log_Q = weights_.relative_log_sum(node, earlier);
        if (relative_log_Q == minus_infinity) return;  // every family has a recent parent
        // Absolute digits are enough: where they are few, the difference cancels anyway.
        sum.R_over_S = 1.0 - share_kernel(relative_log_Q - sum.relative_log_S);
        sum.cancels = sum.R_over_S < of(node).smallest_difference;
    }
    SplitSum split(int node, ParentBits predecessors, ParentBits earlier, bool bound) const {
        SplitSum sum = unbound(node, predecessors);
        if (bound) bind(sum, node, predecessors, earlier);
        return sum;
    }

    // A weight that is never smaller, and the exact one unless families would have to be added up.
    LogWeight close_bound(const BridgePlace& place, const SplitSum& sum, int node) const {
        if (sum.S_is_zero) return {sum.log_S, 1};
        if (sum.R_is_zero) {
            return place.one_minus_t > 0.0 ? LogWeight{sum.log_S + place.log_one_minus_t, 0}
                                           : LogWeight{sum.log_S, 1};
        }
        if (sum.R_over_S == 1.0) return {sum.log_S, 0};
        const double share =
            sum.is_product(place) ? sum.R_over_S : 2.0 * of(node).smallest_difference;
        return {log_kernel(place.one_minus_t + place.t * share, sum.log_S), 0};
    }

    LogWeight weight(const BridgePlace& place, const SplitSum& sum, int node,
                     ParentBits predecessors, ParentBits earlier) {
        if (!sum.is_product(place)) return added_up(place, sum, node, predecessors, earlier);
        if (sum.R_over_S == 1.0) return {sum.log_S, 0};
        return {log_kernel(place.one_minus_t + place.t * sum.R_over_S, sum.log_S), 0};
    }

    bool same(ParentBits one, ParentBits other) const {
        std::uint64_t differing = one[0] ^ other[0];
        for (std::size_t word = 1; word < words_; ++word) differing |= one[word] ^ other[word];
        return differing == 0;
    }

  private:
    struct Node {
        double scale;
        double smallest_difference;
    };
    const Node& of(int node) const { return nodes_[static_cast<std::size_t>(node)]; }

    LogWeight added_up(const BridgePlace& place, const SplitSum& sum, int node,
                       ParentBits predecessors, ParentBits earlier) {
        if (sum.S_is_zero) return {sum.log_S, 1};
        double log_R = minus_infinity;
        if (!sum.R_is_zero) {
            for (std::size_t word = 0; word < words_; ++word) {
                recent_[word] = predecessors[word] & ~earlier[word];
            }
            log_R = weights_.sums()[node].nearly_log_sum(predecessors, recent_.data(), memo_);
        }
        // R + (1 - t) Q = t R + (1 - t) S.
        const double log_rest = sum.log_S + place.log_one_minus_t;
        double total = log_R + std::log(place.t);
        if (log_rest > minus_infinity) {
            total = total > minus_infinity ? log_add(total, log_rest) : log_rest;
        }
        return total > minus_infinity ? LogWeight{total, 0} : LogWeight{sum.log_S, 1};
    }

    const NodeWeights& weights_;
    std::size_t words_;
    std::vector<Node> nodes_;
    std::vector<std::uint64_t> recent_;
    SumMemo memo_;
};

}  // namespace arcwise
