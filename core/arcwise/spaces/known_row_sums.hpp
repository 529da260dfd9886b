// The sums of a state's nodes as plain numbers, where rows add them up, and their logarithms.
//
// A move changes the sets of few nodes by few parents, and sums that are known give those of the
// changed sets (IncrementalSums). They are functions of a node's sets alone, added up when they are
// asked for and forgotten with the sets: neither to know nor to forget them changes a state.
#pragma once

#include <vector>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/node_weights.hpp"
#include "arcwise/support/compiler.hpp"

namespace arcwise {

class KnownRowSums {
  public:
    explicit KnownRowSums(const NodeWeights& weights) : weights_(&weights) {
        if (weights.any_rows()) sums_.resize(static_cast<std::size_t>(weights.nodes()));
    }

    bool any() const { return !sums_.empty(); }

    bool by_rows(int node) const { return weights_->incremental(node).by_rows(); }

    // What is known of a node with rows within its sets, which are the same until it is forgotten.
    const IncrementalSums::Known& of(int node, ParentBits allowed, ParentBits required) {
        Remembered& remembered = sums_[static_cast<std::size_t>(node)];
        if (!remembered.known) {
            remembered.sums = weights_->incremental(node).known(allowed, required);
            remembered.known = true;
        }
        return remembered.sums;
    }

    void forget(int node) {
        if (any()) sums_[static_cast<std::size_t>(node)].known = false;
    }
    void forget_all() {
        for (Remembered& each : sums_) each.known = false;
    }

  private:
    struct Remembered {
        bool known = false;
        IncrementalSums::Known sums;
    };
    const NodeWeights* weights_;
    std::vector<Remembered> sums_;
};

// Takes the logarithms of such numbers all at a time: each weight is there after `answer`.
class PlainWeights {
  public:
    explicit PlainWeights(const NodeWeights& weights) : weights_(weights) {}

    void ask(int node, double number, double unit, LogWeight& weight) {
        ask_inline(node, number, unit, weight);
    }
    // The same for loops in which the call would take as long as the rest.
    ARCWISE_INLINE void ask_inline(int node, double number, double unit, LogWeight& weight) {
        if (count_ == numbers_.size()) grow();
        numbers_[count_] = number;
        logarithms_[count_] = unit;
        asked_[count_++] = {node, &weight};
    }

    void answer() {
        add_logarithms(logarithms_.data(), numbers_.data(), count_);
        for (std::size_t i = 0; i < count_; ++i) {
            const double sum = logarithms_[i];
            *asked_[i].weight = sum > minus_infinity
                                    ? LogWeight{sum, 0}
                                    : LogWeight{weights_.stand_in(asked_[i].node), 1};
        }
        count_ = 0;
    }

  private:
    struct Asked {
        int node;
        LogWeight* weight;
    };

    void grow() {
        const std::size_t size = 2 * count_ + 64;
        numbers_.resize(size);
        logarithms_.resize(size);
        asked_.resize(size);
    }

    const NodeWeights& weights_;
    std::size_t count_ = 0;
    std::vector<double> numbers_;
    std::vector<double> logarithms_;
    std::vector<Asked> asked_;
};

}  // namespace arcwise
