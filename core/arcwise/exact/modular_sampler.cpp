// Layers drawn from inclusion and exclusion over the sets that may come next.
#include "arcwise/exact/modular_sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "arcwise/exact/enough_digits.hpp"

namespace arcwise {
namespace {

constexpr std::size_t draws_per_task = 256;
constexpr std::size_t most_numbers_kept = std::size_t{1} << 25;

// Distributions of the next layer, by (nodes placed, nodes placed before the last layer).
template <class Real>
class NextLayers {
  public:
    explicit NextLayers(const ModularProgramme<Real>& programme) : programme_(programme) {}

    std::uint32_t draw(std::uint32_t placed, std::uint32_t placed_before, Random& random) {
        const std::uint64_t key = std::uint64_t{placed} << 32 | placed_before;
        auto found = layers_.find(key);
        if (found == layers_.end()) {
            if (numbers_kept_ > most_numbers_kept) {
                exact_.clear();
                layers_.clear();
                numbers_kept_ = 0;
            }
            found = layers_.emplace(key, running_weights(placed, placed_before)).first;
            numbers_kept_ += found->second.size();
        }
        const std::vector<double>& running = found->second;
        const double share = random.uniform() * running.back();
        const auto place = static_cast<std::uint32_t>(
            std::upper_bound(running.begin(), running.end() - 1, share) - running.begin());
        return spread(place, programme_.everything() & ~placed);
    }

  private:
    // The subset of `free` whose members, numbered from the lowest, are the bits of `place`.
    static std::uint32_t spread(std::uint32_t place, std::uint32_t free) {
        std::uint32_t result = 0;
        for (std::uint32_t left = free; left != 0; left &= left - 1, place >>= 1) {
            if ((place & 1) != 0) result |= left & (~left + 1);
        }
        return result;
    }

    // E(placed, T) relative to B(placed), for all T outside.
    const std::vector<double>& exact_layers(std::uint32_t placed) {
        if (const auto found = exact_.find(placed); found != exact_.end()) return found->second;
        const std::uint32_t free = programme_.everything() & ~placed;
        const std::size_t size = std::size_t{1} << std::popcount(free);
        typename ModularProgramme<Real>::Products products;
        programme_.multiply_out(placed, free, Real{1}, -programme_.exponent_beyond(placed),
                                products);
        std::vector<Real> sums(size);
        std::uint32_t added = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint32_t target = placed | added;
            const Real weight = programme_.weight_beyond()[target];
            sums[i] =
                weight == Real{0}
                    ? Real{0}
                    : times_power_of_two(products.mantissa[i] * weight,
                                         products.exponent[i] + programme_.exponent_beyond(target));
            added = (added - free) & free;
        }
        for (std::size_t bit = 1; bit < size; bit <<= 1) {
            for (std::size_t i = 0; i < size; ++i) {
                if ((i & bit) == 0) sums[i] += sums[i | bit];
            }
        }
        std::vector<double> result(size);
        for (std::size_t i = 0; i < size; ++i) {
            const Real sum = std::popcount(i) % 2 == 0 ? sums[i] : -sums[i];
            result[i] = std::max(0.0, static_cast<double>(sum));  // below zero is rounding
        }
        numbers_kept_ += size;
        return exact_.emplace(placed, std::move(result)).first->second;
    }

    std::vector<double> running_weights(std::uint32_t placed, std::uint32_t placed_before) {
        std::vector<double> weights = exact_layers(placed);
        const std::uint32_t free = programme_.everything() & ~placed;
        std::size_t filled = 1;
        std::vector<double> factors(weights.size(), 1.0);
        for (std::uint32_t left = free; left != 0; left &= left - 1) {
            const int v = std::countr_zero(left);
            const double factor = placed == 0 ? 1.0 : share_meeting_last(v, placed, placed_before);
            for (std::size_t i = 0; i < filled; ++i) factors[filled + i] = factors[i] * factor;
            filled *= 2;
        }
        weights[0] = 0.0;  // a layer has a member
        double running = 0.0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            running += weights[i] * factors[i];
            weights[i] = running;
        }
        return weights;
    }

    // 1 - alpha_v(placed_before) / alpha_v(placed).
    double share_meeting_last(int v, std::uint32_t placed, std::uint32_t placed_before) const {
        const double whole = programme_.sum_mantissa(v, placed);
        if (whole == 0.0) return 0.0;
        const double without = times_power_of_two(
            programme_.sum_mantissa(v, placed_before),
            programme_.sum_exponent(v, placed_before) - programme_.sum_exponent(v, placed));
        return std::max(0.0, 1.0 - without / whole);
    }

    const ModularProgramme<Real>& programme_;
    std::unordered_map<std::uint32_t, std::vector<double>> exact_;
    std::unordered_map<std::uint64_t, std::vector<double>> layers_;
    std::size_t numbers_kept_ = 0;
};

// As ModularSampler::sample.
template <class Real>
void sample_with(const ModularProgramme<Real>& programme, const SetSums& sums, std::uint64_t seed,
                 std::uint64_t first, std::size_t count, std::span<std::uint32_t> parents,
                 const RunOptions& options) {
    const auto n = static_cast<std::size_t>(programme.nodes());
    const std::size_t tasks = (count + draws_per_task - 1) / draws_per_task;
    run_tasks(tasks, count, options, [&](std::size_t task, TaskContext& context) {
        // Caches of one thread; it lives as long as this run.
        thread_local const SetSums* owner = nullptr;
        thread_local std::unique_ptr<NextLayers<Real>> next_layers;
        thread_local std::unique_ptr<ParentSampler> parent_sampler;
        if (owner != &sums) {
            owner = &sums;
            next_layers = std::make_unique<NextLayers<Real>>(programme);
            parent_sampler = std::make_unique<ParentSampler>(sums);
        }
        const std::size_t end = std::min(count, (task + 1) * draws_per_task);
        for (std::size_t i = task * draws_per_task; i < end; ++i) {
            Random random(seed, first + i);
            std::uint32_t placed = 0;
            std::uint32_t last_layer = 0;
            while (placed != programme.everything()) {
                const std::uint32_t layer = next_layers->draw(placed, placed & ~last_layer, random);
                for (std::uint32_t left = layer; left != 0; left &= left - 1) {
                    const int v = std::countr_zero(left);
                    parents[i * n + static_cast<std::size_t>(v)] =
                        parent_sampler->draw(v, placed, last_layer, random);
                }
                placed |= layer;
                last_layer = layer;
            }
            context.advance(1);
        }
    });
}

}  // namespace

ModularSampler::Programme ModularSampler::run(const FamilyTable& weights, double tolerance,
                                              const RunOptions& options) {
    std::optional<Programme> result;
    with_enough_digits(weights, tolerance, false, options,
                       [&](auto&& programme) { result.emplace(std::move(programme)); });
    return std::move(*result);
}

ModularSampler::ModularSampler(const FamilyTable& weights, double tolerance,
                               const RunOptions& options)
    : programme_(run(weights, tolerance, options)),
      sums_(weights, true, {options.threads, nullptr}) {}

void ModularSampler::sample(std::uint64_t seed, std::uint64_t first, std::size_t count,
                            std::span<std::uint32_t> parents, const RunOptions& options) const {
    std::visit(
        [&](const auto& programme) {
            sample_with(programme, sums_, seed, first, count, parents, options);
        },
        programme_);
}

}  // namespace arcwise
