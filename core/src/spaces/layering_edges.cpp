// What comes before each part, and the families that agree with it.
#include "layering_edges.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "arcwise/orders/bucket_programme.hpp"
#include "arcwise/sums/log_space.hpp"
#include "layer_folds.hpp"
#include "layer_numbers.hpp"
#include "orders/given_predecessors.hpp"

namespace arcwise {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// out[S] = sum over t of weights[t] * product over i in S of factors[i][t].
template <class Number>
void unfold(const std::vector<Number>& weights, const std::vector<const Number*>& factors,
            std::size_t element, std::size_t set, std::vector<Number>& out) {
    if (element == factors.size()) {
        Number sum(0.0);
        for (const Number& weight : weights) sum += weight;
        out[set] = sum;
        return;
    }
    unfold(weights, factors, element + 1, set, out);
    std::vector<Number> with = weights;
    for (std::size_t t = 0; t < with.size(); ++t) with[t] = with[t] * factors[element][t];
    unfold(with, factors, element + 1, set | std::size_t{1} << element, out);
}

// From weights[T] to sums over the T that meet C, for all C. Element by element a bit of T becomes
// one of C; no difference is taken.
template <class Number>
void sum_over_meeting(std::vector<Number>& weights) {
    std::vector<Number> missing = weights;
    std::fill(weights.begin(), weights.end(), Number(0.0));
    for (std::size_t half = 1; half < weights.size(); half *= 2) {
        for (std::size_t first = 0; first < weights.size(); first += 2 * half) {
            for (std::size_t i = first; i < first + half; ++i) {
                const Number meeting = weights[i] + weights[i + half];
                weights[i] = meeting;
                weights[i + half] = meeting + missing[i + half];
                missing[i + half] = missing[i] + missing[i + half];
                std::swap(missing[i], missing[i + half]);
            }
        }
    }
}

template <class Number>
std::vector<const Number*> without(const std::vector<const Number*>& factors,
                                   std::size_t left_out) {
    std::vector<const Number*> result = factors;
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(left_out));
    return result;
}

// values[S + element] for all sets S of the other elements.
template <class Number>
std::vector<Number> with_element(const std::vector<Number>& values, std::size_t element) {
    std::vector<Number> result;
    for (std::size_t set = 0; set < values.size(); ++set) {
        if ((set >> element & 1) != 0) result.push_back(values[set]);
    }
    return result;
}

}  // namespace

template <class Number>
bool LayeringEdges<Number>::add(double scale, double* edges) {
    scale_ = scale;
    edges_ = edges;
    forward_.assign(1, Number(1.0));
    lost_ = -1e9;
    for (std::size_t layer = 0; layer < programme_.layers().count(); ++layer) {
        if (!(programme_.divided(layer) ? add_divided(layer) : add_whole(layer))) return false;
    }
    return true;
}

template <>
bool LayeringEdges<double>::enough(const double& total, double bits) const {
    constexpr double lost_in_a_layer = -930.0;
    return total > 0.0 && std::log2(total) - 60.0 > std::max(lost_, lost_in_a_layer) + bits;
}

template <>
bool LayeringEdges<Extended>::enough(const Extended&, double) const {
    return true;
}

template <>
void LayeringEdges<double>::normalise(Values& numbers) {
    constexpr double lost_in_a_layer = -930.0;
    int power = 0;
    std::frexp(*std::max_element(numbers.begin(), numbers.end()), &power);
    for (double& number : numbers) number = std::ldexp(number, -power);
    lost_ = std::max(lost_, lost_in_a_layer) + 1.0 - power;
}

template <>
void LayeringEdges<Extended>::normalise(Values&) {}

template <class Number>
bool LayeringEdges<Number>::add_whole(std::size_t layer) {
    const auto in = programme_.entry(layer);
    const Number after = programme_.message(layer + 1)->values[0];
    const std::size_t count = programme_.layers().size(layer);
    // Products over the members before and after each.
    std::vector<Values> earlier(count + 1, forward_);
    for (std::size_t i = 0; i < count; ++i) {
        earlier[i + 1] = earlier[i];
        for (std::size_t t = 0; t < in->length; ++t) {
            earlier[i + 1][t] = earlier[i][t] * in->meets(i)[t];
        }
    }
    Number total(0.0);
    for (const Number& weight : earlier[count]) total += weight * after;
    if (!enough(total, 1.0)) return false;
    Values later(in->length, after);
    for (std::size_t i = count; i-- > 0;) {
        Values weights = earlier[i];
        for (std::size_t t = 0; t < in->length; ++t) weights[t] = weights[t] * later[t];
        add_entry(layer, i, in->log_sums[i], weights, total);
        for (std::size_t t = 0; t < in->length; ++t) later[t] = later[t] * in->meets(i)[t];
    }
    forward_.assign(1, Number(1.0));
    lost_ = -1e9;
    return true;
}

template <class Number>
bool LayeringEdges<Number>::add_divided(std::size_t layer) {
    const std::span<const int> members = programme_.layers().members(layer);
    const std::size_t count = members.size();
    const auto in = programme_.entry(layer);
    const auto own = programme_.tables(layer);
    const auto onward = programme_.onward(layer);
    const SubsetPairs& pairs = *own->pairs;
    const std::size_t all = pairs.sets() - 1;

    Values first;
    programme_.first_parts(layer, *onward, first);
    std::vector<const Number*> factors;
    for (std::size_t i = 0; i < count; ++i) factors.push_back(in->meets(i));
    Values ways(pairs.sets());
    unfold(forward_, factors, 0, 0, ways);
    Number total(0.0);
    for (std::size_t set = 1; set <= all; ++set) total += ways[set] * first[set];
    if (!enough(total, 4.0 * static_cast<double>(count))) return false;
    Values weights(in->length);
    for (std::size_t i = 0; i < count; ++i) {
        const Values rest = with_element(first, i);
        fold(rest.data(), without(factors, i).data(), count - 1, in->length, weights.data(),
             scratch_);
        for (std::size_t t = 0; t < in->length; ++t) weights[t] = weights[t] * forward_[t];
        add_entry(layer, i, in->log_sums[i], weights, total);
    }

    // Within the layer; before[(D, T)] is what leads to D with the last part T.
    Values before(pairs.size(), Number(0.0));
    for (std::size_t set = 1; set <= all; ++set) {
        const std::size_t place = pairs.additions(0)[set];
        // The layer before leaves no room for a first part that would have fitted into it.
        if (positive(first[set])) before[place] = own->shares[place] * ways[set];
    }
    std::vector<std::vector<double>> log_factors(
        count, std::vector<double>(pairs.sets() / 2, minus_infinity));
    Values values;
    for (std::size_t set = 1; set < all; ++set) {
        std::vector<std::size_t> rest;
        factors.clear();
        for (std::size_t left = all ^ set; left != 0; left &= left - 1) {
            rest.push_back(static_cast<std::size_t>(std::countr_zero(left)));
            factors.push_back(own->meets(rest.back(), set));
        }
        const std::size_t subsets = std::size_t{1} << std::popcount(set);
        const auto begin = before.begin() + static_cast<std::ptrdiff_t>(pairs.block(set));
        const Values here(begin, begin + static_cast<std::ptrdiff_t>(subsets));
        const std::uint32_t* const additions = pairs.additions(set);
        values.assign(std::size_t{1} << rest.size(), Number(0.0));
        for (std::size_t added = 1; added < values.size(); ++added) {
            values[added] = (*onward)[additions[added]];
        }
        ways.resize(values.size());
        unfold(here, factors, 0, 0, ways);
        for (std::size_t added = 1; added < values.size(); ++added) {
            const std::size_t place = additions[added];
            before[place] += own->shares[place] * ways[added];
        }
        weights.resize(subsets);
        for (std::size_t i = 0; i < rest.size(); ++i) {
            const double log_sum = own->log_sum(rest[i], set);
            if (log_sum == minus_infinity) continue;
            const Values others = with_element(values, i);
            fold(others.data(), without(factors, i).data(), rest.size() - 1, subsets,
                 weights.data(), scratch_);
            for (std::size_t t = 0; t < subsets; ++t) weights[t] = weights[t] * here[t];
            sum_over_meeting(weights);
            const std::size_t without_own = without_member(set, rest[i]);
            for (std::size_t held = 1; held < subsets; ++held) {
                if (!positive(weights[held])) continue;
                double& factor = log_factors[rest[i]][SubsetPairs::expand(without_own, held)];
                factor = log_add(factor, log_of(weights[held]) - log_of(total) - log_sum);
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        const int node = members[i];
        std::vector<int> places;
        for (std::size_t other = 0; other < count; ++other) {
            if (other != i) places.push_back(sums_.place(node, members[other]));
        }
        std::vector<double> by_place(sums_.possible_parents(node).size(), 0.0);
        sums_[node].families().add_parent_probabilities(
            sums_.bits(node, programme_.layers().before(layer)).data(), places,
            log_factors[i].data(), by_place.data());
        add_parents_to_edges(sums_, node, scale_, by_place, edges_);
    }
    const auto last = before.begin() + static_cast<std::ptrdiff_t>(pairs.block(all));
    forward_.assign(last, before.end());
    lost_ += 4.0 * static_cast<double>(count);
    normalise(forward_);
    return true;
}

template <class Number>
void LayeringEdges<Number>::add_entry(std::size_t layer, std::size_t member, double log_sum,
                                      Values& weights, const Number& total) {
    if (layer == 0 || log_sum == minus_infinity) return;
    const Layers& layers = programme_.layers();
    const int node = layers.members(layer)[member];
    std::vector<double> by_place(sums_.possible_parents(node).size(), 0.0);
    const SortedFamilies& families = sums_[node].families();
    if (programme_.divided(layer - 1)) {
        sum_over_meeting(weights);
        std::vector<double> log_factors;
        for (const Number& weight : weights) {
            log_factors.push_back(log_of(weight) - log_of(total) - log_sum);
        }
        std::vector<int> places;
        for (const int other : layers.members(layer - 1)) {
            places.push_back(sums_.place(node, other));
        }
        families.add_parent_probabilities(sums_.bits(node, layers.before(layer - 1)).data(), places,
                                          log_factors.data(), by_place.data());
    } else if (positive(weights[0])) {
        families.add_parent_probabilities(sums_.bits(node, layers.before(layer)).data(),
                                          sums_.bits(node, layers.members(layer - 1)).data(),
                                          log_of(weights[0]) - log_of(total) - log_sum,
                                          by_place.data());
    }
    add_parents_to_edges(sums_, node, scale_, by_place, edges_);
}

template class LayeringEdges<double>;
template class LayeringEdges<Extended>;

}  // namespace arcwise
