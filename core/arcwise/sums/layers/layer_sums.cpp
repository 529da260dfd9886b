// The shares from differences of sums, and from sums of single families where those lose digits. In
// doubles, sums of positive numbers give them: look-ups where a node has tables, else its families
// added up by the members of the layer that they hold.
#include "arcwise/sums/layers/layer_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "arcwise/numerics/extended.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// Below this difference of two logarithms the families between them are added up, as in NodeSums.
constexpr double smallest_gap = 0x1p-7;

float not_zero(double share) { return share > 0.0 ? 1.0F : 0.0F; }

// A share that is not zero stays so; see share_of_log.
double as_share(double part, double reciprocal) {
    constexpr double smallest = 0x1p-1000;
    const double share = part * reciprocal;
    return part > 0.0 ? std::max(share, smallest) : 0.0;
}

}  // namespace

void LayerSums::allow(ParentBits base, std::span<const int> places, std::size_t set) {
    const std::size_t words = sums_.words();
    allowed_.assign(base, base + words);
    for (std::size_t left = set; left != 0; left &= left - 1) {
        const int place = places[static_cast<std::size_t>(std::countr_zero(left))];
        if (place >= 0) put_member(allowed_.data(), place);
    }
}

template <class Number>
void LayerSums::split(int node, double log_sum, double log_sum_without, ParentBits allowed,
                      int place, Number& holds, Number& lacks) {
    const double gap = log_sum - log_sum_without;
    if (log_sum == minus_infinity || place < 0) {
        holds = Number(0.0);
        lacks = Number(1.0);
    } else if (log_sum_without == minus_infinity) {
        holds = Number(1.0);
        lacks = Number(0.0);
    } else if (gap > smallest_gap) {
        holds = share_of_log<Number>(std::log(-std::expm1(-gap)));
        lacks = share_of_log<Number>(-gap);
    } else {
        required_.assign(sums_.words(), 0);
        put_member(required_.data(), place);
        const double meeting = sums_[node].log_sum(allowed, required_.data(), memo_) - log_sum;
        holds = share_of_log<Number>(meeting);
        lacks = Number(1.0 - std::exp(meeting));
    }
}

template <class Number>
void LayerSums::fill(int node, ParentBits base, std::span<const int> places, double* log_sums,
                     Number* holds, Number* lacks) {
    if constexpr (std::is_same_v<Number, double>) {
        if (const HolderTable* table = families_.table(node)) {
            return look_up(*table, node, base, places, log_sums, holds, lacks);
        }
        if (const FamilyTrie* trie = families_.trie(node)) {
            return add_up(*trie, base, places, log_sums, holds, lacks);
        }
    }
    sums_[node].log_sums_over(base, places, log_sums);
    const std::size_t sets = std::size_t{1} << places.size();
    for (std::size_t set = 0; set < sets; ++set) {
        allow(base, places, set);
        for (std::size_t left = set; left != 0; left &= left - 1) {
            const auto t = static_cast<std::size_t>(std::countr_zero(left));
            const std::size_t without = set ^ (std::size_t{1} << t);
            split(node, log_sums[set], log_sums[without], allowed_.data(), places[t],
                  holds[t * sets + set], lacks[t * sets + set]);
        }
    }
}

template <class Number>
double LayerSums::fill_without(int node, ParentBits base, std::span<const int> places,
                               Number* holds, Number* lacks) {
    if constexpr (std::is_same_v<Number, double>) {
        if (const HolderTable* table = families_.table(node)) {
            return look_up_without(*table, node, base, places, holds, lacks);
        }
        if (const FamilyTrie* trie = families_.trie(node)) {
            return add_up_without(*trie, base, places, holds, lacks);
        }
    }
    const std::size_t sets = std::size_t{1} << places.size();
    log_sums_.resize(sets);
    sums_[node].log_sums_over(base, places, log_sums_.data());
    for (std::size_t t = 0; t < places.size(); ++t) {
        const std::size_t bit = std::size_t{1} << t;
        for (std::size_t taken = 0; taken < bit; ++taken) {
            const std::size_t set = (sets - 1) ^ taken;
            allow(base, places, set);
            split(node, log_sums_[set], log_sums_[set ^ bit], allowed_.data(), places[t],
                  holds[bit + taken], lacks[bit + taken]);
        }
    }
    return log_sums_[sets - 1];
}

template <>
void LayerSums::fill(int node, ParentBits base, std::span<const int> places, double* log_sums,
                     float* holds, float* lacks) {
    const std::size_t count = places.size() << places.size();
    plain_holds_.assign(count, 0.0);
    plain_lacks_.assign(count, 0.0);
    fill(node, base, places, log_sums, plain_holds_.data(), plain_lacks_.data());
    std::transform(plain_holds_.begin(), plain_holds_.end(), holds, not_zero);
    std::transform(plain_lacks_.begin(), plain_lacks_.end(), lacks, not_zero);
}

template <>
double LayerSums::fill_without(int node, ParentBits base, std::span<const int> places, float* holds,
                               float* lacks) {
    plain_holds_.assign(std::size_t{1} << places.size(), 0.0);
    plain_lacks_.assign(plain_holds_.size(), 0.0);
    const double log_sum =
        fill_without(node, base, places, plain_holds_.data(), plain_lacks_.data());
    std::transform(plain_holds_.begin(), plain_holds_.end(), holds, not_zero);
    std::transform(plain_lacks_.begin(), plain_lacks_.end(), lacks, not_zero);
    return log_sum;
}

template void LayerSums::fill(int, ParentBits, std::span<const int>, double*, double*, double*);
template void LayerSums::fill(int, ParentBits, std::span<const int>, double*, Extended*, Extended*);
template double LayerSums::fill_without(int, ParentBits, std::span<const int>, double*, double*);
template double LayerSums::fill_without(int, ParentBits, std::span<const int>, Extended*,
                                        Extended*);

std::size_t LayerSums::lay_out(int node, ParentBits base, std::span<const int> places) {
    const NodeSums& own = sums_[node];
    const std::size_t tabulated = std::size_t{1} << own.candidates();
    sets_.resize(std::size_t{1} << places.size());
    sets_[0] = base[0] & (tabulated - 1);
    std::size_t needed = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::size_t bit = std::size_t{1} << i;
        const bool candidate = places[i] >= 0 && std::size_t{1} << places[i] < tabulated;
        if (places[i] >= 0 && !candidate) needed |= bit;
        const std::size_t own_bit = candidate ? std::size_t{1} << places[i] : 0;
        for (std::size_t set = 0; set < bit; ++set) sets_[bit + set] = sets_[set] | own_bit;
    }
    return needed;
}

void LayerSums::look_up(const HolderTable& table, int node, ParentBits base,
                        std::span<const int> places, double* log_sums, double* holds,
                        double* lacks) {
    const std::size_t needed = lay_out(node, base, places);
    const std::size_t sets = sets_.size();
    sums_[node].log_sums_over(base, places, log_sums);
    for (std::size_t t = 0; t < places.size(); ++t) {
        const std::size_t bit = std::size_t{1} << t;
        double* const held = holds + t * sets;
        double* const lacked = lacks + t * sets;
        if (places[t] < 0 || (needed & bit) != 0) {
            // In no family, or in every one.
            const double share = places[t] < 0 ? 0.0 : 1.0;
            std::fill_n(held, sets, share);
            std::fill_n(lacked, sets, 1.0 - share);
            continue;
        }
        const auto place = static_cast<std::size_t>(places[t]);
        for (std::size_t first = bit; first < sets; first += 2 * bit) {
            for (std::size_t set = first; set < first + bit; ++set) {
                const HolderTable::Shares shares = table.at(place, sets_[set]);
                held[set] = shares.holds;
                lacked[set] = shares.lacks;
            }
        }
    }
}

double LayerSums::look_up_without(const HolderTable& table, int node, ParentBits base,
                                  std::span<const int> places, double* holds, double* lacks) {
    const std::size_t needed = lay_out(node, base, places);
    const std::size_t all = sets_.size() - 1;
    for (std::size_t t = 0; t < places.size(); ++t) {
        const std::size_t bit = std::size_t{1} << t;
        if (places[t] < 0 || (needed & bit) != 0) {
            const double share = places[t] < 0 ? 0.0 : 1.0;
            std::fill_n(holds + bit, bit, share);
            std::fill_n(lacks + bit, bit, 1.0 - share);
            continue;
        }
        const auto place = static_cast<std::size_t>(places[t]);
        for (std::size_t taken = 0; taken < bit; ++taken) {
            const HolderTable::Shares shares = table.at(place, sets_[all ^ taken]);
            holds[bit + taken] = shares.holds;
            lacks[bit + taken] = shares.lacks;
        }
    }
    allow(base, places, all);
    return sums_[node].log_sum(allowed_.data());
}

void LayerSums::sum_by_places(const FamilyTrie& trie, ParentBits base,
                              std::span<const int> places) {
    const auto outside = static_cast<std::uint16_t>(1 << places.size());
    codes_.resize(trie.places());
    for (std::size_t place = 0; place < codes_.size(); ++place) {
        codes_[place] = has_member(base, place) ? std::uint16_t{0} : outside;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] >= 0) {
            codes_[static_cast<std::size_t>(places[i])] = static_cast<std::uint16_t>(1 << i);
        }
    }
    parts_.assign(std::size_t{2} << places.size(), 0.0);
    trie.add(codes_.data(), outside, parts_.data());
    const auto sets = static_cast<std::ptrdiff_t>(outside);
    wholes_.assign(parts_.begin(), parts_.begin() + sets);
    sum_over_subsets(wholes_.data(), static_cast<int>(places.size()));
}

void LayerSums::add_up(const FamilyTrie& trie, ParentBits base, std::span<const int> places,
                       double* log_sums, double* holds, double* lacks) {
    sum_by_places(trie, base, places);
    const std::size_t sets = wholes_.size();
    for (std::size_t set = 0; set < sets; ++set) {
        log_sums[set] =
            wholes_[set] > 0.0 ? log_kernel(wholes_[set], trie.log_unit()) : minus_infinity;
    }
    holding_.resize(sets / 2);
    for (std::size_t t = 0; t < places.size(); ++t) {
        const std::size_t bit = std::size_t{1} << t;
        std::size_t next = 0;
        for (std::size_t first = bit; first < sets; first += 2 * bit) {
            for (std::size_t set = first; set < first + bit; ++set) holding_[next++] = parts_[set];
        }
        sum_over_subsets(holding_.data(), static_cast<int>(places.size()) - 1);
        next = 0;
        for (std::size_t first = bit; first < sets; first += 2 * bit) {
            for (std::size_t set = first; set < first + bit; ++set, ++next) {
                const bool none = !(wholes_[set] > 0.0);
                const double reciprocal = none ? 0.0 : 1.0 / wholes_[set];
                holds[t * sets + set] = as_share(holding_[next], reciprocal);
                lacks[t * sets + set] = none ? 1.0 : as_share(wholes_[set ^ bit], reciprocal);
            }
        }
    }
}

double LayerSums::add_up_without(const FamilyTrie& trie, ParentBits base,
                                 std::span<const int> places, double* holds, double* lacks) {
    sum_by_places(trie, base, places);
    const std::size_t all = wholes_.size() - 1;
    // A family may have the places above t or not: they are summed out, last to first.
    for (std::size_t t = places.size(); t-- > 0;) {
        const std::size_t bit = std::size_t{1} << t;
        holding_.assign(parts_.begin() + static_cast<std::ptrdiff_t>(bit),
                        parts_.begin() + static_cast<std::ptrdiff_t>(2 * bit));
        for (std::size_t set = 0; set < bit; ++set) parts_[set] += parts_[set + bit];
        sum_over_subsets(holding_.data(), static_cast<int>(t));
        for (std::size_t taken = 0; taken < bit; ++taken) {
            const double whole = wholes_[all ^ taken];
            const bool none = !(whole > 0.0);
            const double reciprocal = none ? 0.0 : 1.0 / whole;
            holds[bit + taken] = as_share(holding_[(bit - 1) ^ taken], reciprocal);
            lacks[bit + taken] = none ? 1.0 : as_share(wholes_[all ^ taken ^ bit], reciprocal);
        }
    }
    return wholes_[all] > 0.0 ? log_kernel(wholes_[all], trie.log_unit()) : minus_infinity;
}

}  // namespace arcwise
