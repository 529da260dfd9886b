// Keeping and using the distributions of parent sets.
#include "arcwise/exact/parent_sampler.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// A distribution keeps its heaviest families until this share, or this many.
constexpr double share_kept = 0.999;
constexpr std::size_t families_kept = 128;

// All distributions of a sampler together; beyond, they start afresh.
constexpr std::size_t most_numbers_kept = std::size_t{1} << 24;

constexpr double scan_tolerance = 1e-14;

}  // namespace

SetSums::SetSums(const FamilyTable& weights, bool tabulate, const RunOptions& options)
    : sums_(weights,
            std::vector<SumMethod>(weights.size(), tabulate ? SumMethod::table : SumMethod::scan),
            scan_tolerance, Tabulated::sums, options) {
    for (const NodeFamilies& families : weights) {
        std::vector<std::uint8_t>& possible = possible_.emplace_back();
        for (const int parent : families.candidates()) {
            possible.push_back(static_cast<std::uint8_t>(parent));
        }
        for (const int parent : families.required()) {
            possible.push_back(static_cast<std::uint8_t>(parent));
        }
    }
}

std::uint64_t SetSums::bits_of(int node, std::uint32_t set) const {
    const std::vector<std::uint8_t>& possible = possible_[static_cast<std::size_t>(node)];
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < possible.size(); ++i) {
        bits |= std::uint64_t{set >> possible[i] & 1} << i;
    }
    return bits;
}

std::uint32_t SetSums::set_of(int node, std::uint64_t bits) const {
    const std::vector<std::uint8_t>& possible = possible_[static_cast<std::size_t>(node)];
    std::uint32_t set = 0;
    for (std::size_t i = 0; i < possible.size(); ++i) {
        set |= static_cast<std::uint32_t>(bits >> i & 1) << possible[i];
    }
    return set;
}

ParentSampler::Distribution ParentSampler::make(int node, std::uint32_t allowed) const {
    const SortedFamilies& families = sums_.families(node);
    const std::uint64_t inside = sums_.bits_of(node, allowed);
    Distribution result;
    result.log_sum = sums_.log_sum(node, allowed);
    double running = 0.0;
    for (std::size_t place = 0; place < families.count(); ++place) {
        const std::uint64_t parents = *families.parents(place);
        if ((parents & ~inside) != 0) continue;
        running += std::exp(families.weight(place) - result.log_sum);
        result.running.push_back(running);
        result.parents.push_back(sums_.set_of(node, parents));
        if (running > share_kept || result.running.size() == families_kept) break;
    }
    return result;
}

std::uint32_t ParentSampler::draw(int node, std::uint32_t allowed, Random& random) {
    if (random.scripted()) {
        const std::uint64_t all = sums_.bits_of(node, allowed);
        const std::int64_t place = sums_.families(node).choose(&all, nullptr, random);
        return sums_.set_of(node, *sums_.families(node).parents(static_cast<std::size_t>(place)));
    }
    const std::uint64_t key = static_cast<std::uint64_t>(node) << 32 | allowed;
    auto found = kept_.find(key);
    if (found == kept_.end()) {
        if (numbers_kept_ > most_numbers_kept) {
            kept_.clear();
            numbers_kept_ = 0;
        }
        found = kept_.emplace(key, make(node, allowed)).first;
        numbers_kept_ += 2 * found->second.running.size() + 8;
    }
    const Distribution& distribution = found->second;
    const double share = random.uniform();
    const auto place =
        std::upper_bound(distribution.running.begin(), distribution.running.end(), share);
    if (place != distribution.running.end()) {
        return distribution.parents[static_cast<std::size_t>(place - distribution.running.begin())];
    }
    const SortedFamilies& families = sums_.families(node);
    const std::uint64_t inside = sums_.bits_of(node, allowed);
    const std::int64_t drawn = families.place_at(&inside, nullptr, distribution.log_sum, share);
    if (drawn < 0) {
        throw Error(ErrorKind::numerical,
                    "Rounding led the sampler to a set without any parent set.");
    }
    return sums_.set_of(node, *families.parents(static_cast<std::size_t>(drawn)));
}

}  // namespace arcwise
