// Fills the tables node by node, and draws by running sums over subsets.
#include "arcwise/exact/parent_draws.hpp"

#include <bit>
#include <cmath>
#include <numeric>

#include "arcwise/exact/subsets.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Whether every set of other nodes is a family: then storage is by the bits of the set.
bool has_all_families(const NodeFamilies& families, std::size_t nodes) {
    return !families.listed() && families.outside() == 0 && families.required().empty() &&
           families.candidates().size() + 1 == nodes &&
           families.max_free() + 1 >= static_cast<int>(nodes);
}

// Distributions of low parents that are kept.
constexpr std::size_t most_low = 16;

}  // namespace

ParentTables::ParentTables(const FamilyTable& weights, const RunOptions& options)
    : low_((std::uint32_t{1} << (weights.size() / 2)) - 1), nodes_(weights.size()) {
    const std::size_t n = weights.size();
    const std::size_t size = std::size_t{1} << (n - 1);
    run_tasks(n, n, options, [&](std::size_t v, TaskContext& context) {
        const NodeFamilies& families = weights[v];
        Node& node = nodes_[v];
        if (has_all_families(families, n)) {
            node.log_weights = families.values().data();
        } else {
            node.filled.assign(size, minus_infinity);
            std::uint32_t required = 0;
            for (const int parent : families.required()) required |= std::uint32_t{1} << parent;
            families.for_each([&](std::uint64_t index, std::span<const int> members) {
                std::uint32_t set = required;
                for (const int member : members) {
                    set |= std::uint32_t{1}
                           << families.candidates()[static_cast<std::size_t>(member)];
                }
                node.filled[place_without(static_cast<int>(v), set)] = families.values()[index];
            });
            node.log_weights = node.filled.data();
        }
        node.log_sums.assign(node.log_weights, node.log_weights + size);
        for (std::size_t first = 0; first < size; first += std::size_t{low_} + 1) {
            log_sum_over_subsets_by_level(node.log_sums.data() + first, std::popcount(low_));
        }
        context.advance(1);
    });
}

std::uint64_t ParentTables::bytes(int nodes) {
    return (std::uint64_t{1} << nodes) / 2 * static_cast<std::uint64_t>(nodes) * sizeof(double) * 2;
}

void ParentDraws::Distribution::start() {
    sets.clear();
    logs.clear();
}

void ParentDraws::Distribution::add(std::uint32_t set, double log_weight) {
    sets.push_back(set);
    logs.push_back(log_weight);
}

// Sets of high parents that do not meet what is wanted count with what their low parents add.
void ParentDraws::enter(int node, std::uint32_t allowed, std::uint32_t wanted) {
    node_ = node;
    inside_ = static_cast<std::uint32_t>(place_without(node, allowed));
    wanted_ = static_cast<std::uint32_t>(place_without(node, wanted));
    low_used_ = 0;
    next_low_ = 0;
    const std::vector<double>& sums = tables_.nodes_[static_cast<std::size_t>(node)].log_sums;
    const std::uint32_t low = inside_ & tables_.low_;
    const std::uint32_t high = inside_ & ~tables_.low_;
    high_.start();
    logs_without_.clear();
    std::uint32_t set = 0;
    do {
        const bool met = wanted_ == 0 || (set & wanted_) != 0;
        high_.add(set, sums[set | low]);
        logs_without_.push_back(met ? minus_infinity : sums[set | (low & ~wanted_)]);
        set = next_subset(set, high);
    } while (set != 0);
    const std::size_t count = high_.sets.size();
    const double largest = *std::max_element(high_.logs.begin(), high_.logs.end());
    high_.running.resize(count);
    without_.resize(count);
    if (largest == minus_infinity) {
        high_.running.clear();
        return;
    }
    scaled_exp(high_.running.data(), high_.logs.data(), largest, count);
    scaled_exp(without_.data(), logs_without_.data(), largest, count);
    double running = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        running += std::max(0.0, high_.running[i] - without_[i]);
        high_.running[i] = running;
    }
}

const ParentDraws::Distribution& ParentDraws::low_parents(std::uint32_t high_parents) {
    for (std::size_t i = 0; i < low_used_; ++i) {
        if (low_[i].high_parents == high_parents) return low_[i].distribution;
    }
    if (next_low_ == low_.size()) low_.emplace_back();
    Low& chosen = low_[next_low_];
    low_used_ = std::max(low_used_, next_low_ + 1);
    next_low_ = (next_low_ + 1) % most_low;

    chosen.high_parents = high_parents;
    Distribution& result = chosen.distribution;
    const double* weights = tables_.nodes_[static_cast<std::size_t>(node_)].log_weights;
    const std::uint32_t low = inside_ & tables_.low_;
    const bool met = wanted_ == 0 || (high_parents & wanted_) != 0;
    result.start();
    std::uint32_t set = 0;
    do {
        if (met || (set & wanted_) != 0) result.add(set, weights[high_parents | set]);
        set = next_subset(set, low);
    } while (set != 0);
    result.running.resize(result.sets.size());
    if (result.sets.empty()) return result;
    const double largest = *std::max_element(result.logs.begin(), result.logs.end());
    if (largest == minus_infinity) {
        result.running.clear();
        return result;
    }
    scaled_exp(result.running.data(), result.logs.data(), largest, result.sets.size());
    std::partial_sum(result.running.begin(), result.running.end(), result.running.begin());
    return result;
}

std::uint32_t ParentDraws::draw(Random& random) {
    constexpr int most_tries = 100;
    for (int tries = 0; tries < most_tries && !high_.empty(); ++tries) {
        const std::uint32_t high_parents = high_.sets[draw_by_running(high_.running, random)];
        const Distribution& low = low_parents(high_parents);
        // Rounding may leave a weight to high parents that no low ones go with.
        if (!low.empty()) {
            return set_without(node_,
                               high_parents | low.sets[draw_by_running(low.running, random)]);
        }
    }
    throw Error(ErrorKind::numerical,
                "Rounding led the sampler to a set without any parent set; lower the tolerance.");
}

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
