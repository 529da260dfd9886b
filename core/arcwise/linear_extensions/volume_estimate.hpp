// One unbiased estimate of the share of a poset's orders that are linear extensions.
//
// The recursion of order_volume.hpp, from the whole poset downwards: an up-set U hands its weight
// times 1 / |U| to each U - m. Weights are kept relative to a guess of the share,
//     w(U) = weight(U) guess(U) / guess(all),   guess(U) = product over v in U of 1 / |above v|,
// which is right for forests, so that w is about the part of all linear extensions through U. Of
// the sets of one size only the most important and a random choice of the others go on; small
// components leave with their exact share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "arcwise/linear_extensions/order_volume.hpp"
#include "arcwise/linear_extensions/share_arithmetic.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

// Leaves few of many weighted things, such that the expected weight of each stays what it was.

// The t with sum over i of min(1, importance[i] / t) = most. Starts as if none were above t; t
// falls with those that turn out to be, until no more are.
template <class Item>
double thinning_threshold(const std::vector<Item>& items, std::size_t most) {
    double threshold = 0.0;
    std::size_t above = 0;
    while (true) {
        double below = 0.0;
        for (const Item& item : items) {
            if (above == 0 || item.importance < threshold) below += item.importance;
        }
        threshold = below / static_cast<double>(most - above);
        std::size_t count = 0;
        for (const Item& item : items) count += item.importance >= threshold ? 1 : 0;
        if (count <= above || count >= most) return threshold;
        above = count;
    }
}

// Keeps items more important than a threshold as they are, and each other one with probability
// importance / threshold, its weight divided by that: about `most` in all (Fearnhead and Clifford,
// "On-line inference for hidden Markov models via particle filters", 2003). One draw decides all,
// by equal steps through the summed probabilities.
template <class Item>
void thin(std::vector<Item>& items, std::size_t most, Random& random) {
    if (items.size() <= most) return;
    const double threshold = thinning_threshold(items, most);
    double left = random.uniform();
    std::size_t kept = 0;
    for (Item& item : items) {
        if (item.importance < threshold) {
            const double probability = item.importance / threshold;
            left -= probability;
            if (left >= 0.0) continue;
            left += 1.0;
            item.weight /= probability;
        }
        items[kept++] = item;
    }
    items.resize(kept);
}

template <int Words>
class VolumeEstimate {
  public:
    using Set = NodeSet<Words>;

    // The poset, of which nothing is cut off, must stay as it is while estimates are made.
    void start(const Poset<Words>& poset, const HangingTrees& uncut, Direction direction,
               int exact_nodes, TaskContext* context) {
        poset_ = &poset;
        context_ = context;
        exact_nodes_ = exact_nodes;
        exact_.start(poset, uncut, direction, context);
        hooks_.clear();
        for (int v = 0; v < poset.size(); ++v) hooks_.push_back(poset.above(v).size());
    }

    // Returns ln of an estimate whose expected value is the share; at most `most_sets` sets of each
    // size are kept.
    double log_share(std::size_t most_sets, Random& random) {
        by_size_.resize(static_cast<std::size_t>(poset_->size()) + 1);
        for (auto& table : by_size_) table.clear();
        finished_ = 0.0;
        hand_on(poset_->all(), 1.0);
        for (int size = poset_->size(); size > 0; --size) {
            const auto& table = by_size_[static_cast<std::size_t>(size)];
            kept_.clear();
            table.for_each([&](const Set& set, double weight) {
                const double ahead = table.size() > most_sets ? outlook(set, size) : 1.0;
                kept_.push_back({set, weight, weight * ahead});
            });
            // Equal steps through similar sets next to each other take some of each kind.
            if (kept_.size() > most_sets) {
                std::sort(kept_.begin(), kept_.end(), [](const Weighted& a, const Weighted& b) {
                    return a.set.comes_before(b.set);
                });
            }
            thin(kept_, most_sets, random);
            for (const Weighted& each : kept_) expand(each.set, size, each.weight);
            if (context_ != nullptr) context_->advance(0);
        }
        double log_guess = 0.0;
        for (int v = 0; v < poset_->size(); ++v) log_guess -= std::log(hook(v));
        return log_guess + std::log(finished_);
    }

  private:
    struct Weighted {
        Set set;
        double weight;
        double importance;
    };

    double hook(int v) const { return hooks_[static_cast<std::size_t>(v)]; }

    // How much larger than the guess the share of a set may be: the sum that is 1 in forests, to a
    // power, as nodes above several others stay so for some steps (the fourth did best).
    double outlook(const Set& set, int size) const {
        double sum = 0.0;
        for (Set rest = set; !rest.empty();) {
            const int m = rest.lowest();
            rest = rest.without(poset_->above(m));
            sum += hook(m);
        }
        const double square = sum / size * (sum / size);
        return square * square;
    }

    void expand(const Set& set, int size, double weight) {
        for (Set rest = set; !rest.empty();) {
            const int m = rest.lowest();
            rest = rest.without(poset_->above(m));
            hand_on(set.without(Set::one(m)), weight * hook(m) / size);
        }
    }

    // Adds a weight to an up-set, once its small components are counted and gone.
    void hand_on(const Set& set, double weight) {
        Set open;
        poset_->split(set, [&](const Set& component) {
            const int size = component.size();
            if (size == 1) return;
            if (size > exact_nodes_) {
                open = open | component;
            } else {
                weight *= exact_.share(component, unlimited) * inverse_guess(component);
            }
        });
        if (open.empty()) {
            finished_ += weight;
        } else {
            by_size_[static_cast<std::size_t>(open.size())].at(open, 0.0) += weight;
        }
    }

    double inverse_guess(Set set) const {
        double product = 1.0;
        while (!set.empty()) {
            const int v = set.lowest();
            product *= hook(v);
            set = set.without(Set::one(v));
        }
        return product;
    }

    static constexpr std::size_t unlimited = ~std::size_t{0};

    const Poset<Words>* poset_ = nullptr;
    TaskContext* context_ = nullptr;
    int exact_nodes_ = 0;
    OrderVolume<Words, PlainShares> exact_;
    std::vector<double> hooks_;  // how many nodes are above each, with it
    std::vector<SetTable<Words, double>> by_size_;
    std::vector<Weighted> kept_;
    double finished_ = 0.0;
};

}  // namespace arcwise
