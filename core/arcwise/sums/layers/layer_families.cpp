// Fills the tables by one transform over subsets for each candidate, and the trees with the
// families that can matter.
#include "arcwise/sums/layers/layer_families.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "arcwise/families/by_weight.hpp"
#include "arcwise/numerics/extended.hpp"
#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"

namespace arcwise {
namespace {

constexpr double widest_range = 1200.0;  // nats that plain numbers and their sums can span

std::vector<WeighedFamily> families_of(const NodeSums& sums) {
    std::vector<WeighedFamily> result;
    std::vector<std::uint64_t> bits(sums.words());
    sums.for_each([&](std::int64_t place, double weight) {
        if (weight == minus_infinity) return;
        WeighedFamily family{{}, weight};
        sums.copy_parents(place, bits.data());
        for (std::size_t word = bits.size(); word-- > 0;) {
            for (std::uint64_t left = bits[word]; left != 0;) {
                const int highest = 63 - std::countl_zero(left);
                left ^= std::uint64_t{1} << highest;
                family.members.push_back(static_cast<int>(word * 64) + highest);
            }
        }
        result.push_back(std::move(family));
    });
    return result;
}

}  // namespace

HolderTable::HolderTable(const NodeSums& sums) : half_(sums.sums_.size() / 2) {
    const Stored<double>& all = sums.sums_;
    const std::size_t candidates = sums.candidates();
    entries_.resize(size(candidates));
    std::vector<double> holding(half_);
    for (std::size_t t = 0; t < candidates; ++t) {
        const std::size_t bit = std::size_t{1} << t;
        const auto without = [&](std::size_t set) {
            return (set & (bit - 1)) | ((set >> 1) & ~(bit - 1));
        };
        std::fill(holding.begin(), holding.end(), minus_infinity);
        for (std::size_t place = 0; place < sums.sorted_->count(); ++place) {
            const std::size_t family = *sums.sorted_->parents(place) & (all.size() - 1);
            if ((family & bit) != 0) {
                holding[without(family)] = sums.sorted_->weight(place) - sums.heaviest_;
            }
        }
        log_sum_over_subsets(holding.data(), static_cast<int>(candidates) - 1);
        for (std::size_t set = 0; set < all.size(); ++set) {
            if ((set & bit) == 0) continue;
            double& entry = entries_[t * half_ + without(set)];
            const double log_holds = holding[without(set)] - all[set];
            if (all[set] == minus_infinity || holding[without(set)] == minus_infinity) {
                entry = 0.0;
            } else if (log_holds < -0.7) {
                entry = share_of_log<double>(log_holds);
            } else {
                entry = -share_of_log<double>(all[set ^ bit] - all[set]);
            }
        }
    }
}

std::optional<FamilyTrie> FamilyTrie::of(const NodeSums& sums, std::size_t places) {
    std::vector<WeighedFamily> kept = families_of(sums);
    std::stable_sort(kept.begin(), kept.end(), [](const WeighedFamily& a, const WeighedFamily& b) {
        return a.members.size() < b.members.size();
    });
    leave_out_light(kept, places);
    FamilyTrie trie;
    trie.places_ = places;
    double lightest = std::numeric_limits<double>::infinity();
    double heaviest = minus_infinity;
    for (const WeighedFamily& family : kept) {
        lightest = std::min(lightest, family.weight);
        heaviest = std::max(heaviest, family.weight);
    }
    if (kept.empty()) return trie;
    if (heaviest - lightest > widest_range) return std::nullopt;
    trie.log_unit_ = (heaviest + lightest) / 2.0;

    // Sets that others begin with become prefixes; the others are leaves of one.
    std::map<std::vector<int>, double> prefixes = {{{}, 0.0}};
    std::map<std::vector<int>, std::vector<std::pair<int, double>>> rows;
    for (const WeighedFamily& family : kept) {
        std::vector<int> prefix = family.members;
        while (!prefix.empty()) {
            prefix.pop_back();
            if (!prefixes.emplace(prefix, 0.0).second) break;
        }
    }
    for (const WeighedFamily& family : kept) {
        const double weight = exp_of_minus(trie.log_unit_ - family.weight);
        if (const auto found = prefixes.find(family.members); found != prefixes.end()) {
            found->second = weight;
        } else {
            std::vector<int> prefix = family.members;
            prefix.pop_back();
            rows[prefix].emplace_back(family.members.back(), weight);
        }
    }
    // In the order of the map a prefix comes right before all that begin with it.
    for (const auto& [prefix, weight] : prefixes) {
        const auto row = static_cast<std::uint32_t>(trie.leaf_members_.size());
        if (prefix.empty()) {
            trie.weight_of_empty_ = weight;
        } else {
            trie.prefixes_.push_back({static_cast<std::uint16_t>(prefix.back()),
                                      static_cast<std::uint16_t>(prefix.size()), 0, row, weight});
            trie.depth_ = std::max(trie.depth_, prefix.size());
        }
        if (const auto found = rows.find(prefix); found != rows.end()) {
            std::sort(found->second.begin(), found->second.end());
            for (const auto& [member, leaf_weight] : found->second) {
                trie.leaf_members_.push_back(static_cast<std::uint16_t>(member));
                trie.leaf_weights_.push_back(leaf_weight);
            }
        }
        if (prefix.empty()) {
            trie.first_row_ = static_cast<std::uint32_t>(trie.leaf_members_.size());
        }
    }
    for (std::size_t i = 0; i < trie.prefixes_.size(); ++i) {
        std::size_t after = i + 1;
        while (after < trie.prefixes_.size() &&
               trie.prefixes_[after].depth > trie.prefixes_[i].depth) {
            ++after;
        }
        trie.prefixes_[i].after = static_cast<std::uint32_t>(after);
    }
    return trie;
}

void FamilyTrie::add(const std::uint16_t* codes, std::uint16_t outside, double* sums) const {
    constexpr std::size_t most = 64;
    std::uint16_t code_at[most + 1];
    std::vector<std::uint16_t> deep(depth_ > most ? depth_ + 1 : 0);
    std::uint16_t* const code = deep.empty() ? code_at : deep.data();
    code[0] = 0;
    const auto add_row = [&](std::uint32_t from, std::uint32_t to, std::uint16_t prefix) {
        for (std::uint32_t i = from; i < to; ++i) {
            // Families that are not allowed go to sums that nobody reads, which is faster than a
            // test.
            sums[prefix | codes[leaf_members_[i]]] += leaf_weights_[i];
        }
    };
    sums[0] += weight_of_empty_;
    add_row(0, first_row_, 0);
    const auto count = static_cast<std::uint32_t>(prefixes_.size());
    for (std::uint32_t i = 0; i < count;) {
        const Prefix& prefix = prefixes_[i];
        const std::uint16_t own = codes[prefix.member];
        if (own == outside) {
            i = prefix.after;
            continue;
        }
        ++i;
        const auto all = static_cast<std::uint16_t>(code[prefix.depth - 1] | own);
        code[prefix.depth] = all;
        sums[all] += prefix.weight;
        const auto end =
            i < count ? prefixes_[i].row : static_cast<std::uint32_t>(leaf_members_.size());
        add_row(prefix.row, end, all);
    }
}

}  // namespace arcwise
