// Relocation of some nodes, swaps, and moves made by way of a partition.
#include <algorithm>
#include <cmath>
#include <limits>

#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/layerings/layering.hpp"
#include "arcwise/spaces/metropolis.hpp"
#include "arcwise/spaces/partitions/part_pairs.hpp"

namespace arcwise {
namespace {

// How probable it is that so many nodes of a layer are moved: half the time one, else any number.
double share_of_count(std::size_t count, std::size_t size) {
    return (count == 1 ? 0.5 : 0.0) + 0.5 / static_cast<double>(size);
}

// ln of the probability to choose some `count` nodes of a layer of this size among `layers`.
double log_choice(std::size_t layers, std::size_t size, std::size_t count) {
    return -std::log(static_cast<double>(layers)) + std::log(share_of_count(count, size)) -
           log_binomial(static_cast<double>(size), static_cast<double>(count));
}

// The member of a layer that comes `index`-th.
std::size_t member(const std::vector<int>& layer_of, int layer, std::size_t index) {
    for (std::size_t node = 0;; ++node) {
        if (layer_of[node] == layer && index-- == 0) return node;
    }
}

// The layers without the nodes that are moved, and where those can be put: into layer i, which is
// place 2 i + 1, or into the gap before it, place 2 i.
class Places {
  public:
    Places(const Layerings& space, std::vector<std::size_t> sizes, std::size_t moved)
        : space_(space), sizes_(std::move(sizes)), moved_(moved) {
        for (std::size_t i = 0; i + 1 < sizes_.size(); ++i) unfit_ += unfit(sizes_[i], i + 1);
    }

    std::size_t count() const { return 2 * sizes_.size() + 1; }

    // Whether the layers are neighbours that fit everywhere, with the moved nodes at a place.
    bool valid(std::size_t place) const {
        const std::size_t i = place / 2;
        int left = unfit_;
        if (place % 2 == 0) {
            if (i > 0) left += unfit(moved_, i - 1);
            if (i < sizes_.size()) left += unfit(moved_, i);
            if (i > 0 && i < sizes_.size()) left -= unfit(sizes_[i - 1], i);
            return left == 0;
        }
        for (const std::size_t other : {i - 1, i + 1}) {
            if (other < sizes_.size()) {
                left += unfit(sizes_[i] + moved_, other) - unfit(sizes_[i], other);
            }
        }
        return left == 0;
    }

  private:
    int unfit(std::size_t size, std::size_t other) const {
        return space_.fit(size, sizes_[other]) ? 0 : 1;
    }

    const Layerings& space_;
    std::vector<std::size_t> sizes_;
    std::size_t moved_;
    int unfit_ = 0;  // pairs of neighbours that are too small together
};

}  // namespace

// A layer, how many of its nodes, which, and one of the places where they give another layering. On
// the way back the layers without them, and so the places, are the same.
Proposal Layering::propose_relocation(const Temperature& temperature, Random& random) {
    constexpr int move = Layerings::relocate;
    const auto layer = static_cast<int>(random.below(sizes_.size()));
    const std::size_t size = sizes_[static_cast<std::size_t>(layer)];
    const std::size_t count = random.event(0.5) ? 1 : 1 + random.below(size);

    std::vector<std::size_t> members;
    for (std::size_t node = 0; node < nodes_; ++node) {
        if (layer_of_[node] == layer) members.push_back(node);
    }
    random.draw_to_front(std::span(members), count);
    const bool whole = count == size;
    std::vector<std::size_t> others = sizes_;
    if (whole) {
        others.erase(others.begin() + layer);
    } else {
        others[static_cast<std::size_t>(layer)] -= count;
    }
    const Places places(space_, others, count);
    const std::size_t home = 2 * static_cast<std::size_t>(layer) + (whole ? 0 : 1);
    std::vector<std::size_t> valid;
    for (std::size_t place = 0; place < places.count(); ++place) {
        if (place != home && places.valid(place)) valid.push_back(place);
    }
    if (valid.empty()) return {.move = move, .possible = false};
    const std::size_t place = valid[random.below(valid.size())];

    const bool gap = place % 2 == 0;
    const auto to = static_cast<int>(place / 2);
    proposed_.resize(nodes_);
    for (std::size_t node = 0; node < nodes_; ++node) {
        const int own = layer_of_[node] - (whole && layer_of_[node] > layer ? 1 : 0);
        proposed_[node] = own + (gap && own >= to ? 1 : 0);
    }
    for (std::size_t i = 0; i < count; ++i) proposed_[members[i]] = to;
    const std::size_t layers_then = others.size() + (gap ? 1 : 0);
    const std::size_t size_then = count + (gap ? 0 : others[place / 2]);
    return proposal(
        move, temperature,
        log_choice(layers_then, size_then, count) - log_choice(sizes_.size(), size, count));
}

// Sizes stay, so there are as many pairs on the way back.
Proposal Layering::propose_swap(const Temperature& temperature, Random& random, bool adjacent) {
    const int move = adjacent ? Layerings::swap_adjacent : Layerings::swap_any;
    const auto pair = choose_pair(sizes_, adjacent, random);
    if (!pair) return {.move = move, .possible = false};
    proposed_ = layer_of_;
    std::swap(proposed_[member(layer_of_, pair->early_part, pair->early)],
              proposed_[member(layer_of_, pair->late_part, pair->late)]);
    return proposal(move, temperature, 0.0);
}

// A partition R of the layering B in proportion to its weight, some steps of the chain of
// partitions at the posterior itself, and the layering of where they lead. For partitions pi(R)
// Q(R, R') is symmetric, whatever the number of steps, and B draws R with the probability pi(R) /
// pi(B): so the ratio of the probabilities to propose the way back and the way there is pi(B) /
// pi(B'), at any temperature. At the posterior the proposal is always accepted; elsewhere the
// temperature decides. Neither R nor R' has weight zero, and so neither B nor B' has.
Proposal Layering::propose_through_partition(int move, Partition& partition, int moves,
                                             Random& random) {
    if (weight_.impossible != 0) return {.move = move, .possible = false};
    weights_->draw_partition(layer_of_, random, part_of_);
    code_.assign(part_of_.begin(), part_of_.end());
    partition.decode(code_);
    MoveCounts counts(6);
    for (int i = 0; i < moves; ++i) metropolis_step(partition, Temperature{}, random, counts);
    code_ = partition.encode();
    merge_parts();
    if (proposed_ == layer_of_) {
        // The step stays where it is, and counts as one that was not accepted.
        return {
            .move = move, .weight = weight_, .log_ratio = -std::numeric_limits<double>::infinity()};
    }
    proposed_weight_ = weights_->weight(proposed_);
    return {.move = move,
            .weight = proposed_weight_,
            .log_ratio = weight_.value - proposed_weight_.value};
}

// The layering of the partition in code_: parts are merged, first to last, while they fit together.
void Layering::merge_parts() {
    std::vector<std::size_t> sizes(nodes_, 0);
    for (const std::uint16_t part : code_) ++sizes[part];
    std::vector<int> layer_of_part(nodes_, 0);
    std::size_t size = sizes[0];
    for (std::size_t part = 1; part < nodes_ && sizes[part] > 0; ++part) {
        const bool apart = space_.fit(size, sizes[part]);
        layer_of_part[part] = layer_of_part[part - 1] + (apart ? 1 : 0);
        size = sizes[part] + (apart ? 0 : size);
    }
    proposed_.resize(nodes_);
    for (std::size_t node = 0; node < nodes_; ++node) proposed_[node] = layer_of_part[code_[node]];
}

}  // namespace arcwise
