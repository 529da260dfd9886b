// Relocation of some nodes, swaps, and moves made by way of a partition.
#include <algorithm>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/layerings/layering.hpp"
#include "arcwise/spaces/partitions/partition.hpp"
#include "arcwise/spaces/space.hpp"

namespace arcwise {
namespace {

// The probability that `count` nodes of a layer are moved: half the time one, otherwise any number.
double share_of_count(std::size_t count, std::size_t size) {
    return (count == 1 ? 0.5 : 0.0) + 0.5 / static_cast<double>(size);
}

// ln of the probability to choose some `count` nodes of a layer of this size among `layers`.
double log_choice(std::size_t layers, std::size_t size, std::size_t count) {
    return -std::log(static_cast<double>(layers)) + std::log(share_of_count(count, size)) -
           log_binomial(static_cast<double>(size), static_cast<double>(count));
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

// A layer, how many of its nodes, which, and one of the places where they give another layering. On
// the way back the layers without them, and so the places, are the same.
class Relocation final : public Move {
  public:
    explicit Relocation(Layering& layering) : layering_(layering) {}

    Proposal propose(const Temperature& temperature, Random& random) override {
        const Parts& layers = layering_.layers();
        const std::size_t layer = random.below(layers.count());
        const std::size_t size = layers.size(layer);
        const std::size_t count = random.event(0.5) ? 1 : 1 + random.below(size);
        std::vector<int> members(layers.members(layer).begin(), layers.members(layer).end());
        random.draw_to_front(std::span(members), count);

        const bool whole = count == size;
        std::vector<std::size_t> others;
        for (std::size_t other = 0; other < layers.count(); ++other) {
            const std::size_t left = layers.size(other) - (other == layer ? count : 0);
            if (left > 0) others.push_back(left);
        }
        const Places places(layering_.space(), others, count);
        const std::size_t home = 2 * layer + (whole ? 0 : 1);
        std::vector<std::size_t> valid;
        for (std::size_t place = 0; place < places.count(); ++place) {
            if (place != home && places.valid(place)) valid.push_back(place);
        }
        if (valid.empty()) return {.possible = false};
        const std::size_t place = valid[random.below(valid.size())];

        const bool gap = place % 2 == 0;
        const auto from = static_cast<int>(layer);
        const auto to = static_cast<int>(place / 2);
        std::vector<int>& proposed = layering_.proposed_layers();
        proposed = layers.part_of();
        for (int& own : proposed) {
            own -= whole && own > from ? 1 : 0;
            own += gap && own >= to ? 1 : 0;
        }
        for (std::size_t i = 0; i < count; ++i) {
            proposed[static_cast<std::size_t>(members[i])] = to;
        }
        const std::size_t layers_then = others.size() + (gap ? 1 : 0);
        const std::size_t size_then = count + (gap ? 0 : others[place / 2]);
        return layering_.proposal(temperature, log_choice(layers_then, size_then, count) -
                                                   log_choice(layers.count(), size, count));
    }

  private:
    Layering& layering_;
};

// Swaps two nodes of different layers, or of neighbouring ones. Sizes stay, so that the way back
// has the same number of pairs.
template <bool adjacent>
class Swap final : public Move {
  public:
    explicit Swap(Layering& layering) : layering_(layering) {}

    Proposal propose(const Temperature& temperature, Random& random) override {
        const auto pair = choose_pair(layering_.layers(), adjacent, random);
        if (!pair) return {.possible = false};
        std::vector<int>& proposed = layering_.proposed_layers();
        proposed = layering_.layers().part_of();
        std::swap(proposed[static_cast<std::size_t>(pair->early)],
                  proposed[static_cast<std::size_t>(pair->late)]);
        return layering_.proposal(temperature, 0.0);
    }

  private:
    Layering& layering_;
};

// A partition R of the layering B in proportion to its weight, some steps of a chain of partitions
// at the posterior itself, and the layering of where they lead. For partitions pi(R) Q(R, R') is
// symmetric, whatever the number of steps, and B draws R with the probability pi(R) / pi(B): so the
// ratio of the probabilities to propose the way back and the way there is pi(B) / pi(B'), at any
// temperature. At the posterior the proposal is always accepted; elsewhere the temperature decides.
// Neither R nor R' has weight zero, and so neither B nor B' has.
class ThroughPartition final : public Move {
  public:
    ThroughPartition(Layering& layering, const Partitions& space, int steps)
        : layering_(layering), partition_(space), steps_(steps) {}

    Proposal propose(const Temperature& temperature, Random& random) override {
        const LogWeight& now = layering_.log_weight();
        if (now.zero_factors != 0) return {.possible = false};
        const std::vector<int>& layer_of = layering_.layers().part_of();
        layering_.weights().draw_partition(layer_of, random, part_of_);
        partition_.become(part_of_);
        const int steps = temperature.inverse < 1.0 ? 1 : steps_;
        for (int i = 0; i < steps; ++i) metropolis_step(partition_, Temperature{}, random);
        std::vector<int>& proposed = layering_.proposed_layers();
        layering_.space().merge_parts(partition_.by_part().part_of(), proposed);
        if (proposed == layer_of) {
            // The step stays where it is, and counts as one that was not accepted.
            return {.weight = now, .log_ratio = minus_infinity};
        }
        return layering_.proposal_in_balance();
    }

  private:
    Layering& layering_;
    Partition partition_;
    int steps_;
    std::vector<int> part_of_;
};

class Stay final : public Move {
  public:
    explicit Stay(Layering&) {}
    Proposal propose(const Temperature&, Random&) override { return {.possible = false}; }
};

}  // namespace

const std::vector<MoveRow<Layering>>& layering_moves() {
    static const std::vector<MoveRow<Layering>> rows = {
        {"relocate", 0.1, make_move<Relocation>},
        {"swap adjacent", 0.1, make_move<Swap<true>>},
        {"swap", 0.05, make_move<Swap<false>>},
        {"re-partition", 0.37,
         [](Layering& layering) -> std::unique_ptr<Move> {
             const Layerings& space = layering.space();
             return std::make_unique<ThroughPartition>(layering, space.partitions(),
                                                       space.partition_moves());
         }},
        {"reverse edge", 0.37,
         [](Layering& layering) -> std::unique_ptr<Move> {
             return std::make_unique<ThroughPartition>(layering, layering.space().reversals(), 1);
         }},
        {"stay", 0.01, make_move<Stay>},
    };
    return rows;
}

}  // namespace arcwise
