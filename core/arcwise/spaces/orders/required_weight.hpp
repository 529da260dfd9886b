// The weight of one node that needs a parent among its recent predecessors, all along the bridge.
//
// With S the sum over the families within all predecessors and R that over those with a recent
// parent, the weight is R + (1 - t) (S - R): at t = 1 the sum under the requirement, at t = 0
// without it.
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

// Where on the bridge: t, and 1 - t with its logarithm.
struct BridgePlace {
    double t = 1.0;
    double left = 0.0;
    double log_left = minus_infinity;

    static BridgePlace at(double t) { return {t, 1.0 - t, std::log1p(-t)}; }
    bool operator==(const BridgePlace&) const = default;
};

// S and R / S of a node.
struct RequiredWeight {
    double log_sum = 0.0;  // ln S; where that is zero, what stands in for it
    double whole = 0.0;    // ln S relative to the node's scale
    double met = 1.0;      // R / S
    bool without = false;  // S is zero: no family is within the predecessors
    bool lacking = false;  // R is zero: none of the recent nodes can be a parent
    bool rough = false;    // R / S is a difference with few digits

    // So far from the end of the bridge a rough difference does no harm.
    static constexpr double safe = 0x1p-10;

    // Whether (1 - t) + t R / S is right as it is.
    bool is_plain(const BridgePlace& place) const {
        return !(without || lacking || (rough && place.left < safe));
    }
};

// The sums of all nodes; belongs to one thread.
class RequiredWeights {
  public:
    explicit RequiredWeights(const NodeWeights& weights)
        : weights_(weights), words_(weights.words()), required_(words_) {
        for (int node = 0; node < weights.nodes(); ++node) {
            const NodeSums& sums = weights.sums()[node];
            nodes_.push_back({sums.sum_scale(), sums.smallest_difference()});
        }
    }

    // The node's S, with nothing required; and the same with what is required taken into account: a
    // parent that is not one of the earlier ones.
    RequiredWeight whole(int node, ParentBits allowed) const {
        const double whole = weights_.relative_log_sum(node, allowed);
        if (whole > minus_infinity) return {.log_sum = of(node).scale + whole, .whole = whole};
        return {.log_sum = weights_.stand_in(node), .whole = whole, .without = true};
    }
    static RequiredWeight whole(const RequiredWeight& known) {
        return {.log_sum = known.log_sum, .whole = known.whole, .without = known.without};
    }
    void require(RequiredWeight& weight, int node, ParentBits allowed, ParentBits earlier) const {
        if (!weight.without) set_met(weight, node, allowed, earlier);
    }

    RequiredWeight split(int node, ParentBits allowed, ParentBits earlier, bool bound) const {
        RequiredWeight result = whole(node, allowed);
        if (bound) require(result, node, allowed, earlier);
        return result;
    }

    // A weight that is never smaller, and the same but where families would have to be added up.
    LogWeight above(const BridgePlace& place, const RequiredWeight& weight, int node) const {
        if (weight.without) return {weight.log_sum, 1};
        if (weight.lacking) {
            return place.left > 0.0 ? LogWeight{weight.log_sum + place.log_left, 0}
                                    : LogWeight{weight.log_sum, 1};
        }
        if (weight.met == 1.0) return {weight.log_sum, 0};
        const double met = weight.is_plain(place) ? weight.met : 2.0 * of(node).smallest_difference;
        return {log_kernel(place.left + place.t * met, weight.log_sum), 0};
    }

    LogWeight at(const BridgePlace& place, const RequiredWeight& weight, int node,
                 ParentBits allowed, ParentBits earlier) {
        if (!weight.is_plain(place)) return not_plain(place, weight, node, allowed, earlier);
        if (weight.met == 1.0) return {weight.log_sum, 0};
        return {log_kernel(place.left + place.t * weight.met, weight.log_sum), 0};
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

    void set_met(RequiredWeight& weight, int node, ParentBits allowed, ParentBits earlier) const {
        weight.lacking = same(allowed, earlier);
        if (weight.lacking) return;
        const double rest = weights_.relative_log_sum(node, earlier);
        if (rest == minus_infinity) return;  // every family has a recent parent
        // Absolute digits are enough: where they are few, the difference is rough anyway.
        weight.met = 1.0 - share_kernel(rest - weight.whole);
        weight.rough = weight.met < of(node).smallest_difference;
    }

    LogWeight not_plain(const BridgePlace& place, const RequiredWeight& weight, int node,
                        ParentBits allowed, ParentBits earlier) {
        if (weight.without) return {weight.log_sum, 1};
        double met = minus_infinity;
        if (!weight.lacking) {
            for (std::size_t word = 0; word < words_; ++word) {
                required_[word] = allowed[word] & ~earlier[word];
            }
            met = weights_.sums()[node].nearly_log_sum(allowed, required_.data(), memo_);
        }
        // R + (1 - t) (S - R) = t R + (1 - t) S.
        const double all = weight.log_sum + place.log_left;
        double sum = met + std::log(place.t);
        if (all > minus_infinity) sum = sum > minus_infinity ? log_add(sum, all) : all;
        return sum > minus_infinity ? LogWeight{sum, 0} : LogWeight{weight.log_sum, 1};
    }

    const NodeWeights& weights_;
    std::size_t words_;
    std::vector<Node> nodes_;
    std::vector<std::uint64_t> required_;
    SumMemo memo_;
};

}  // namespace arcwise
