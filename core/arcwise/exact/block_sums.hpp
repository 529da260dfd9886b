// Score sums over whole blocks of parent bounds, for programmes that visit every subset.
//
// The variables are split into low and high ones. A block is a set H of high variables with all
// sets L of low ones: for a node v and a block, ln alpha_v(H + L) comes as one array over L (v
// itself left out of the index). No table over all subsets is ever held, so memory is that of a few
// blocks.
//
// Symbols of the papers: alpha_v(U), the sum of the weights phi_v(S) over S within U. All weights
// of a node are kept relative to its heaviest family, ln phi_v(S) - offset(v).
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

class BlockSums {
  public:
    // At most 32 variables, `low` of them low.
    BlockSums(const FamilyTable& table, int low);

    // A number of low variables that balances the work per family with the work per set.
    static int balanced_low(int nodes);

    int nodes() const { return static_cast<int>(nodes_.size()); }
    int low() const { return low_; }
    int high() const { return nodes() - low_; }
    std::uint32_t blocks() const { return std::uint32_t{1} << high(); }

    // Largest log weight of a family of `node`.
    double offset(int node) const { return at(node).offset; }
    double total_offset() const;

    // Entries of a block's array for `node`: 2^low, or half of it if the node is low itself.
    std::size_t block_size(int node) const { return std::size_t{1} << at(node).index_bits; }

    // Place in that array of a set of low variables without the node.
    std::size_t index(int node, std::uint32_t low_set) const {
        if (node >= low_) return low_set;
        return squeeze_bit(low_set, node);
    }
    // The set of low variables at a place of that array.
    std::uint32_t set_at(int node, std::size_t place) const {
        const auto low_set = static_cast<std::uint32_t>(place);
        if (node >= low_) return low_set;
        return insert_bit(low_set, node);
    }

    // out[L] = ln alpha_node(high_set + L) - offset. `high_set` is in units of high variables.
    void log_sums(int node, std::uint32_t high_set, double* out) const;

    // out[L] = the largest log weight of a family within high_set + L, less offset.
    void maxima(int node, std::uint32_t high_set, double* out) const;

    // Adds to probabilities[family], for every family S within the block's sets,
    //   phi(S) * sum over L with S within high_set + L of share[L] / alpha(high_set + L),
    // where log_sum[L] is what `log_sums` gave. Shares may be negative; where a share is zero the
    // log sum does not matter.
    void add_family_shares(int node, std::uint32_t high_set, const double* share,
                           const double* log_sum, double* probabilities) const;

    // Whether all weights of the node fit into one window of plain numbers, e^(weight -
    // plain_scale).
    bool is_plain(int node) const { return !at(node).plain.empty(); }
    double plain_scale(int node) const { return at(node).scale; }

    // The same as add_family_shares for such a node, given share[L] / alpha(high_set + L) in its
    // scale, that is times e^plain_scale, at the place of the complement of L. Overwrites `ratios`.
    void add_plain_shares(int node, std::uint32_t high_set, double* ratios,
                          double* probabilities) const;

    // The heaviest family within `allowed` (a set of all variables): its log weight less offset and
    // its index in the family table, which is -1 if there is none.
    struct Best {
        double weight;
        std::int64_t family;
    };
    Best best_family(int node, std::uint32_t allowed) const;

  private:
    struct Group {  // families with the same high parents, next to each other
        std::uint32_t high_set;
        std::uint32_t first;
        std::uint32_t last;
        double largest;
        double smallest;
    };
    struct Node {
        int index_bits = 0;
        double offset = 0.0;
        std::vector<Group> groups;
        std::vector<double> weights;  // ln phi - offset, by group
        // Where one window holds all weights of the node, e^(weight - scale); else empty.
        double scale = 0.0;
        std::vector<double> plain;
        std::vector<std::uint32_t> place;    // of the low parents in a block's array
        std::vector<std::uint32_t> storage;  // index in the family table
    };

    const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }

    int low_;
    std::vector<Node> nodes_;
};

// Throws `argument`: no DAG has a positive weight.
[[noreturn]] void refuse_impossible();

}  // namespace arcwise
