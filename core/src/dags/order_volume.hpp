// The share of all orders of a poset's nodes that are linear extensions, exactly.
//
// g(U) = l(U) / |U|! of an up-set U is the volume of its order polytope. It is a product over the
// components of U; and one component has g(U) = (1 / |U|) sum over its minimal nodes m of g(U - m).
// Only components are remembered, so nodes that have come free, and whole trees, cost next to
// nothing: on trees this is the hook length formula. That sparse posets fall to pieces so is from
// Kangas, Hankala, Niinimäki and Koivisto, "Counting linear extensions of sparse posets" (2016).
#pragma once

#include <cstddef>

#include "arcwise/support/tasks.hpp"
#include "poset.hpp"
#include "set_table.hpp"

namespace arcwise {

// Thrown where a count would have to remember more sets than it may.
struct BudgetPassed {};

template <int Words, class Arithmetic>
class OrderVolume {
  public:
    using Set = NodeSet<Words>;
    using Number = typename Arithmetic::Number;

    Arithmetic& arithmetic() { return arithmetic_; }

    // Forgets the poset before; this one must stay as it is until the next start.
    // A long count asks the context, if there is one, whether to go on.
    void start(const Poset<Words>& poset, TaskContext* context) {
        poset_ = &poset;
        context_ = context;
        table_.clear();
    }

    // g of an up-set; throws BudgetPassed rather than remember more than `most_sets`.
    Number share(const Set& up_set, std::size_t most_sets) {
        most_sets_ = most_sets;
        return product(up_set);
    }

    std::size_t remembered() const { return table_.size(); }

  private:
    Number product(const Set& up_set) {
        Number result = Arithmetic::one();
        bool first = true;
        poset_->split(up_set, [&](const Set& component) {
            const int size = component.size();
            if (size == 1) return;
            const Number factor = connected(component, size);
            result = first ? factor : arithmetic_.product(result, factor);
            first = false;
        });
        return result;
    }

    Number connected(const Set& component, int size) {
        const int first = component.lowest();
        if (poset_->above(first) == component) {
            return arithmetic_.divided(product(component.without(Set::one(first))), size);
        }
        if (const Number* known = table_.find(component)) return *known;
        const Set minimal = poset_->minimal(component);
        Number sum = Arithmetic::zero();
        for (Set rest = minimal; !rest.empty();) {
            const int m = rest.lowest();
            // Minimal nodes with the same above them leave equal posets behind: one stands for all.
            const Set twins = poset_->twins(m) & minimal;
            rest = rest.without(twins);
            const Number left = product(component.without(Set::one(m)));
            sum = arithmetic_.sum(sum, arithmetic_.times(left, twins.size()));
        }
        if (table_.size() >= most_sets_) throw BudgetPassed{};
        if (context_ != nullptr && table_.size() % 4096 == 4095) context_->advance(0);
        return table_.at(component, arithmetic_.divided(sum, size));
    }

    const Poset<Words>* poset_ = nullptr;
    TaskContext* context_ = nullptr;
    Arithmetic arithmetic_;
    SetTable<Words, Number> table_;
    std::size_t most_sets_ = 0;
};

}  // namespace arcwise
