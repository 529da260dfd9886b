// Sums over the families of allowed pairs.
#include "arcwise/sums/walk/paired_families.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>

#include "arcwise/sums/walk/tree_walk.hpp"

namespace arcwise {
namespace {

constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

// Sums are kept apart while adding, so that neighbouring families of the same places need not wait
// for each other.
constexpr std::size_t ways = 2;

// Calls visit(group) for every pair of allowed members, and of an allowed member with none.
template <class Visit>
ARCWISE_INLINE void for_each_pair(const std::uint64_t* seconds, std::uint64_t allowed,
                                  Visit visit) {
    constexpr std::uint64_t no_second = std::uint64_t{1} << 63;
    for (std::uint64_t left = allowed; left != 0; left &= left - 1) {
        const auto largest = static_cast<std::size_t>(std::countr_zero(left));
        for (std::uint64_t second = seconds[largest] & (allowed | no_second); second != 0;
             second &= second - 1) {
            visit(largest, static_cast<std::size_t>(std::countr_zero(second)));
        }
    }
}

ARCWISE_VECTOR_VERSIONS
double sum_of_pairs(const PairedFamilies::Group* groups, const std::uint64_t* seconds,
                    const std::uint64_t* others, const double* weights, std::uint64_t allowed) {
    LaneSums sums[2] = {};
    const std::uint64_t outside = ~allowed;
    for_each_pair(
        seconds, allowed, [&](std::size_t largest, std::size_t second) ARCWISE_INLINE_LAMBDA {
            const PairedFamilies::Group group = groups[64 * largest + second];
            LaneSums& to = sums[second % 2];
            for (std::size_t at = group.first; at < group.first + group.count; at += lanes) {
#pragma omp simd simdlen(8)
                for (std::size_t i = 0; i < lanes; ++i) {
                    to.lane[i] += (others[at + i] & outside) == 0 ? weights[at + i] : 0.0;
                }
            }
        });
    add_lanes(sums[0], sums[1]);
    return total(sums[0]);
}

// Adds each weight to the sum of its bin, which is the union of its members' bits.
template <std::size_t lower_pairs>
void add_pairs_to_bins(const PairedFamilies::Group* groups, const std::uint64_t* seconds,
                       const std::uint16_t* lower, const double* weights, std::uint64_t allowed,
                       const std::uint32_t* bin_of_pair, double* const* sums) {
    for_each_pair(seconds, allowed, [&](std::size_t largest, std::size_t second) {
        const PairedFamilies::Group group = groups[64 * largest + second];
        const std::uint32_t upper = bin_of_pair[64 * largest + second];
        const auto add = [&](std::size_t at, double* to) {
            std::uint32_t bin = upper;
            for (std::size_t pair = 0; pair < lower_pairs; ++pair) {
                bin |= bin_of_pair[lower[at * lower_pairs + pair]];
            }
            to[bin] += weights[at];
        };
        const std::size_t end = group.first + group.count;
        std::size_t at = group.first;
        for (; at + 1 < end; at += ways) {
            add(at, sums[0]);
            add(at + 1, sums[1]);
        }
        if (at < end) add(at, sums[0]);
    });
}

}  // namespace

PairedFamilies::PairedFamilies(const FamilyTree& tree)
    : lower_pairs_((static_cast<std::size_t>(std::max(tree.most_members - 2, 0)) + 1) / 2) {
    std::vector<Group> groups(64 * 64);
    std::vector<std::uint64_t> seconds(64, 0);
    std::vector<std::uint64_t> all_others;
    std::vector<std::uint16_t> lower;
    struct Family {
        std::size_t group;
        std::uint64_t others;
        std::uint32_t place;
    };
    std::vector<Family> families;
    // Prefixes are numbered after those they extend.
    std::vector<std::uint64_t> members_of(tree.row.size(), 0);
    for (std::size_t prefix = 0; prefix < tree.row.size(); ++prefix) {
        for (std::uint64_t left = tree.followers[prefix]; left != 0; left &= left - 1) {
            const int smallest = std::countr_zero(left);
            std::uint64_t others = members_of[prefix] | std::uint64_t{1} << smallest;
            const auto largest = static_cast<std::size_t>(std::bit_width(others)) - 1;
            others ^= std::uint64_t{1} << largest;
            std::size_t second = none;
            if (others != 0) {
                second = static_cast<std::size_t>(std::bit_width(others)) - 1;
                others ^= std::uint64_t{1} << second;
            }
            seconds[largest] |= std::uint64_t{1} << second;
            families.push_back({64 * largest + second, others,
                                tree.row[prefix] + static_cast<std::uint32_t>(smallest)});
        }
        std::size_t branch = tree.first_branch[prefix];
        for (std::uint64_t left = tree.branches[prefix]; left != 0; left &= left - 1) {
            members_of[branch++] = members_of[prefix] | (left & (~left + 1));
        }
    }
    std::stable_sort(families.begin(), families.end(),
                     [](const Family& a, const Family& b) { return a.group < b.group; });

    const auto append = [&](std::uint64_t others, std::uint32_t place) {
        all_others.push_back(others);
        place_in_tree_.push_back(place);
        std::uint64_t left = others;
        const auto next = [&] {
            if (left == 0) return none;
            const auto member = static_cast<std::size_t>(std::countr_zero(left));
            left &= left - 1;
            return member;
        };
        for (std::size_t pair = 0; pair < lower_pairs_; ++pair) {
            const std::size_t one = next();
            lower.push_back(static_cast<std::uint16_t>(64 * one + next()));
        }
    };
    for (std::size_t i = 0; i < families.size(); ++i) {
        Group& group = groups[families[i].group];
        if (group.count == 0) {
            while (all_others.size() % lanes != 0) append(0, nowhere);
            group.first = static_cast<std::uint32_t>(all_others.size());
        }
        append(families[i].others, families[i].place);
        ++group.count;
    }
    while (all_others.size() % lanes != 0) append(0, nowhere);
    groups_ = std::move(groups);
    seconds_ = std::move(seconds);
    others_ = std::move(all_others);
    lower_ = std::move(lower);
}

std::vector<double> PairedFamilies::arranged(std::span<const double> tree_weights) const {
    std::vector<double> result;
    result.reserve(place_in_tree_.size());
    for (const std::uint32_t place : place_in_tree_) {
        result.push_back(place == nowhere ? 0.0 : tree_weights[place]);
    }
    return result;
}

double PairedFamilies::sum(const double* weights, std::uint64_t allowed) const {
    return sum_of_pairs(groups_.data(), seconds_.data(), others_.data(), weights, allowed);
}

void PairedFamilies::add_by_places(const double* weights, std::uint64_t allowed,
                                   const std::uint32_t* place_bit, std::size_t places,
                                   double* out) const {
    // Families with a lower member that is not allowed go to the bins with one bit more.
    std::array<std::uint32_t, 64> bin_of_member;
    for (std::size_t member = 0; member < 64; ++member) {
        const bool in = member == none || (allowed >> member & 1) != 0;
        bin_of_member[member] = in ? place_bit[member] : std::uint32_t{1} << places;
    }
    // The memory is kept from call to call: a sampler makes millions of them.
    thread_local std::vector<std::uint32_t> bin_of_pair(64 * 64);
    for (std::size_t one = 0; one < 64; ++one) {
        for (std::size_t other = 0; other < 64; ++other) {
            bin_of_pair[64 * one + other] = bin_of_member[one] | bin_of_member[other];
        }
    }
    const std::size_t bins = std::size_t{1} << places;
    thread_local std::vector<double> sums;
    sums.assign(2 * ways * bins, 0.0);
    double* const of_way[ways] = {sums.data(), sums.data() + 2 * bins};
    const auto add = [&](auto lower_pairs) {
        add_pairs_to_bins<lower_pairs()>(groups_.data(), seconds_.data(), lower_.data(), weights,
                                         allowed, bin_of_pair.data(), of_way);
    };
    switch (lower_pairs_) {
        case 0:
            add(std::integral_constant<std::size_t, 0>());
            break;
        case 1:
            add(std::integral_constant<std::size_t, 1>());
            break;
        default:
            add(std::integral_constant<std::size_t, 2>());
    }
    for (std::size_t bin = 0; bin < bins; ++bin) out[bin] += of_way[0][bin] + of_way[1][bin];
}

void PairedFamilies::expect_sound(const ArchiveReader& reader) const {
    reader.expect(groups_.size() == std::size_t{64} * 64 && seconds_.size() == 64);
    reader.expect(others_.size() % lanes == 0 && lower_pairs_ <= 2 &&
                  lower_.size() == others_.size() * lower_pairs_);
    for (const Group& group : groups_) {
        const std::size_t whole = (std::size_t{group.count} + lanes - 1) / lanes * lanes;
        reader.expect(whole <= others_.size() && group.first <= others_.size() - whole);
    }
    for (const std::uint16_t pair : lower_) reader.expect(pair < 64 * 64);
}

}  // namespace arcwise
