// The recursion layer by layer: within a layer, and from its first part to the layer before.
#include "arcwise/spaces/layerings/layering_recursion.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

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

namespace {

// What one layer can lose of numbers of at most one, as log2: shares below 2^-1000, on every way
// through up to twelve members.
constexpr double lost_in_a_layer = -930.0;
constexpr double ways_per_member = 4.0;  // log2; there are fewer ordered partitions than 16^b

// So many values of a kind that they take this much memory, but at least a few.
std::size_t slots(std::size_t numbers, std::size_t size) {
    constexpr std::size_t memory = std::size_t{1} << 22;
    return std::clamp<std::size_t>(memory / (numbers * size), 6, 1024) | 1;
}

std::size_t pairs_of(int members) {
    return static_cast<std::size_t>(std::pow(3.0, static_cast<double>(members)));
}

}  // namespace

template <class Number>
LayeringRecursion<Number>::LayeringRecursion(const Layerings& space,
                                             std::function<bool(std::size_t)> has_partition)
    : space_(space),
      layouts_(space.layouts()),
      has_partition_(std::move(has_partition)),
      keys_(space.nodes()),
      sums_(space.weights().sums(), space.families()),
      kept_tables_(slots(pairs_of(std::min(space.max_size(), space.nodes())) * 4, sizeof(Number))),
      kept_entries_(
          slots(pairs_of(std::min(space.max_size(), space.nodes())) / 2 + 1, sizeof(Number))),
      kept_onward_(slots(pairs_of(std::min(space.max_size(), space.nodes())), sizeof(Number))),
      kept_messages_(1023) {}

template <class Number>
void LayeringRecursion<Number>::set(const Parts& layers) {
    layers_ = &layers;
    keys_.set(layers);
}

template <class Number>
auto LayeringRecursion<Number>::tables(std::size_t layer) -> std::shared_ptr<const Tables> {
    return kept_tables_.get(keys_.within(layer), [&](Tables& tables) { fill(layer, tables); });
}
template <class Number>
auto LayeringRecursion<Number>::entry(std::size_t layer) -> std::shared_ptr<const Entry> {
    return kept_entries_.get(keys_.entry(layer), [&](Entry& entry) { fill(layer, entry); });
}
template <class Number>
auto LayeringRecursion<Number>::onward(std::size_t layer) -> std::shared_ptr<const Onward> {
    return kept_onward_.get(keys_.tail(layer), [&](Onward& onward) { fill(layer, onward); });
}
template <class Number>
auto LayeringRecursion<Number>::message(std::size_t layer) -> std::shared_ptr<const Message> {
    return kept_messages_.get(keys_.tail_and_previous(layer),
                              [&](Message& message) { fill(layer, message); });
}

template <class Number>
std::vector<std::uint64_t> LayeringRecursion<Number>::bits(int node,
                                                           std::span<const int> nodes) const {
    std::vector<std::uint64_t> result(sums_.sums().words(), 0);
    for (const int other : nodes) space_.weights().flip(result.data(), node, other);
    return result;
}

template <class Number>
void LayeringRecursion<Number>::fill(std::size_t layer, Tables& tables) {
    std::vector<std::vector<std::uint64_t>> bases;
    for (const int node : layers_->members(layer)) {
        bases.push_back(bits(node, layers_->before(layer)));
    }
    tables.fill(sums_, layouts_, layers_->members(layer), bases);
}

template <class Number>
void LayeringRecursion<Number>::fill(std::size_t layer, Entry& entry) {
    const std::span<const int> members = layers_->members(layer);
    entry.length = layer == 0 ? 1 : endings(layer - 1);
    entry.log_sums.resize(members.size());
    entry.meets_.resize(members.size() * entry.length);
    for (std::size_t member = 0; member < members.size(); ++member) {
        const int node = members[member];
        Number* const meets = entry.meets_.data() + member * entry.length;
        double& log_sum = entry.log_sums[member];
        if (layer == 0) {
            log_sum = sums_.sums()[node].log_sum(bits(node, {}).data());
            meets[0] = Number(1);
        } else if (!divided(layer - 1)) {
            const auto allowed = bits(node, layers_->before(layer));
            const auto required = bits(node, layers_->members(layer - 1));
            log_sum = sums_.sums()[node].log_sum(allowed.data());
            const double meeting = sums_.log_sum(node, allowed.data(), required.data());
            meets[0] =
                meeting == minus_infinity ? Number(0) : share_of_log<Number>(meeting - log_sum);
        } else {
            fill_entry(node, bits(node, layers_->before(layer - 1)), layer - 1, log_sum, meets);
        }
    }
}

// A family meets T + t if it meets T, or misses it and holds t.
template <class Number>
void LayeringRecursion<Number>::fill_entry(int node, std::span<const std::uint64_t> before,
                                           std::size_t previous, double& log_sum, Number* meets) {
    std::vector<int> places;
    for (const int other : layers_->members(previous)) {
        places.push_back(sums_.sums().place(node, other));
    }
    const std::size_t sets = std::size_t{1} << places.size();
    holds_.resize(sets);
    lacks_.resize(sets);
    log_sum = sums_.fill_without(node, before.data(), places, holds_.data(), lacks_.data());
    meets[0] = Number(0);
    lacks_[0] = Number(1);
    for (std::size_t bit = 1; bit < sets; bit *= 2) {
        for (std::size_t set = 0; set < bit; ++set) {
            meets[bit + set] = meets[set] + lacks_[set] * holds_[bit + set];
            lacks_[bit + set] = lacks_[set] * lacks_[bit + set];
        }
    }
}

template <class Number>
void LayeringRecursion<Number>::fill(std::size_t layer, Onward& onward) {
    const auto after = message(layer + 1);
    const auto own = tables(layer);
    const SubsetPairs& pairs = *own->pairs;
    const std::size_t all = pairs.sets() - 1;
    onward.resize(pairs.size());
    values_.resize(pairs.sets());
    folded_.resize(pairs.sets());
    const std::size_t whole = pairs.block(all);
    for (std::size_t last = 0; last <= all; ++last) {
        onward[whole + last] = own->shares[whole + last] * after->values[last];
    }
    for (std::size_t set = all - 1; set > 0; --set) {
        const std::size_t rest = all ^ set;
        factors_.clear();
        for (std::size_t left = rest; left != 0; left &= left - 1) {
            factors_.push_back(own->meets(static_cast<std::size_t>(std::countr_zero(left)), set));
        }
        const std::uint32_t* const additions = pairs.additions(set);
        values_[0] = Number(0);
        for (std::size_t added = 1; added < std::size_t{1} << factors_.size(); ++added) {
            values_[added] = onward[additions[added]];
        }
        const std::size_t subsets = std::size_t{1} << std::popcount(set);
        fold(values_.data(), factors_.data(), factors_.size(), subsets, folded_.data(), scratch_);
        const std::size_t block = pairs.block(set);
        for (std::size_t last = 0; last < subsets; ++last) {
            onward[block + last] = own->shares[block + last] * folded_[last];
        }
    }
}

template <class Number>
void LayeringRecursion<Number>::first_parts(std::size_t layer, const Onward& onward,
                                            std::vector<Number>& out) const {
    const SubsetPairs& pairs = layouts_[layers_->size(layer)];
    const std::uint32_t* const additions = pairs.additions(0);
    out.resize(pairs.sets());
    out[0] = Number(0);
    for (std::size_t first = 1; first < pairs.sets(); ++first) {
        const auto size = static_cast<std::size_t>(std::popcount(first));
        const bool allowed = layer == 0 || space_.fit(layers_->size(layer - 1), size);
        out[first] = allowed ? onward[additions[first]] : Number(0);
    }
}

template <class Number>
void LayeringRecursion<Number>::fill(std::size_t layer, Message& result) {
    if (layer == layers_->count()) {
        result.values.assign(endings(layer - 1), Number(1));
        result.log_scale = 0.0;
        result.zero_factors = 0;
        result.lost = -1e9;
        result.passed_over = false;
        return;
    }
    const auto after = message(layer + 1);
    const auto in = entry(layer);
    const std::size_t count = layers_->size(layer);
    result.log_scale = after->log_scale;
    result.zero_factors = after->zero_factors;
    result.passed_over = false;
    result.values.resize(in->length);
    if (divided(layer)) {
        const auto within = onward(layer);
        result.log_scale += tables(layer)->log_scale;
        factors_.clear();
        for (std::size_t member = 0; member < count; ++member) {
            factors_.push_back(in->meets(member));
        }
        first_parts(layer, *within, values_);
        fold(values_.data(), factors_.data(), count, in->length, result.values.data(), scratch_);
    } else {
        std::fill(result.values.begin(), result.values.end(), after->values[0]);
        for (std::size_t member = 0; member < count; ++member) {
            const bool none = in->log_sums[member] == minus_infinity;
            if (!none) result.log_scale += in->log_sums[member];
            for (std::size_t last = 0; last < in->length; ++last) {
                result.values[last] =
                    none ? Number(0) : result.values[last] * in->meets(member)[last];
            }
        }
    }
    const double carried =
        after->lost + (divided(layer) ? ways_per_member * static_cast<double>(count) : 0.0);
    normalise(layer, after->trusted(), std::max(carried, lost_in_a_layer) + 1.0, result);
}

template <>
void LayeringRecursion<double>::normalise(std::size_t layer, bool after_trusted, double lost,
                                          Message& result) {
    const double largest = *std::max_element(result.values.begin(), result.values.end());
    if (after_trusted && !(largest > 0.0) && !has_partition_(layer)) {
        pass_over(layer, result);
        return;
    }
    int power = 0;
    std::frexp(largest, &power);
    result.lost = after_trusted && largest > 0.0 ? lost - power : 0.0;
    if (!result.trusted()) {
        // What is left is an upper bound, for all that comes before.
        std::fill(result.values.begin(), result.values.end(), 1.0);
        result.log_scale += (std::max(largest > 0.0 ? power : lost, lost) + 1.0) * ln2;
        result.lost = 0.0;
        return;
    }
    const double scale = std::ldexp(1.0, -power);
    for (double& value : result.values) value *= scale;
    result.log_scale += power * ln2;
}

template <>
void LayeringRecursion<Extended>::normalise(std::size_t layer, bool, double, Message& result) {
    const bool any = std::any_of(result.values.begin(), result.values.end(),
                                 [](const Extended& value) { return value.positive(); });
    if (!any) pass_over(layer, result);
    result.lost = -1e9;
}

template <>
void LayeringRecursion<float>::normalise(std::size_t layer, bool, double, Message& result) {
    for (float& value : result.values) value = value > 0.0F ? 1.0F : 0.0F;
    const float largest = *std::max_element(result.values.begin(), result.values.end());
    if (!(largest > 0.0F)) pass_over(layer, result);
    result.lost = -1e9;
}

// Every node of the layer counts as it would with all others of the layer before it, unless the
// layer is one part; if all could have parents then, it is the layer that is impossible.
template <class Number>
void LayeringRecursion<Number>::pass_over(std::size_t layer, Message& result) {
    const auto after = message(layer + 1);
    const Number largest = *std::max_element(after->values.begin(), after->values.end());
    LogWeight total{after->log_scale + log_of(largest), after->zero_factors};
    std::vector<int> allowed_nodes(layers_->before(layer).begin(), layers_->before(layer).end());
    std::vector<int> required_nodes;
    if (layer > 0) {
        const auto previous = layers_->members(layer - 1);
        required_nodes.assign(previous.begin(), previous.end());
    }
    const std::span<const int> members = layers_->members(layer);
    const bool divisible = divided(layer) && members.size() > 1;
    if (divisible) {
        allowed_nodes.insert(allowed_nodes.end(), members.begin(), members.end());
        required_nodes.insert(required_nodes.end(), members.begin(), members.end());
    }
    int zero_factors = 0;
    for (const int node : members) {
        const auto allowed = bits(node, allowed_nodes);
        const auto required = bits(node, required_nodes);
        const double sum = layer == 0 ? sums_.sums()[node].log_sum(allowed.data())
                                      : sums_.log_sum(node, allowed.data(), required.data());
        if (sum == minus_infinity) ++zero_factors;
        total.value += sum == minus_infinity ? space_.weights().stand_in(node) : sum;
    }
    result.log_scale = total.value;
    result.zero_factors = total.zero_factors + std::max(zero_factors, 1);
    std::fill(result.values.begin(), result.values.end(), Number(1));
    result.lost = -1e9;
    result.passed_over = true;
}

template <class Number>
LogWeight LayeringRecursion<Number>::weight() {
    const auto all = message(0);
    return {all->log_scale + log_of(all->values[0]), all->zero_factors};
}

template <class Number>
void LayeringRecursion<Number>::draw_partition(Random& random, std::vector<int>& part_of) {
    part_of.resize(layers_->nodes());
    std::vector<Number> products;
    std::vector<double> shares;
    // Chooses S in proportion to values_[S] times the product of factor(i) over the i in S.
    const auto choose = [&](std::size_t elements, auto factor) {
        products.assign(1, Number(1));
        for (std::size_t element = 0; element < elements; ++element) {
            const std::size_t half = products.size();
            const Number own = factor(element);
            for (std::size_t set = 0; set < half; ++set) products.push_back(products[set] * own);
        }
        Number largest(0.0);
        for (std::size_t set = 0; set < products.size(); ++set) {
            products[set] = products[set] * values_[set];
            largest = std::max(largest, products[set]);
        }
        shares.clear();
        for (const Number& product : products) shares.push_back(share(product, largest));
        return random.choose(shares);
    };
    int part = 0;
    std::size_t last = 0;  // the last part so far, as later layers tell it
    for (std::size_t layer = 0; layer < layers_->count(); ++layer) {
        const std::span<const int> members = layers_->members(layer);
        if (!divided(layer)) {
            for (const int node : members) part_of[static_cast<std::size_t>(node)] = part;
            ++part;
            last = 0;
            continue;
        }
        const auto in = entry(layer);
        const auto within = onward(layer);
        const auto own = tables(layer);
        const SubsetPairs& pairs = *own->pairs;
        const std::size_t all = pairs.sets() - 1;
        const auto place = [&](std::size_t added) {
            for (std::size_t left = added; left != 0; left &= left - 1) {
                const auto member = static_cast<std::size_t>(std::countr_zero(left));
                part_of[static_cast<std::size_t>(members[member])] = part;
            }
            ++part;
        };
        first_parts(layer, *within, values_);
        std::size_t set = choose(members.size(), [&](std::size_t i) { return in->meets(i)[last]; });
        last = (std::size_t{1} << std::popcount(set)) - 1;
        place(set);
        while (set != all) {
            factors_.clear();
            for (std::size_t left = all ^ set; left != 0; left &= left - 1) {
                factors_.push_back(
                    own->meets(static_cast<std::size_t>(std::countr_zero(left)), set));
            }
            const std::uint32_t* const additions = pairs.additions(set);
            values_.assign(std::size_t{1} << factors_.size(), Number(0));
            for (std::size_t added = 1; added < values_.size(); ++added) {
                values_[added] = (*within)[additions[added]];
            }
            const std::size_t chosen =
                choose(factors_.size(), [&](std::size_t i) { return factors_[i][last]; });
            const std::size_t added = SubsetPairs::expand(all ^ set, chosen);
            set |= added;
            last = additions[chosen] - pairs.block(set);
            place(added);
        }
    }
}

template class LayeringRecursion<double>;
template class LayeringRecursion<Extended>;
template class LayeringRecursion<float>;

}  // namespace arcwise
