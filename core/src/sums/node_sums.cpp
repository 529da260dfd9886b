// Look-ups in the table of sums, and where to leave it for the scan.
#include "arcwise/sums/node_sums.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "arcwise/sums/subset_transforms.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// sum(allowed) - sum(allowed without required) keeps about 1e-16 |log sum| / gap relative digits,
// where the log sum is relative to the heaviest family and `gap` is the difference of the two
// logarithms. Below this gap the families are added up.
constexpr double smallest_gap = 0x1p-7;

constexpr int largest_table = 30;

void set_bit(std::uint64_t* bits, int place) {
    bits[place / 64] |= std::uint64_t{1} << (place % 64);
}

bool has_bit(ParentBits bits, int place) { return (bits[place / 64] >> (place % 64) & 1) != 0; }

}  // namespace

NodeSums::NodeSums(const NodeFamilies& families, int node, SumMethod method, double tolerance,
                   bool with_max)
    : node_(static_cast<std::uint64_t>(node)),
      candidates_(families.candidates().size()),
      sorted_(families, tolerance) {
    required_bits_.assign(words(), 0);
    for (std::size_t i = 0; i < families.required().size(); ++i) {
        const std::size_t position = candidates_ + i;
        required_bits_[position / 64] |= std::uint64_t{1} << (position % 64);
    }
    if (method == SumMethod::scan) return;
    if (candidates_ > largest_table) {
        throw Error(ErrorKind::capacity,
                    "A table of score sums holds 2^K numbers for K candidate "
                    "parents, and K = " +
                        std::to_string(candidates_) +
                        " came; give fewer candidates or use the scan.");
    }
    const std::uint64_t size = std::uint64_t{1} << candidates_;
    sums_.assign(size, minus_infinity);
    for (std::size_t place = 0; place < sorted_.count(); ++place) {
        sums_[*sorted_.parents(place) & (size - 1)] = sorted_.weight(place);
    }
    if (with_max) {
        maxima_ = sums_;
        max_over_subsets(maxima_.data(), static_cast<int>(candidates_));
    }
    if (sorted_.count() > 0) heaviest_ = sorted_.weight(0);
    for (double& entry : sums_) entry -= heaviest_;
    log_sum_over_subsets(sums_.data(), static_cast<int>(candidates_));
}

bool NodeSums::within(ParentBits parents, ParentBits allowed) const {
    for (std::size_t word = 0; word < words(); ++word) {
        if ((parents[word] & ~allowed[word]) != 0) return false;
    }
    return true;
}

bool NodeSums::has_required_parents(ParentBits allowed) const {
    for (std::size_t word = 0; word < required_bits_.size(); ++word) {
        if ((required_bits_[word] & ~allowed[word]) != 0) return false;
    }
    return true;
}

bool NodeSums::meets_required_parents(ParentBits required) const {
    for (std::size_t word = 0; word < required_bits_.size(); ++word) {
        if ((required_bits_[word] & required[word]) != 0) return true;
    }
    return false;
}

double NodeSums::log_sum(ParentBits allowed) const {
    if (!tabulated()) return sorted_.log_sum(allowed, nullptr);
    if (!has_required_parents(allowed)) return minus_infinity;
    return heaviest_ + sums_[allowed[0] & (sums_.size() - 1)];
}

double NodeSums::log_sum(ParentBits allowed, ParentBits required, SumMemo& memo) const {
    if (!tabulated()) return sorted_.log_sum(allowed, required);
    if (!has_required_parents(allowed)) return minus_infinity;
    if (meets_required_parents(required)) return log_sum(allowed);
    const std::uint64_t mask = sums_.size() - 1;
    const std::uint64_t all = allowed[0] & mask;
    const std::uint64_t wanted = required[0] & all;
    if (wanted == 0) return minus_infinity;
    const double whole = sums_[all];
    const double rest = sums_[all & ~wanted];
    if (rest == minus_infinity) return heaviest_ + whole;
    const double gap = whole - rest;
    if (gap > smallest_gap) return heaviest_ + (whole + std::log(-std::expm1(-gap)));
    return memo.get(node_, all, wanted, [&] { return sorted_.log_sum(allowed, required); });
}

double NodeSums::max(ParentBits allowed) const {
    if (!maxima_.empty()) {
        return has_required_parents(allowed) ? maxima_[allowed[0] & (maxima_.size() - 1)]
                                             : minus_infinity;
    }
    const std::int64_t place = sorted_.best(allowed, nullptr);
    return place < 0 ? minus_infinity : sorted_.weight(static_cast<std::size_t>(place));
}

std::int64_t NodeSums::draw(ParentBits allowed, Random& random) const {
    return sorted_.place_at(allowed, nullptr, log_sum(allowed), random.uniform());
}

std::int64_t NodeSums::draw(ParentBits allowed, ParentBits required, SumMemo& memo,
                            Random& random) const {
    return sorted_.place_at(allowed, required, log_sum(allowed, required, memo), random.uniform());
}

void NodeSums::log_sums_over(ParentBits base, std::span<const int> places, double* out) const {
    std::vector<std::uint64_t> allowed(words());
    for (std::uint64_t set = 0; set < std::uint64_t{1} << places.size(); ++set) {
        allowed.assign(base, base + words());
        for (std::size_t i = 0; i < places.size(); ++i) {
            if ((set >> i & 1) != 0 && places[i] >= 0) set_bit(allowed.data(), places[i]);
        }
        out[set] = log_sum(allowed.data());
    }
}

void NodeSums::add_parent_probabilities(ParentBits base, std::span<const int> places,
                                        const double* log_factors, double* by_place) const {
    std::vector<std::uint64_t> allowed(base, base + words());
    for (const int place : places) {
        if (place >= 0) set_bit(allowed.data(), place);
    }
    for (std::size_t family = 0; family < sorted_.count(); ++family) {
        const ParentBits parents = sorted_.parents(family);
        if (!within(parents, allowed.data())) continue;
        std::size_t set = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i] >= 0 && has_bit(parents, places[i])) set |= std::size_t{1} << i;
        }
        const double probability = std::exp(sorted_.weight(family) + log_factors[set]);
        for (std::size_t word = 0; word < words(); ++word) {
            for (std::uint64_t left = parents[word]; left != 0; left &= left - 1) {
                by_place[word * 64 + static_cast<std::size_t>(std::countr_zero(left))] +=
                    probability;
            }
        }
    }
}

}  // namespace arcwise
