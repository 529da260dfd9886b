// What is left of a poset when the trees that hang from it by one element are cut off.
//
// A node with a single neighbour among the covers (just above or just below) hangs from it. With
// the hanging nodes cut off one after the other, also those that hang only then, a core is left in
// which each node has two neighbours or more; a tree leaves a single node.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "arcwise/linear_extensions/poset.hpp"

namespace arcwise {

// A workspace: `cut` may be called again and again, and what it found last is read.
class HangingTrees {
  public:
    struct Cut {
        int node;
        int from;    // the node it hung from
        bool below;  // whether it comes before that one
    };

    // Cuts off at most `most_cuts` nodes of a connected poset, seen forward. Nodes keep their
    // numbers in `cuts`.
    template <int Words>
    void cut(const Poset<Words>& poset, std::size_t most_cuts) {
        begin(poset.size());
        for (int v = 0; v < poset.size(); ++v) {
            const auto strictly = poset.above(v).without(NodeSet<Words>::one(v));
            poset.minimal(strictly).for_each([&](int cover) { add_cover(v, cover); });
        }
        finish(most_cuts);
    }

    static constexpr std::size_t all_cuts = ~std::size_t{0};

    // In the order in which they were made: what hangs from a node is cut off before the node is.
    const std::vector<Cut>& cuts() const { return cuts_; }
    int whole_size() const { return static_cast<int>(degrees_.size()); }

    // The core as a DAG of its own, numbered in the same order.
    int size() const { return static_cast<int>(kept_.size()); }
    int whole_number(int i) const { return kept_[static_cast<std::size_t>(i)]; }
    std::span<const int> parents(int i) const {
        const auto v = static_cast<std::size_t>(i);
        return {parents_.data() + parent_starts_[v], parents_.data() + parent_starts_[v + 1]};
    }
    int roots() const { return roots_; }
    int leaves() const { return leaves_; }

  private:
    struct Cover {
        int lower;
        int upper;
    };

    void begin(int nodes);
    void add_cover(int lower, int upper);
    void finish(std::size_t most_cuts);

    std::vector<Cover> covers_;  // by their lower ends, in ascending order
    std::vector<int> degrees_;
    std::vector<int> neighbours_;  // of each node, the exclusive or of its neighbours' numbers
    std::vector<Cut> cuts_;
    std::vector<int> kept_;
    std::vector<int> numbers_;  // in the core; -1 for what is cut off
    std::vector<int> parents_;
    std::vector<std::size_t> parent_starts_;
    int roots_ = 0;
    int leaves_ = 0;
};

// What a hanging tree does to the node it hangs from: a polynomial of the node's place.
//
// With places in [0, 1], independent and uniform, the share of orders that are linear extensions is
// the probability that places respect the poset. Given the place x of a node, what hangs from it
// has a probability that is a polynomial of x, kept as
//     sum over i of c_i x^i (1 - x)^(degree - i),
// where all c_i are positive or zero and c_i is zero beyond the length kept. Products of
// polynomials are then products of sums, and integrals are sums of positive terms.

// The integral from t to 1 of a polynomial of degree `degree - 1`, which has the same length, in
// its place. From the derivative: (degree - i) e_i - (i + 1) e_(i + 1) = c_i.
template <class Arithmetic>
void integrate_upwards(const Arithmetic& arithmetic, typename Arithmetic::Number* coefficients,
                       int length, int degree) {
    auto above = arithmetic.divided(coefficients[length - 1], degree - length + 1);
    coefficients[length - 1] = above;
    for (int i = length - 2; i >= 0; --i) {
        above = arithmetic.divided(arithmetic.sum(coefficients[i], arithmetic.times(above, i + 1)),
                                   degree - i);
        coefficients[i] = above;
    }
}

// Adds the product of two polynomials to the first length_a + length_b - 1 coefficients of `sum`.
template <class Arithmetic>
void add_product(const Arithmetic& arithmetic, const typename Arithmetic::Number* a, int length_a,
                 const typename Arithmetic::Number* b, int length_b,
                 typename Arithmetic::Number* sum) {
    for (int i = 0; i < length_a; ++i) {
        for (int j = 0; j < length_b; ++j) {
            sum[i + j] = arithmetic.sum(sum[i + j], arithmetic.product(a[i], b[j]));
        }
    }
}

template <class Arithmetic>
class HangingWeights {
  public:
    using Number = typename Arithmetic::Number;

    // Takes the core of what was cut, seen in a direction.
    void build(const HangingTrees& trees, Direction direction, const Arithmetic& arithmetic) {
        const int nodes = trees.whole_size();
        if (static_cast<int>(whole_.size()) < nodes) whole_.resize(static_cast<std::size_t>(nodes));
        for (int v = 0; v < nodes; ++v) {
            of(v).degree = 0;
            of(v).coefficients.assign(1, Arithmetic::one());
        }
        for (const HangingTrees::Cut& cut : trees.cuts()) {
            const Weight& hanging = of(cut.node);
            const bool below = cut.below == (direction == Direction::forward);
            integral_ = hanging.coefficients;
            const int degree = hanging.degree + 1;
            if (below) {
                integrate_downwards(arithmetic, degree);
            } else {
                integrate_upwards(arithmetic, integral_.data(), static_cast<int>(integral_.size()),
                                  degree);
            }
            Weight& weight = of(cut.from);
            weight.degree += degree;
            product_.assign(weight.coefficients.size() + integral_.size() - 1, Arithmetic::zero());
            add_product(arithmetic, weight.coefficients.data(),
                        static_cast<int>(weight.coefficients.size()), integral_.data(),
                        static_cast<int>(integral_.size()), product_.data());
            weight.coefficients.swap(product_);
        }
        places_.clear();
        for (int i = 0; i < trees.size(); ++i) {
            const int seen = direction == Direction::forward ? i : trees.size() - 1 - i;
            places_.push_back(trees.whole_number(seen));
        }
    }

    // How many nodes hang from a node of the core.
    int degree(int v) const { return whole_[place(v)].degree; }
    const Number* coefficients(int v) const { return whole_[place(v)].coefficients.data(); }
    int length(int v) const { return static_cast<int>(whole_[place(v)].coefficients.size()); }

  private:
    struct Weight {
        int degree = 0;
        std::vector<Number> coefficients;
    };

    // The integral from 0 to t: i f_i - (degree - i + 1) f_(i - 1) = c_(i - 1).
    void integrate_downwards(const Arithmetic& arithmetic, int degree) {
        integral_.resize(static_cast<std::size_t>(degree), Arithmetic::zero());
        integral_.insert(integral_.begin(), Arithmetic::zero());
        for (int i = 1; i <= degree; ++i) {
            Number& here = integral_[static_cast<std::size_t>(i)];
            const Number& below = integral_[static_cast<std::size_t>(i) - 1];
            here = arithmetic.divided(arithmetic.sum(here, arithmetic.times(below, degree - i + 1)),
                                      i);
        }
    }

    Weight& of(int v) { return whole_[static_cast<std::size_t>(v)]; }
    std::size_t place(int v) const {
        return static_cast<std::size_t>(places_[static_cast<std::size_t>(v)]);
    }

    std::vector<Weight> whole_;
    std::vector<int> places_;  // of a node of the core, as the direction numbers them, in `whole_`
    std::vector<Number> integral_;
    std::vector<Number> product_;
};

}  // namespace arcwise
