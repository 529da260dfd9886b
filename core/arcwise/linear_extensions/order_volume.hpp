// The share of all orders of a poset's nodes that are linear extensions, exactly.
//
// With places in [0, 1], let G_U(t) be the probability that the nodes of an up-set U, and what
// hangs from them, respect the poset, and those of U are placed above t. It is a product over the
// components of U; and one component has
//     G_U(t) = integral from t to 1 of the sum over its minimal nodes m of w_m(s) G_(U - m)(s) ds,
// with the weights w of node_weights.hpp. Without weights it is (1 - t)^|U| times a number, that
// is, one coefficient; in general there are one and as many as may still come before t.
// Only components are remembered, so nodes that have come free, and whole trees, cost next to
// nothing. That sparse posets fall to pieces so is from Kangas, Hankala, Niinimäki and Koivisto,
// "Counting linear extensions of sparse posets" (2016).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "arcwise/linear_extensions/hanging_trees.hpp"
#include "arcwise/linear_extensions/poset.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// Memory that is used again and again while orders are counted: a hash table and rows of numbers.

// Open addressing; the empty set marks a free place, so it cannot be a key. Memory is kept when the
// table is emptied, but only as many places as the new contents need are touched.
template <int Words, class Number>
class SetTable {
  public:
    struct Entry {
        NodeSet<Words> set;
        Number number;
    };

    void clear() {
        places_ = smallest;
        if (entries_.size() < places_) entries_.resize(places_);
        for (std::size_t i = 0; i < places_; ++i) entries_[i].set = {};
        size_ = 0;
    }

    std::size_t size() const { return size_; }

    // Valid until the next insertion; null where the set is not there.
    const Number* find(const NodeSet<Words>& set) const {
        const Entry& entry = entries_[place(set)];
        return entry.set.empty() ? nullptr : &entry.number;
    }

    // The number of a set, made as `fresh` where the set was not there.
    Number& at(const NodeSet<Words>& set, const Number& fresh) {
        std::size_t i = place(set);
        if (entries_[i].set.empty()) {
            if (2 * (size_ + 1) > places_) {
                grow();
                i = place(set);
            }
            entries_[i] = {set, fresh};
            ++size_;
        }
        return entries_[i].number;
    }

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t i = 0; i < places_; ++i) {
            if (!entries_[i].set.empty()) visit(entries_[i].set, entries_[i].number);
        }
    }

  private:
    static constexpr std::size_t smallest = 128;

    std::size_t place(const NodeSet<Words>& set) const {
        const std::size_t mask = places_ - 1;
        std::size_t i = set.hash() & mask;
        while (!entries_[i].set.empty() && entries_[i].set != set) i = (i + 1) & mask;
        return i;
    }

    void grow() {
        spare_.clear();
        for_each([&](const NodeSet<Words>& set, const Number& number) {
            spare_.push_back({set, number});
        });
        places_ *= 2;
        if (entries_.size() < places_) entries_.resize(places_);
        for (std::size_t i = 0; i < places_; ++i) entries_[i].set = {};
        for (const Entry& entry : spare_) entries_[place(entry.set)] = entry;
    }

    std::vector<Entry> entries_;
    std::vector<Entry> spare_;
    std::size_t places_ = 0;
    std::size_t size_ = 0;
};

// Rows of numbers, one after the other in large pieces, that stay where they are until given back.
template <class Number>
class NumberStack {
  public:
    struct Mark {
        std::size_t piece;
        std::size_t used;
    };

    // Takes a row of `count` numbers, of any value.
    Number* take(std::size_t count) {
        while (piece_ < pieces_.size() && used_ + count > pieces_[piece_].size) {
            ++piece_;
            used_ = 0;
        }
        if (piece_ == pieces_.size()) {
            const std::size_t size = std::max(count, std::min(taken_, largest_piece));
            taken_ += size;
            pieces_.push_back({std::make_unique_for_overwrite<Number[]>(size), size});
        }
        Number* row = pieces_[piece_].numbers.get() + used_;
        used_ += count;
        return row;
    }

    // Gives back what was taken since the mark; the memory is kept.
    Mark mark() const { return {piece_, used_}; }
    void back_to(const Mark& mark) {
        piece_ = mark.piece;
        used_ = mark.used;
    }
    void clear() { back_to({0, 0}); }

  private:
    static constexpr std::size_t largest_piece = 65536;

    struct Piece {
        std::unique_ptr<Number[]> numbers;
        std::size_t size;
    };

    std::vector<Piece> pieces_;
    std::size_t piece_ = 0;
    std::size_t used_ = 0;
    std::size_t taken_ =
        128;  // by all pieces, and the size of the first: each as large as those before
};

// Thrown where a count would have to remember more sets than it may.
struct BudgetPassed {};

template <int Words, class Arithmetic>
class OrderVolume {
  public:
    using Set = NodeSet<Words>;
    using Number = typename Arithmetic::Number;

    Arithmetic& arithmetic() { return arithmetic_; }

    // Forgets the poset before. This is the core of what was cut, as `direction` numbers it; it
    // must stay as it is until the next start. A long count asks the context, if there is one,
    // whether to go on.
    void start(const Poset<Words>& core, const HangingTrees& trees, Direction direction,
               TaskContext* context) {
        poset_ = &core;
        context_ = context;
        weights_.build(trees, direction, arithmetic_);
        table_.clear();
        numbers_.clear();
        remembered_ = 0;
        weighted_ = {};
        for (int v = 0; v < core.size(); ++v) {
            if (weights_.degree(v) > 0) weighted_ = weighted_ | Set::one(v);
        }
        principal_.assign(static_cast<std::size_t>(core.size()), nullptr);
        find_twins();
    }

    // G(0) of an up-set; throws BudgetPassed rather than remember more than `most_sets`.
    Number share(const Set& up_set, std::size_t most_sets) {
        most_sets_ = most_sets;
        scratch_.clear();
        return product(up_set, length(up_set)).coefficients[0];
    }

  private:
    struct Polynomial {
        const Number* coefficients;
        int length;
    };

    // Nodes of a set and what hangs from them; and the length of its polynomial.
    int degree(const Set& set) const {
        int result = set.size();
        (set & weighted_).for_each([&](int v) { result += weights_.degree(v); });
        return result;
    }
    int length(const Set& set) const {
        int result = 1;
        (set & weighted_).for_each([&](int v) { result += weights_.length(v) - 1; });
        return result;
    }

    // Nodes without weights that have the same above them leave equal posets behind.
    const Set& twins(int v) const { return twins_[static_cast<std::size_t>(v)]; }

    void find_twins() {
        twins_.clear();
        for (int v = 0; v < poset_->size(); ++v) {
            Set twins = Set::one(v);
            const Set strictly = poset_->above(v).without(twins);
            for (int u = 0; u < v && !weighted_.contains(v); ++u) {
                if (weighted_.contains(u)) continue;
                if (poset_->above(u).without(Set::one(u)) != strictly) continue;
                twins = twins | twins_[static_cast<std::size_t>(u)];
                twins_[static_cast<std::size_t>(u)] =
                    twins_[static_cast<std::size_t>(u)] | Set::one(v);
            }
            twins_.push_back(twins);
        }
    }

    // The polynomial, of the given length, of an up-set; valid until the scratch numbers are given
    // back.
    Polynomial product(const Set& up_set, int length) {
        if (up_set.empty()) return {&unit_, 1};
        // Most sets asked for are connected and known, which spares looking for components.
        if (Number* const* known = table_.find(up_set)) return {*known, length};
        Polynomial result{&unit_, 1};
        bool first = true;
        poset_->split(up_set, [&](const Set& component) {
            const int lowest = component.lowest();
            const bool principal = poset_->above(lowest) == component;
            if (principal && component == Set::one(lowest) && !weighted_.contains(lowest)) return;
            const Polynomial factor = principal             ? above_one(lowest)
                                      : component == up_set ? fresh(component, length)
                                                            : connected(component);
            result = first ? factor : multiplied(result, factor);
            first = false;
        });
        return result;
    }

    Polynomial multiplied(const Polynomial& a, const Polynomial& b) {
        const int length = a.length + b.length - 1;
        Number* result = scratch_.take(static_cast<std::size_t>(length));
        if (length == 1) {
            *result = arithmetic_.product(*a.coefficients, *b.coefficients);
        } else {
            std::fill(result, result + length, Arithmetic::zero());
            add_product(arithmetic_, a.coefficients, a.length, b.coefficients, b.length, result);
        }
        return {result, length};
    }

    // The polynomial of all above a node, with it.
    Polynomial above_one(int v) {
        const Set& component = poset_->above(v);
        const int size = length(component);
        Number*& known = principal_[static_cast<std::size_t>(v)];
        if (known == nullptr) {
            Number* sum = numbers_.take(static_cast<std::size_t>(size));
            std::fill(sum, sum + size, Arithmetic::zero());
            const auto mark = scratch_.mark();
            add(v, 1, product(component.without(Set::one(v)), size - weights_.length(v) + 1), sum);
            scratch_.back_to(mark);
            integrate_upwards(arithmetic_, sum, size, degree(component));
            known = sum;
        }
        return {known, size};
    }

    // Adds w_m times a polynomial, multiplied by `times`, to a sum.
    void add(int m, int times, const Polynomial& left, Number* sum) {
        if (weighted_.contains(m)) {
            add_product(arithmetic_, weights_.coefficients(m), weights_.length(m),
                        left.coefficients, left.length, sum);
        } else {
            for (int i = 0; i < left.length; ++i) {
                sum[i] = arithmetic_.sum(sum[i], arithmetic_.times(left.coefficients[i], times));
            }
        }
    }

    Polynomial connected(const Set& component) {
        const int size = length(component);
        if (Number* const* known = table_.find(component)) return {*known, size};
        return fresh(component, size);
    }

    // Computes the polynomial of a component that is not remembered yet.
    Polynomial fresh(const Set& component, int size) {
        const auto mark = scratch_.mark();
        Number* sum = scratch_.take(static_cast<std::size_t>(size));
        std::fill(sum, sum + size, Arithmetic::zero());
        const auto inner = scratch_.mark();
        const Set minimal = poset_->minimal(component);
        for (Set rest = minimal; !rest.empty();) {
            const int m = rest.lowest();
            const Set twins = this->twins(m) & minimal;
            rest = rest.without(twins);
            add(m, twins == Set::one(m) ? 1 : twins.size(),
                product(component.without(Set::one(m)), size - weights_.length(m) + 1), sum);
            scratch_.back_to(inner);
        }
        remembered_ += 1 + static_cast<std::size_t>(size / long_polynomial);
        if (remembered_ > most_sets_) throw BudgetPassed{};
        if (context_ != nullptr && table_.size() % 4096 == 4095) context_->advance(0);
        Number* kept = numbers_.take(static_cast<std::size_t>(size));
        std::copy(sum, sum + size, kept);
        scratch_.back_to(mark);
        integrate_upwards(arithmetic_, kept, size, degree(component));
        table_.at(component, kept);
        return {kept, size};
    }

    // Coefficients that count as much as another set, which takes about as much memory.
    static constexpr int long_polynomial = 8;

    const Poset<Words>* poset_ = nullptr;
    TaskContext* context_ = nullptr;
    Arithmetic arithmetic_;
    HangingWeights<Arithmetic> weights_;
    Set weighted_;
    std::vector<Set> twins_;
    SetTable<Words, Number*> table_;
    std::vector<Number*> principal_;  // of all above each node; null where not needed yet
    NumberStack<Number> numbers_;     // what is remembered
    NumberStack<Number> scratch_;
    Number unit_ = Arithmetic::one();
    std::size_t most_sets_ = 0;
    std::size_t remembered_ = 0;  // sets, those with long polynomials several times
};

}  // namespace arcwise
