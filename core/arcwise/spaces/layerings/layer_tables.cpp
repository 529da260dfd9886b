// The tables of a layer, pair by pair of subsets.
#include "arcwise/spaces/layerings/layer_tables.hpp"

#include <algorithm>
#include <bit>

#include "arcwise/numerics/extended.hpp"
#include "arcwise/numerics/log_space.hpp"

namespace arcwise {
namespace {

std::size_t position(std::size_t set) { return static_cast<std::size_t>(std::countr_zero(set)); }

}  // namespace

template <class Number>
void LayerTables<Number>::fill(LayerSums& sums, const PairLayouts& layouts,
                               std::span<const int> members,
                               std::span<const std::vector<std::uint64_t>> bases) {
    const std::size_t count = members.size();
    pairs = &layouts[count];
    pairs_of_others = &layouts[count - 1];
    const std::size_t sets = pairs_of_others->sets();
    log_sums_.resize(count * sets);
    meets_.resize(count * pairs_of_others->size());
    misses_.resize(meets_.size());
    std::vector<Number> holds(count * sets);
    std::vector<Number> lacks(count * sets);
    std::vector<int> places;
    for (std::size_t member = 0; member < count; ++member) {
        places.clear();
        for (std::size_t other = 0; other < count; ++other) {
            if (other != member) {
                places.push_back(sums.sums().place(members[member], members[other]));
            }
        }
        sums.fill(members[member], bases[member].data(), places, log_sums_.data() + member * sets,
                  holds.data(), lacks.data());
        fill_meets(member, holds.data(), lacks.data());
    }
    fill_shares();
}

// A family meets T if it holds the last member t of T, or lacks it and meets the others.
template <class Number>
void LayerTables<Number>::fill_meets(std::size_t member, const Number* holds, const Number* lacks) {
    const SubsetPairs& others = *pairs_of_others;
    Number* const meets_of_member = meets_.data() + member * others.size();
    Number* const misses_of_member = misses_.data() + member * others.size();
    for (std::size_t set = 0; set < others.sets(); ++set) {
        Number* const meeting = meets_of_member + others.block(set);
        Number* const missing = misses_of_member + others.block(set);
        meeting[0] = Number(0);
        missing[0] = Number(1);
        std::size_t half = 1;
        for (std::size_t left = set; left != 0; left &= left - 1, half *= 2) {
            const std::size_t t = position(left);
            const std::size_t rest = others.block(set ^ (std::size_t{1} << t));
            const Number held = holds[t * others.sets() + set];
            const Number lacked = lacks[t * others.sets() + set];
            for (std::size_t i = 0; i < half; ++i) {
                meeting[half + i] = held + lacked * meets_of_member[rest + i];
                missing[half + i] = lacked * misses_of_member[rest + i];
            }
        }
    }
}

template <class Number>
void LayerTables<Number>::fill_shares() {
    const std::size_t sets = pairs->sets();
    const std::size_t all = sets - 1;
    std::vector<double> best(sets, minus_infinity);
    best[all] = 0.0;
    for (std::size_t set = all; set-- > 0;) {
        for (std::size_t left = all ^ set; left != 0; left &= left - 1) {
            const std::size_t v = position(left);
            best[set] = std::max(best[set], log_sum(v, set) + best[set | (std::size_t{1} << v)]);
        }
    }
    log_scale = best[0] == minus_infinity ? 0.0 : best[0];
    // A part S + v after D is the part S, then v with the parents it has without S: with E = D + S,
    // shares(E + v, S + v) = shares(E, S) * e^(ln tau_v(E) + Phi(E + v) - Phi(E))
    //                        * tau_v(E - S) / tau_v(E).
    shares.resize(pairs->size());
    for (std::size_t set = 0; set < sets; ++set) {
        Number* const own = shares.data() + pairs->block(set);
        own[0] = Number(1);
        std::size_t half = 1;
        for (std::size_t left = set; left != 0; left &= left - 1, half *= 2) {
            const std::size_t v = position(left);
            const std::size_t earlier = set ^ (std::size_t{1} << v);
            const Number* const from = shares.data() + pairs->block(earlier);
            const Number* const missing = misses_.data() + place(v, earlier);
            const double log_step = best[earlier] == minus_infinity
                                        ? minus_infinity
                                        : log_sum(v, earlier) + best[set] - best[earlier];
            const Number step = share_of_log<Number>(log_step);
            for (std::size_t i = 0; i < half; ++i) own[half + i] = from[i] * step * missing[i];
        }
    }
}

template struct LayerTables<double>;
template struct LayerTables<Extended>;
template struct LayerTables<float>;

}  // namespace arcwise
