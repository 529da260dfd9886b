// Which families can matter, and the walk over those that are allowed.
#include "arcwise/sums/layers/family_trie.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "arcwise/numerics/log_kernels.hpp"

namespace arcwise {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
constexpr double light = 42.0;           // nats: e^-42 of each of ten thousand families
constexpr double widest_range = 1200.0;  // nats that plain numbers and their sums can span
constexpr std::size_t most_ranked = 1u << 24;

struct Family {
    std::vector<std::uint16_t> members;  // descending
    double weight;
};

std::vector<Family> families_of(const NodeSums& sums) {
    std::vector<Family> result;
    std::vector<std::uint64_t> bits(sums.words());
    const auto add = [&](std::int64_t place, double weight) {
        if (weight == minus_infinity) return;
        Family family{{}, weight};
        sums.copy_parents(place, bits.data());
        for (std::size_t word = bits.size(); word-- > 0;) {
            for (std::uint64_t left = bits[word]; left != 0;) {
                const int highest = 63 - std::countl_zero(left);
                left ^= std::uint64_t{1} << highest;
                family.members.push_back(
                    static_cast<std::uint16_t>(word * 64 + static_cast<std::size_t>(highest)));
            }
        }
        result.push_back(std::move(family));
    };
    if (sums.rows() != nullptr) {
        const std::vector<std::uint64_t> all(sums.words(), ~std::uint64_t{0});
        sums.rows()->for_each(all.data(), nullptr, add);
    } else {
        for (std::size_t place = 0; place < sums.count(); ++place) {
            add(static_cast<std::int64_t>(place), sums.weight(static_cast<std::int64_t>(place)));
        }
    }
    return result;
}

// Numbers the sets of up to `most` of `places` members.
class Ranks {
  public:
    Ranks(std::size_t places, std::size_t most) : rows_(most + 1) {
        // rows_[k][m]: subsets of k of the first m; first_[k]: sets of fewer than k.
        for (std::size_t k = 0; k <= most; ++k) {
            for (std::size_t m = 0; m <= places; ++m) {
                rows_[k].push_back(k == 0 ? 1 : m == 0 ? 0 : rows_[k][m - 1] + rows_[k - 1][m - 1]);
            }
            first_.push_back(k == 0 ? 0 : first_[k - 1] + rows_[k - 1][places]);
        }
        count_ = first_[most] + rows_[most][places];
    }

    std::size_t count() const { return count_; }

    // Of the descending members but the one at `left_out`.
    std::size_t of(const std::vector<std::uint16_t>& members, std::size_t left_out) const {
        const std::size_t size = members.size() - (left_out < members.size() ? 1 : 0);
        std::size_t rank = first_[size];
        std::size_t k = size;
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (i != left_out) rank += rows_[k--][members[i]];
        }
        return rank;
    }

  private:
    std::vector<std::vector<std::size_t>> rows_;
    std::vector<std::size_t> first_;
    std::size_t count_ = 0;
};

// Removes the families that are light; smaller ones come first.
void leave_out_light(std::vector<Family>& families, std::size_t places) {
    const std::size_t most = families.empty() ? 0 : families.back().members.size();
    if (most == 0 || std::pow(static_cast<double>(places), static_cast<double>(most)) > 1e12)
        return;
    const Ranks ranks(places, most);
    if (ranks.count() * most > most_ranked) return;
    // By family and member of it: the heaviest subset of the family that has the member.
    std::vector<float> best(ranks.count() * most, -std::numeric_limits<float>::infinity());
    std::erase_if(families, [&](const Family& family) {
        const std::size_t size = family.members.size();
        const std::size_t own = ranks.of(family.members, size);
        bool all_light = size > 0;
        for (std::size_t u = 0; u < size; ++u) {
            const std::size_t smaller = ranks.of(family.members, u);
            for (std::size_t t = 0; t < size; ++t) {
                if (t == u) continue;
                float& here = best[own * most + t];
                here = std::max(here, best[smaller * most + t - (t > u ? 1 : 0)]);
            }
        }
        for (std::size_t t = 0; t < size; ++t) {
            float& here = best[own * most + t];
            all_light = all_light && static_cast<double>(here) > family.weight + light;
            here = std::max(here, static_cast<float>(family.weight));
        }
        return all_light;
    });
}

}  // namespace

std::optional<FamilyTrie> FamilyTrie::of(const NodeSums& sums, std::size_t places) {
    std::vector<Family> kept = families_of(sums);
    std::stable_sort(kept.begin(), kept.end(), [](const Family& a, const Family& b) {
        return a.members.size() < b.members.size();
    });
    leave_out_light(kept, places);
    FamilyTrie trie;
    trie.places_ = places;
    double lightest = std::numeric_limits<double>::infinity();
    double heaviest = minus_infinity;
    for (const Family& family : kept) {
        lightest = std::min(lightest, family.weight);
        heaviest = std::max(heaviest, family.weight);
    }
    if (kept.empty()) return trie;
    if (heaviest - lightest > widest_range) return std::nullopt;
    trie.log_unit_ = (heaviest + lightest) / 2.0;

    // Sets that others begin with become prefixes; the others are leaves of one.
    std::map<std::vector<std::uint16_t>, double> prefixes = {{{}, 0.0}};
    std::map<std::vector<std::uint16_t>, std::vector<std::pair<std::uint16_t, double>>> rows;
    for (const Family& family : kept) {
        std::vector<std::uint16_t> prefix = family.members;
        while (!prefix.empty()) {
            prefix.pop_back();
            if (!prefixes.emplace(prefix, 0.0).second) break;
        }
    }
    for (const Family& family : kept) {
        const double weight = exp_of_minus(trie.log_unit_ - family.weight);
        if (const auto found = prefixes.find(family.members); found != prefixes.end()) {
            found->second = weight;
        } else {
            std::vector<std::uint16_t> prefix = family.members;
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
            trie.prefixes_.push_back(
                {prefix.back(), static_cast<std::uint16_t>(prefix.size()), 0, row, weight});
            trie.depth_ = std::max(trie.depth_, prefix.size());
        }
        if (const auto found = rows.find(prefix); found != rows.end()) {
            std::sort(found->second.begin(), found->second.end());
            for (const auto& [member, leaf_weight] : found->second) {
                trie.leaf_members_.push_back(member);
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
            // Those that are not allowed go where nobody looks: faster than to ask.
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
