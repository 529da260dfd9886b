// The shares from differences of sums, and from sums of single families where those lose digits.
#include "arcwise/sums/layers/layer_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "arcwise/numerics/extended.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// Below this difference of two logarithms the families between them are added up; as in NodeSums.
constexpr double smallest_gap = 0x1p-7;

float not_zero(double share) { return share > 0.0 ? 1.0F : 0.0F; }

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

}  // namespace arcwise
