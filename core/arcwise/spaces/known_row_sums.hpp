// The sums of a state's nodes as plain numbers, where they are had from rows, and their logarithms.
//
// A move changes the sets of few nodes by few parents, and sums that are known tell what comes of
// it. They are functions of a node's sets alone, added up when they are asked for and forgotten
// with the sets: neither to know nor to forget them changes a state.
#pragma once

#include <vector>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/node_weights.hpp"

namespace arcwise {

class KnownRowSums {
  public:
    explicit KnownRowSums(const NodeWeights& weights) : rows_(weights.rows()) {
        if (weights.any_rows()) sums_.resize(rows_.size());
    }

    bool any() const { return !sums_.empty(); }

    // Null where the sums are not to be had.
    const PlusOneSums* rows(int node) const { return rows_[static_cast<std::size_t>(node)]; }

    // Of a node with rows within its sets, which are the same until it is forgotten.
    const PlusOneSums::RowSums& of(int node, ParentBits allowed, ParentBits required) {
        Known& known = sums_[static_cast<std::size_t>(node)];
        if (!known.known) {
            known.sums = rows(node)->row_sums(allowed, required);
            known.known = true;
        }
        return known.sums;
    }

    void forget(int node) {
        if (any()) sums_[static_cast<std::size_t>(node)].known = false;
    }
    void forget_all() {
        for (Known& known : sums_) known.known = false;
    }

  private:
    struct Known {
        bool known = false;
        PlusOneSums::RowSums sums;
    };
    std::vector<const PlusOneSums*> rows_;
    std::vector<Known> sums_;
};

// Logarithms of such numbers, taken all at a time: each weight is there after `answer`.
class PlainWeights {
  public:
    explicit PlainWeights(const NodeWeights& weights) : weights_(weights) {}

    void ask(int node, double number, double unit, LogWeight& weight) {
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
