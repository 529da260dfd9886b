// The weight of a layering, and draws of its partitions, by the recursion of Viinikka and Koivisto
// (2020, section 3.3), last layer to first.
//
// With U the nodes so far, T the last part of them and tau_v(U, T) the families of v within U that
// meet T, g(U, T) = sum over the parts S that can come next of g(U + S, S) prod_S tau_v(U, T). Next
// comes a part of the same layer; after the whole layer one of the next, which together with the
// layer exceeds M nodes. A layer of more than M nodes is one part. Terms are never negative.
//
// What comes of a tail of layers does not depend on the layers before it, except through the last
// part T of the layer right before it: so tails are remembered, and a move that changes some layers
// costs those and the ones before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "arcwise/numerics/subset_folds.hpp"
#include "arcwise/spaces/layerings/layerings.hpp"
#include "arcwise/spaces/partitions/parts.hpp"
#include "arcwise/sums/layers/layer_sums.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/set_memo.hpp"

namespace arcwise {

// What one layer is made of, in numbers that are shares: the tables its recursion runs over.
//
// With tau_v(D) the sum of the families of v within the nodes before the layer and the members D,
// and Phi(D) = max over v not in D of ln tau_v(D) + Phi(D + v), Phi(all) = 0, an upper bound for
// what can come after D, all numbers are taken relative to tau and Phi: so they are at most one
// however far apart the weights are, and what underflows is small beside the bound, which the
// recursion checks.

// The tables of a layer of b nodes that is divided into parts.
template <class Number>
struct LayerTables {
    const SubsetPairs* pairs = nullptr;
    const SubsetPairs* pairs_of_others = nullptr;  // of b - 1
    double log_scale = 0.0;                        // Phi(empty)

    // shares[(F, S)] = e^(sum over v in S of ln tau_v(F - S) + Phi(F) - Phi(F - S)).
    std::vector<Number> shares;

    // For member i and a set D without it: the share of tau_i(D) that meets T, for all subsets T of
    // D by their bits among D alone.
    const Number* meets(std::size_t member, std::size_t set) const {
        return meets_.data() + place(member, set);
    }
    // The share that misses T: tau_i(D - T) / tau_i(D).
    const Number* misses(std::size_t member, std::size_t set) const {
        return misses_.data() + place(member, set);
    }
    // ln tau_i(D).
    double log_sum(std::size_t member, std::size_t set) const {
        return log_sums_[member * pairs_of_others->sets() + squeeze_bit(set, member)];
    }

    // All of the above; `bases` are the nodes before the layer as bits of each member.
    void fill(LayerSums& sums, const PairLayouts& layouts, std::span<const int> members,
              std::span<const std::vector<std::uint64_t>> bases);

  private:
    std::size_t place(std::size_t member, std::size_t set) const {
        return member * pairs_of_others->size() + pairs_of_others->block(squeeze_bit(set, member));
    }
    void fill_meets(std::size_t member, const Number* holds, const Number* lacks);
    void fill_shares();

    std::vector<double> log_sums_;  // b x 2^(b-1)
    std::vector<Number> meets_;     // b x 3^(b-1)
    std::vector<Number> misses_;    // b x 3^(b-1)
};

// The tables of the way into a layer from the one before it: its first part needs parents in the
// last part T of that. T is one set if there is no layer before, or a single part; otherwise it is
// each of the 2^b' subsets of that layer.
template <class Number>
struct EntryTables {
    std::size_t length = 1;
    std::vector<double> log_sums;  // of each member over all nodes before the layer
    std::vector<Number> meets_;    // members x length

    const Number* meets(std::size_t member) const { return meets_.data() + member * length; }
};

// Keys of what the recursion remembers of a layering.
class LayerKeys {
  public:
    explicit LayerKeys(int nodes) : keys_(nodes, roles) {}

    // Makes the keys of these layers.
    void set(const Parts& layers) {
        const std::size_t count = layers.count();
        before_.assign(count, {});
        in_.assign(count, {});
        previous_.assign(count + 1, {});
        tail_.assign(count + 1, {});
        SetKey before;
        for (std::size_t layer = 0; layer < count; ++layer) {
            before_[layer] = before;
            for (const int node : layers.members(layer)) {
                before = before ^ keys_(before_it, node);
                in_[layer] = in_[layer] ^ keys_(in_it, node);
                previous_[layer + 1] = previous_[layer + 1] ^ keys_(right_before_it, node);
            }
        }
        SetKey tail;
        for (std::size_t layer = count; layer-- > 0;) {
            tail = mixed(tail) ^ in_[layer];
            tail_[layer] = tail;
        }
    }

    // The key of the layer, with all layers before it as a set.
    SetKey within(std::size_t layer) const { return before_[layer] ^ in_[layer]; }
    // The key of this layer and the one before, with all layers before both as a set.
    SetKey entry(std::size_t layer) const { return within(layer) ^ previous_[layer]; }
    // The key of all layers from this one on, in their order; there may be none.
    SetKey tail(std::size_t layer) const { return tail_[layer]; }
    SetKey tail_and_previous(std::size_t layer) const { return tail_[layer] ^ previous_[layer]; }

  private:
    enum Role { before_it, in_it, right_before_it, roles };

    // So that the same layers in another order have another key.
    static SetKey mixed(const SetKey& key) {
        constexpr std::uint64_t odd = 0x9E3779B97F4A7C15ULL;
        const auto mix = [](std::uint64_t bits) {
            bits = (bits ^ (bits >> 31)) * odd;
            return bits ^ (bits >> 29);
        };
        return {mix(key.first), mix(key.second)};
    }

    NodeKeys keys_;
    std::vector<SetKey> before_;
    std::vector<SetKey> in_;
    std::vector<SetKey> previous_;
    std::vector<SetKey> tail_;
};

// g right before a layer, for all last parts T of the layer before: e^log_scale * values[T]. Where
// constraints leave a tail no partition, its impossible nodes are counted instead, and the
// recursion continues as if nothing came after.
template <class Number>
struct LayerMessage {
    std::vector<Number> values;
    double log_scale = 0.0;
    int zero_factors = 0;
    // log2 of what underflow can have taken from any value; the largest value is about one.
    double lost = -1e9;
    bool trusted() const { return lost < -60.0; }
    bool passed_over = false;  // the layer right after has no partition
};

template <class Number>
class LayeringRecursion {
  public:
    // Plain numbers that come out as zero may have underflowed; `has_partition` says whether a
    // layer has any with what comes after it. Others know by themselves.
    explicit LayeringRecursion(const Layerings& space,
                               std::function<bool(std::size_t)> has_partition = {});

    // All that follows is about these layers.
    void set(const Parts& layers);

    // Whether underflow spared enough of the numbers, as it always does with extended ones. If not,
    // the weight is an upper bound, and nothing else may be asked.
    bool trusted() { return message(0)->trusted(); }
    LogWeight weight();

    // The part of each node of a partition, in proportion to its weight; there is one.
    void draw_partition(Random& random, std::vector<int>& part_of);

    // Layers are divided into parts unless they have more than M nodes.
    bool divided(std::size_t layer) const {
        return layers_->size(layer) <= static_cast<std::size_t>(space_.max_size());
    }
    // How many last parts a layer can have that later layers can tell apart.
    std::size_t endings(std::size_t layer) const {
        return divided(layer) ? std::size_t{1} << layers_->size(layer) : 1;
    }
    const Parts& layers() const { return *layers_; }

    using Tables = LayerTables<Number>;
    using Entry = EntryTables<Number>;
    using Message = LayerMessage<Number>;
    using Onward = std::vector<Number>;
    std::shared_ptr<const Tables> tables(std::size_t layer);
    std::shared_ptr<const Entry> entry(std::size_t layer);
    std::shared_ptr<const Message> message(std::size_t layer);
    // shares(F, S) * g(F, S) relative to the layer's scale and that of the message after it.
    std::shared_ptr<const Onward> onward(std::size_t layer);
    // By first part S of the layer the same, zero where it would fit into the layer before.
    void first_parts(std::size_t layer, const Onward& onward, std::vector<Number>& out) const;

  private:
    void fill(std::size_t layer, Tables& tables);
    void fill(std::size_t layer, Entry& entry);
    void fill(std::size_t layer, Message& message);
    void fill(std::size_t layer, Onward& onward);
    void fill_entry(int node, std::span<const std::uint64_t> before, std::size_t previous,
                    double& log_sum, Number* meets);
    void normalise(std::size_t layer, bool after_trusted, double lost, Message& message);
    void pass_over(std::size_t layer, Message& message);
    std::vector<std::uint64_t> bits(int node, std::span<const int> nodes) const;

    const Layerings& space_;
    const PairLayouts& layouts_;
    std::function<bool(std::size_t)> has_partition_;
    const Parts* layers_ = nullptr;
    LayerKeys keys_;
    LayerSums sums_;
    SetCache<Tables> kept_tables_;
    SetCache<Entry> kept_entries_;
    SetCache<Onward> kept_onward_;
    SetCache<Message> kept_messages_;
    std::vector<Number> scratch_;
    std::vector<Number> values_;
    std::vector<Number> folded_;
    std::vector<Number> holds_;
    std::vector<Number> lacks_;
    std::vector<const Number*> factors_;
};

}  // namespace arcwise
