// DAGs over a few nodes, summed up and drawn layer by layer.
//
// sums(v, A) is the summed weight of what node v may depend on within A. A DAG is built from the
// nodes that depend on none, then those that depend on none but these, and so on; with the nodes U
// placed, the last layer L of them, node v depends on something in U and on something in L with
//   r_v(U, L) = sums(v, U) - sums(v, U - L),
// and the weight of all ways to go on is
//   H(U, L) = sum over M outside U, not empty, of prod_{v in M} r_v(U, L) * H(U + M, M),
// H(all, L) = 1. A difference too small to have digits is zero: DAGs with one are left out, as are
// moves from them, so that draws stay reversible; beside them are others of the same layers but for
// v, which depends on U - L alone, that are by as much more probable.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/numerics/extended.hpp"
#include "arcwise/spaces/dags/neighbourhoods.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

template <class Number>
class WindowProgramme {
  public:
    static constexpr std::size_t most_nodes = Neighbourhoods::most_nodes;

    // Of a node: the nodes placed before its layer, and the last layer of those (none in the
    // first).
    struct Place {
        std::uint32_t before = 0;
        std::uint32_t layer = 0;
    };

    // The logarithms of sums(v, A) at v * 2^nodes + A, with v not in A, relative to anything by
    // node; and by node the share of a sum below which a difference counts as zero. Returns the
    // summed weight of all DAGs.
    Number sum(std::span<const double> smallest_shares, std::span<const double> log_sums);

    // Whether a DAG is among those that are summed up, by what each node depends on.
    bool has(std::span<const std::uint32_t> dependences) const;

    // The layers of a DAG drawn in proportion to its weight, after `sum`.
    std::array<Place, most_nodes> draw(Random& random);

  private:
    using Set = std::uint32_t;

    Number& ways(Set placed, Set layer) { return ways_[(placed << nodes_) + layer]; }
    Number difference(std::size_t node, Set placed, Set layer) const {
        const Number* own = sums_.data() + (node << nodes_);
        if (layer == 0) return own[0];
        return difference(own[placed], own[placed ^ layer], smallest_shares_[node]);
    }
    static double difference(double a, double b, double smallest_share) {
        return a - b > smallest_share * a ? a - b : 0.0;
    }
    static Extended difference(const Extended& a, const Extended& b, double smallest_share) {
        if (!b.positive()) return a;
        const double share = 1.0 - b.over(a);
        return share > smallest_share ? a.times(share) : Extended();
    }

    // Calls visit(M, weight) for every next layer M, with the weight of all ways to go on by it.
    template <class Visit>
    void for_each_layer(Set placed, Set layer, Visit visit);

    std::size_t nodes_ = 0;
    Set all_ = 0;
    std::array<double, most_nodes> smallest_shares_{};
    std::vector<Number> sums_;
    std::vector<Number> ways_;
    std::vector<Number> products_;
    std::vector<double> shares_;
    std::vector<Set> sets_;
    std::vector<Number> weights_;  // of the layers that may come next
    std::vector<Set> layers_;
};

template <class Number>
template <class Visit>
void WindowProgramme<Number>::for_each_layer(Set placed, Set layer, Visit visit) {
    // products_[i] is that of the i-th set of the nodes left, in the order of their bits.
    const Set left = all_ ^ placed;
    products_[0] = Number(1.0);
    sets_[0] = 0;
    std::size_t count = 1;
    for (Set rest = left; rest != 0; rest &= rest - 1) {
        const auto node = static_cast<std::size_t>(std::countr_zero(rest));
        const Number factor = difference(node, placed, layer);
        if (!positive(factor)) continue;
        for (std::size_t i = 0; i < count; ++i) {
            products_[count + i] = products_[i] * factor;
            sets_[count + i] = sets_[i] | Set{1} << node;
        }
        count *= 2;
    }
    for (std::size_t i = 1; i < count; ++i) {
        visit(sets_[i], products_[i] * ways(placed | sets_[i], sets_[i]));
    }
}

template <class Number>
Number WindowProgramme<Number>::sum(std::span<const double> smallest_shares,
                                    std::span<const double> log_sums) {
    nodes_ = smallest_shares.size();
    all_ = (Set{1} << nodes_) - 1;
    std::copy(smallest_shares.begin(), smallest_shares.end(), smallest_shares_.begin());
    const std::size_t sets = std::size_t{1} << nodes_;
    sums_.resize(nodes_ * sets);
    ways_.resize(sets * sets);
    products_.resize(sets);
    sets_.resize(sets);
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] = share_of_log<Number>(log_sums[i]);
    for (Set layer = 1; layer <= all_; ++layer) ways(all_, layer) = Number(1.0);
    for (Set placed = all_; placed-- > 1;) {
        for (Set layer = placed; layer != 0; layer = (layer - 1) & placed) {
            Number total(0.0);
            for_each_layer(placed, layer, [&](Set, const Number& weight) { total += weight; });
            ways(placed, layer) = total;
        }
    }
    Number total(0.0);
    for_each_layer(0, 0, [&](Set, const Number& weight) { total += weight; });
    return total;
}

template <class Number>
bool WindowProgramme<Number>::has(std::span<const std::uint32_t> dependences) const {
    Set placed = 0;
    Set layer = 0;
    while (placed != all_) {
        Set next = 0;
        for (std::size_t node = 0; node < nodes_; ++node) {
            if ((placed >> node & 1) != 0 || (dependences[node] & ~placed) != 0) continue;
            if (!positive(difference(node, placed, layer))) return false;
            next |= Set{1} << node;
        }
        placed |= next;
        layer = next;
    }
    return true;
}

template <class Number>
auto WindowProgramme<Number>::draw(Random& random) -> std::array<Place, most_nodes> {
    std::array<Place, most_nodes> places{};
    Set placed = 0;
    Set layer = 0;
    while (placed != all_) {
        weights_.clear();
        layers_.clear();
        Number total(0.0);
        for_each_layer(placed, layer, [&](Set next, const Number& weight) {
            layers_.push_back(next);
            weights_.push_back(weight);
            total += weight;
        });
        shares_.clear();
        for (const Number& weight : weights_) shares_.push_back(share(weight, total));
        const Set next = layers_[random.choose(shares_)];
        for (Set rest = next; rest != 0; rest &= rest - 1) {
            places[static_cast<std::size_t>(std::countr_zero(rest))] = {placed, layer};
        }
        placed |= next;
        layer = next;
    }
    return places;
}

}  // namespace arcwise
