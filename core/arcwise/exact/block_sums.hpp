// Score sums over whole blocks of parent bounds, for dynamic programs that visit every subset.
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
#include <optional>
#include <vector>

#include "arcwise/exact/subsets.hpp"
#include "arcwise/families/family_table.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// The score sums of one node.
class NodeBlockSums {
  public:
    // Takes the families of `node` among at most 32 variables, of which the first `low` are low.
    NodeBlockSums(const NodeFamilies& families, int node, int low);

    // Largest log weight of a family.
    double offset() const { return offset_; }

    // Entries of a block's array: 2^low, or half of it if the node is low itself.
    std::size_t block_size() const { return std::size_t{1} << index_bits_; }

    // Place in that array of a set of low variables without the node.
    std::size_t index(std::uint32_t low_set) const {
        return node_ >= low_ ? low_set : place_without(node_, low_set);
    }
    // The set of low variables at a place of that array.
    std::uint32_t set_at(std::size_t place) const {
        return node_ >= low_ ? static_cast<std::uint32_t>(place) : set_without(node_, place);
    }

    // out[L] = ln alpha(high_set + L) - offset. `high_set` is in units of high variables.
    void log_sums(std::uint32_t high_set, double* out) const;

    // out[L] = the largest log weight of a family within high_set + L, less offset.
    void maxima(std::uint32_t high_set, double* out) const;

    // Adds to probabilities[family], for every family S within the block's sets,
    //   phi(S) * sum over L with S within high_set + L of share[L] / alpha(high_set + L),
    // where log_sum[L] is what `log_sums` gave. Shares may be negative; where a share is zero the
    // log sum does not matter.
    void add_family_shares(std::uint32_t high_set, const double* share, const double* log_sum,
                           double* probabilities) const;

    // Whether all weights fit into one window of plain numbers, e^(weight - plain_scale).
    bool is_plain() const { return !plain_.empty(); }
    double plain_scale() const { return scale_; }

    // The same as add_family_shares for such a node, given share[L] / alpha(high_set + L) in its
    // scale, that is times e^plain_scale, at the place of the complement of L. Overwrites `ratios`.
    void add_plain_shares(std::uint32_t high_set, double* ratios, double* probabilities) const;

    // The heaviest family within `allowed` (a set of all variables): its log weight less offset and
    // its index in the family table, which is -1 if there is none.
    struct Best {
        double weight;
        std::int64_t family;
    };
    Best best_family(std::uint32_t allowed) const;

  private:
    struct Group {  // families with the same high parents, next to each other
        std::uint32_t high_set;
        std::uint32_t first;
        std::uint32_t last;
        double largest;
        double smallest;
    };

    int node_;
    int low_;
    int index_bits_;
    double offset_ = 0.0;
    std::vector<Group> groups_;
    std::vector<double> weights_;  // ln phi - offset, by group
    // Where one window holds all weights of the node, e^(weight - scale); else empty.
    double scale_ = 0.0;
    std::vector<double> plain_;
    std::vector<std::uint32_t> place_;    // of the low parents in a block's array
    std::vector<std::uint32_t> storage_;  // index in the family table
};

// The score sums of all nodes.
class BlockSums {
  public:
    // At most 32 variables, `low` of them low.
    BlockSums(const FamilyTable& table, int low, const RunOptions& options = {});

    // Split so that the work per family and the work per set are balanced.
    explicit BlockSums(const FamilyTable& table, const RunOptions& options = {})
        : BlockSums(table, balanced_low(static_cast<int>(table.size())), options) {}
    static int balanced_low(int nodes);

    // Bytes they take, split so, with the buffers that recursions over them need on each thread.
    static std::uint64_t bytes(int nodes, std::uint64_t families, int threads);

    int nodes() const { return static_cast<int>(nodes_.size()); }
    int low() const { return low_; }
    int high() const { return nodes() - low_; }
    std::uint32_t blocks() const { return std::uint32_t{1} << high(); }

    const NodeBlockSums& operator[](int node) const {
        return *nodes_[static_cast<std::size_t>(node)];
    }

    // The log weights of the heaviest families of all nodes, added up.
    double total_offset() const;

  private:
    int low_;
    std::vector<std::optional<NodeBlockSums>> nodes_;
};

// Throws `argument`: no DAG has a positive weight.
[[noreturn]] void refuse_impossible();

// The score sums alpha_v(U) of every node over every set, as mantissas and binary exponents.
//
// Sums of one node differ by thousands of nats; kept so, products of them are products of plain
// numbers and sums of whole ones. All weights of a node are relative to its heaviest family, as in
// block_sums.hpp.

class ScaledSums {
  public:
    ScaledSums(const FamilyTable& weights, const RunOptions& options);

    // Bytes the tables for `nodes` variables take.
    static std::uint64_t bytes(int nodes);

    int nodes() const { return static_cast<int>(mantissas_.size()); }

    // The log weights of the heaviest families of all nodes, added up.
    double total_offset() const { return total_offset_; }

    // alpha_v(set), for sets without v, is mantissa times 2^exponent; the mantissa is from 1 to 2,
    // or zero.
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
