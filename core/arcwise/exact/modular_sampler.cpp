// Takes many draws from set to set together, those at the same set in one task.
#include "arcwise/exact/modular_sampler.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

#include "arcwise/exact/modular_kernels.hpp"
#include "arcwise/exact/subsets.hpp"
#include "arcwise/support/error.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {
namespace {

// Draws that go through the sets together.
constexpr std::size_t draws_per_batch = std::size_t{1} << 15;

// Rounding may lead to a layer of no weight, or to no layer; then it is drawn again, at most this
// often.
constexpr int most_tries = 100;

constexpr double negligible = 0x1p-100;

// The sets of one layer are dealt out to this number of tasks, which keep their memory from set to
// set.
constexpr std::size_t most_tasks = 64;

struct Draw {
    Draw(const Random& own, std::uint32_t* parents) : random(own), parents_of(parents) {}

    Random random;
    std::uint32_t* parents_of;
    std::uint32_t placed = 0;
    std::uint32_t placed_before = 0;
    std::uint32_t layer = 0;
    int tries = 0;
};

// Draws the layers that come after one set U.
template <class Real>
class NextLayer {
  public:
    explicit NextLayer(const ModularTables<Real>& tables) : tables_(tables) {}

    // Goes to U.
    void enter(std::uint32_t placed) {
        placed_ = placed;
        fill_weights();
    }

    // Draws a layer for each, after the same U_before.
    void draw(std::uint32_t before, std::span<Draw*> draws) {
        fill_shares(before);
        for (Draw* draw : draws) draw->layer = 0;
        const std::size_t size = std::size_t{1} << nodes_.size();
        const Real all = signed_sum(weights_.data(), size, shares_.data(), scratch_.data());
        decide(weights_.data(), all, nodes_.size(), scratch_.data(), draws);
    }

  private:
    // x(Z) in the scale of B(U), for the sets Z of nodes that may be in the layer.
    void fill_weights() {
        const ScaledSums& sums = tables_.sums();
        const auto weight = [&](Real mantissa, std::int32_t exponent, std::uint32_t set) {
            const std::int32_t power = exponent - tables_.scales()[set];
            return mantissa * power_of_two(power) * tables_.weights_beyond()[set];
        };
        const std::int32_t own = tables_.scales()[placed_] + exponent_bias;
        const Real least = static_cast<Real>(negligible) * tables_.weights_beyond()[placed_];
        nodes_.clear();
        for (std::uint32_t left = tables_.everything() & ~placed_; left != 0; left &= left - 1) {
            const int v = std::countr_zero(left);
            const std::uint32_t bit = std::uint32_t{1} << v;
            if (weight(sums.mantissa(v, placed_), own + sums.exponent(v, placed_), placed_ | bit) >
                least) {
                nodes_.push_back(v);
            }
        }
        const std::size_t size = std::size_t{1} << nodes_.size();
        if (weights_.size() < size) {
            weights_.resize(size);
            scratch_.resize(2 * size);
        }
        const std::span<const int> nodes(nodes_);
        const std::size_t count = std::min<std::size_t>(nodes.size(), 6);
        multiply_out(nodes.first(count), low_);
        multiply_out(nodes.subspan(count), high_);
        for (std::size_t i = 0; i < high_.size(); ++i) {
            weigh_sets(low_, high_.mantissas[i], own + high_.exponents[i], placed_ | high_.sets[i],
                       tables_.weights_beyond().data(), tables_.scales().data(),
                       weights_.data() + i * low_.size());
        }
    }

    void multiply_out(std::span<const int> nodes, SetProducts<Real>& out) const {
        out.start();
        for (const int v : nodes) {
            out.multiply(v, tables_.sums().mantissa(v, placed_),
                         tables_.sums().exponent(v, placed_));
        }
    }

    // beta_j. Before the first layer nothing was placed.
    void fill_shares(std::uint32_t before) {
        const ScaledSums& sums = tables_.sums();
        shares_.clear();
        for (const int v : nodes_) {
            const double power =
                power_of_two(sums.exponent(v, before) - sums.exponent(v, placed_) + exponent_bias);
            const double share = sums.mantissa(v, before) * power / sums.mantissa(v, placed_);
            shares_.push_back(placed_ == 0 ? 0.0 : std::min(1.0, share));
        }
    }

    // Decides on the lowest `count` nodes for draws that agree in the others; `all` is the sum over
    // what they may do.
    void decide(const Real* weights, Real all, std::size_t count, Real* scratch,
                std::span<Draw*> draws) {
        if (count == 0 || !(all > Real{0})) {
            for (Draw* draw : draws) {
                if (count > 0) draw->layer = 0;  // rounding has led here
            }
            return;
        }
        const std::size_t half = std::size_t{1} << (count - 1);
        const Real with = signed_sum(weights + half, half, shares_.data(), scratch);
        const Real in = std::clamp<Real>((Real{1} - Real{shares_[count - 1]}) * with, Real{0}, all);
        const auto chance = static_cast<double>(in / all);
        const std::uint32_t bit = std::uint32_t{1} << nodes_[count - 1];
        const auto end = std::partition(draws.begin(), draws.end(), [&](Draw* draw) {
            if (!draw->random.event(chance)) return false;
            draw->layer |= bit;
            return true;
        });
        const auto chosen = static_cast<std::size_t>(end - draws.begin());
        if (chosen > 0) {
            decide(weights + half, with, count - 1, scratch, draws.first(chosen));
        }
        if (chosen < draws.size()) {
            subtract(scratch, weights, weights + half, half);
            decide(scratch, all - in, count - 1, scratch + half, draws.subspan(chosen));
        }
    }

    const ModularTables<Real>& tables_;
    std::uint32_t placed_ = 0;
    std::vector<int> nodes_;  // that may be in the layer, rising
    std::vector<double> shares_;
    SetProducts<Real> low_;
    SetProducts<Real> high_;
    std::vector<Real> weights_;
    std::vector<Real> scratch_;
};

// Draws the parents of the layers, and moves behind them; all come after the same U and U_before.
void place_layers(std::span<Draw*> draws, ParentDraws& parents) {
    const std::uint32_t placed = draws.front()->placed;
    const std::uint32_t last = placed & ~draws.front()->placed_before;
    std::uint32_t any = 0;
    for (const Draw* draw : draws) any |= draw->layer;
    for (std::uint32_t left = any; left != 0; left &= left - 1) {
        const int v = std::countr_zero(left);
        parents.enter(v, placed, last);
        for (Draw* draw : draws) {
            if ((draw->layer >> v & 1) != 0) draw->parents_of[v] = parents.draw(draw->random);
        }
    }
    for (Draw* draw : draws) {
        if (draw->layer == 0) {
            if (++draw->tries == most_tries) {
                throw Error(ErrorKind::numerical,
                            "Rounding led the sampler to a set without any continuation; lower "
                            "the tolerance.");
            }
            continue;
        }
        draw->placed_before = placed;
        draw->placed |= draw->layer;
        draw->tries = 0;
    }
}

// Calls use(part) for the parts of draws, next to each other, that agree in what `of` says.
template <class Of, class Use>
void for_parts(std::span<Draw*> draws, Of of, Use use) {
    while (!draws.empty()) {
        const auto other = [&](const Draw* draw) { return of(*draw) != of(*draws.front()); };
        const auto end = std::find_if(draws.begin(), draws.end(), other);
        const auto part = draws.first(static_cast<std::size_t>(end - draws.begin()));
        draws = draws.subspan(part.size());
        use(part);
    }
}

// Takes every draw one layer further.
template <class Real>
void draw_layers(const ModularTables<Real>& tables, const ParentTables& parent_tables,
                 std::span<Draw*> draws, const RunOptions& options) {
    const auto placed = [](const Draw& draw) { return draw.placed; };
    const auto before = [](const Draw& draw) { return draw.placed_before; };
    std::sort(draws.begin(), draws.end(), [](const Draw* a, const Draw* b) {
        return std::tie(a->placed, a->placed_before) < std::tie(b->placed, b->placed_before);
    });
    std::vector<std::span<Draw*>> groups;
    for_parts(draws, placed, [&](std::span<Draw*> part) { groups.push_back(part); });
    const std::size_t tasks = std::min(most_tasks, groups.size());
    run_tasks(tasks, draws.size(), options, [&](std::size_t task, TaskContext& context) {
        NextLayer<Real> next(tables);
        ParentDraws parents(parent_tables);
        for (std::size_t i = task; i < groups.size(); i += tasks) {
            next.enter(groups[i].front()->placed);
            for_parts(groups[i], before, [&](std::span<Draw*> part) {
                next.draw(part.front()->placed_before, part);
                place_layers(part, parents);
            });
            context.advance(groups[i].size());
        }
    });
}

}  // namespace

template <class Real>
void draw_modular_dags(const ModularTables<Real>& tables, const ParentTables& parent_tables,
                       const RandomOf& random_of, std::size_t count,
                       std::span<std::uint32_t> parents, const RunOptions& options) {
    const auto n = static_cast<std::size_t>(tables.nodes());
    Phases batches(options, count);
    for (std::size_t start = 0; start < count; start += draws_per_batch) {
        const std::size_t size = std::min(draws_per_batch, count - start);
        std::vector<Draw> draws;
        std::vector<Draw*> going;
        draws.reserve(size);
        for (std::size_t i = start; i < start + size; ++i) {
            draws.emplace_back(random_of(i), parents.data() + i * n);
            going.push_back(&draws.back());
        }
        batches.run(size, [&](const RunOptions& batch) {
            Phases layers(batch, n * size);
            for (std::size_t layer = 0; !going.empty(); ++layer) {
                layers.run(layer < n ? going.size() : 0, [&](const RunOptions& part) {
                    draw_layers(tables, parent_tables, std::span<Draw*>(going), part);
                });
                std::erase_if(
                    going, [&](const Draw* draw) { return draw->placed == tables.everything(); });
            }
            report_complete(batch);
        });
    }
}

template void draw_modular_dags(const ModularTables<double>&, const ParentTables&, const RandomOf&,
                                std::size_t, std::span<std::uint32_t>, const RunOptions&);
template void draw_modular_dags(const ModularTables<long double>&, const ParentTables&,
                                const RandomOf&, std::size_t, std::span<std::uint32_t>,
                                const RunOptions&);

}  // namespace arcwise
