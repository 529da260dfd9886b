// Takes many draws from set to set together, those at the same set in one task.
#include "arcwise/exact/modular_sampler.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

#include "arcwise/exact/modular_kernels.hpp"
#include "arcwise/exact/subset_index.hpp"
#include "arcwise/support/error.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {
namespace {

// Draws that go through the sets together.
constexpr std::size_t draws_per_batch = std::size_t{1} << 15;

// Rounding may lead to a layer of no weight; then it is drawn again, so many times.
constexpr int most_tries = 100;

constexpr double negligible = 0x1p-100;

// Of one layer: sets are dealt out to so many, which keep their memory from set to set.
constexpr std::size_t most_tasks = 64;

struct Draw {
    Draw(std::uint64_t seed, std::uint64_t number, std::uint32_t* parents)
        : random(seed, number), parents_of(parents) {}

    Random random;
    std::uint32_t* parents_of;
    std::uint32_t placed = 0;
    std::uint32_t placed_before = 0;
    std::uint32_t layer = 0;
    bool failed = false;
    int tries = 0;
};

// Draws the layers that come after one set U.
template <class Real>
class NextLayer {
  public:
    explicit NextLayer(const ModularTables<Real>& tables) : tables_(tables) {}

    // All draws stand at the same U; they are put in the order of the sets before it.
    void draw(std::span<Draw*> draws) {
        const std::uint32_t placed = draws.front()->placed;
        fill(placed);
        while (!draws.empty()) {
            const std::uint32_t before = draws.front()->placed_before;
            const auto end =
                std::find_if(draws.begin(), draws.end(),
                             [&](const Draw* draw) { return draw->placed_before != before; });
            fill_shares(placed, before);
            const auto group = draws.first(static_cast<std::size_t>(end - draws.begin()));
            for (Draw* draw : group) {
                draw->layer = 0;
                draw->failed = false;
            }
            decide(weights_.data(), nodes_.size(), scratch_.data(), group);
            draws = draws.subspan(group.size());
        }
    }

  private:
    // x(Z) in the scale of B(U), for the sets Z of nodes that may be in the layer.
    void fill(std::uint32_t placed) {
        const ScaledSums& sums = tables_.sums();
        const auto weight = [&](Real mantissa, std::int32_t exponent, std::uint32_t set) {
            const std::int32_t power = exponent - tables_.scale(set);
            return mantissa * power_of_two(power) * tables_.weight_beyond(set);
        };
        const std::int32_t own = tables_.scale(placed) + exponent_bias;
        const Real least = static_cast<Real>(negligible) * tables_.weight_beyond(placed);
        nodes_.clear();
        free_ = 0;
        for (std::uint32_t left = tables_.everything() & ~placed; left != 0; left &= left - 1) {
            const int v = std::countr_zero(left);
            const std::uint32_t bit = std::uint32_t{1} << v;
            if (weight(sums.mantissa(v, placed), own + sums.exponent(v, placed), placed | bit) >
                least) {
                nodes_.push_back(v);
                free_ |= bit;
            }
        }
        const std::size_t size = std::size_t{1} << nodes_.size();
        if (weights_.size() < size) {
            weights_.resize(size);
            exponents_.resize(size);
            scratch_.resize(2 * size);
        }
        weights_[0] = Real{1};
        exponents_[0] = own;
        std::size_t filled = 1;
        for (const int v : nodes_) {
            const auto factor = static_cast<Real>(sums.mantissa(v, placed));
            const std::int32_t shift = sums.exponent(v, placed);
            for (std::size_t i = 0; i < filled; ++i) {
                weights_[filled + i] = weights_[i] * factor;
                exponents_[filled + i] = exponents_[i] + shift;
            }
            filled *= 2;
        }
        std::uint32_t added = 0;
        for (std::size_t i = 0; i < size; ++i) {
            weights_[i] = weight(weights_[i], exponents_[i], placed | added);
            added = next_subset(added, free_);
        }
    }

    // beta_j. Before the first layer nothing was placed.
    void fill_shares(std::uint32_t placed, std::uint32_t before) {
        const ScaledSums& sums = tables_.sums();
        shares_.clear();
        for (const int v : nodes_) {
            const double power =
                power_of_two(sums.exponent(v, before) - sums.exponent(v, placed) + exponent_bias);
            const double share = sums.mantissa(v, before) * power / sums.mantissa(v, placed);
            shares_.push_back(placed == 0 ? 0.0 : std::min(1.0, share));
        }
    }

    // Decides on the lowest `count` nodes for draws that agree in the others.
    void decide(const Real* weights, std::size_t count, Real* scratch, std::span<Draw*> draws) {
        if (draws.empty()) return;
        if (count == 0) {
            for (Draw* draw : draws) draw->failed = draw->failed || draw->layer == 0;
            return;
        }
        const std::size_t half = std::size_t{1} << (count - 1);
        const Real share = shares_[count - 1];
        const Real without = signed_sum(weights, half, shares_.data(), scratch);
        const Real with = signed_sum(weights + half, half, shares_.data(), scratch);
        const Real in = std::max(Real{0}, (Real{1} - share) * with);
        const Real out = std::max(Real{0}, without - with);
        const double chance = in > Real{0} ? static_cast<double>(in / (in + out)) : 0.0;
        const std::uint32_t bit = std::uint32_t{1} << nodes_[count - 1];
        const bool possible = in + out > Real{0};
        const auto end = std::partition(draws.begin(), draws.end(), [&](Draw* draw) {
            draw->failed = draw->failed || !possible;
            if (draw->random.uniform() >= chance) return false;
            draw->layer |= bit;
            return true;
        });
        const auto chosen = static_cast<std::size_t>(end - draws.begin());
        decide(weights + half, count - 1, scratch, draws.first(chosen));
        if (chosen == draws.size()) return;
        subtract(scratch, weights, weights + half, half);
        decide(scratch, count - 1, scratch + half, draws.subspan(chosen));
    }

    const ModularTables<Real>& tables_;
    std::vector<int> nodes_;  // that may be in the layer, rising
    std::uint32_t free_ = 0;
    std::vector<double> shares_;
    std::vector<Real> weights_;
    std::vector<std::int32_t> exponents_;
    std::vector<Real> scratch_;
};

// Draws the parents of the layer, and goes on behind it.
void place_layer(Draw& draw, const ParentTables& parent_tables) {
    if (draw.failed) {
        if (++draw.tries == most_tries) {
            throw Error(ErrorKind::numerical,
                        "Rounding led the sampler to a set without any continuation; lower the "
                        "tolerance.");
        }
        return;
    }
    const std::uint32_t last = draw.placed & ~draw.placed_before;
    for (std::uint32_t left = draw.layer; left != 0; left &= left - 1) {
        const int v = std::countr_zero(left);
        draw.parents_of[v] =
            draw.placed == 0 ? 0 : parent_tables.draw(v, draw.placed, last, draw.random);
    }
    draw.placed_before = draw.placed;
    draw.placed |= draw.layer;
    draw.tries = 0;
}

// Where the draws of each set begin, when they are in the order of the sets; and where all end.
std::vector<std::size_t> groups_of(std::span<Draw* const> draws) {
    std::vector<std::size_t> result{0};
    for (std::size_t i = 1; i < draws.size(); ++i) {
        if (draws[i]->placed != draws[i - 1]->placed) result.push_back(i);
    }
    result.push_back(draws.size());
    return result;
}

// Takes every draw one layer further.
template <class Real>
void draw_layers(const ModularTables<Real>& tables, const ParentTables& parent_tables,
                 std::span<Draw*> draws, const RunOptions& options) {
    std::sort(draws.begin(), draws.end(), [](const Draw* a, const Draw* b) {
        return std::tie(a->placed, a->placed_before) < std::tie(b->placed, b->placed_before);
    });
    const std::vector<std::size_t> groups = groups_of(draws);
    const std::size_t tasks = std::min(most_tasks, groups.size() - 1);
    run_tasks(tasks, draws.size(), options, [&](std::size_t task, TaskContext& context) {
        NextLayer<Real> next(tables);
        for (std::size_t i = task; i + 1 < groups.size(); i += tasks) {
            const auto group = draws.subspan(groups[i], groups[i + 1] - groups[i]);
            next.draw(group);
            for (Draw* draw : group) place_layer(*draw, parent_tables);
            context.advance(group.size());
        }
    });
}

}  // namespace

template <class Real>
void draw_modular_dags(const ModularTables<Real>& tables, const ParentTables& parent_tables,
                       std::uint64_t seed, std::uint64_t first, std::size_t count,
                       std::span<std::uint32_t> parents, const RunOptions& options) {
    const auto n = static_cast<std::size_t>(tables.nodes());
    Phases batches(options, count);
    for (std::size_t start = 0; start < count; start += draws_per_batch) {
        const std::size_t size = std::min(draws_per_batch, count - start);
        std::vector<Draw> draws;
        std::vector<Draw*> going;
        draws.reserve(size);
        for (std::size_t i = start; i < start + size; ++i) {
            draws.emplace_back(seed, first + i, parents.data() + i * n);
            going.push_back(&draws.back());
        }
        batches.run(size, [&](const RunOptions& batch) {
            Phases layers(batch, n * size);
            for (std::size_t layer = 0; !going.empty(); ++layer) {
                layers.run(layer < n ? going.size() : 0, [&](const RunOptions& part) {
                    draw_layers(tables, parent_tables, std::span<Draw*>(going), part);
                });
                std::erase_if(going, [&](const Draw* draw) {
                    return draw->placed == tables.everything();
                });
            }
            report_complete(batch);
        });
    }
}

template void draw_modular_dags(const ModularTables<double>&, const ParentTables&, std::uint64_t,
                                std::uint64_t, std::size_t, std::span<std::uint32_t>,
                                const RunOptions&);
template void draw_modular_dags(const ModularTables<long double>&, const ParentTables&,
                                std::uint64_t, std::uint64_t, std::size_t,
                                std::span<std::uint32_t>, const RunOptions&);

}  // namespace arcwise
