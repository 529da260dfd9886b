// Weights and draws of a layering, whichever numbers it takes.
#include "arcwise/spaces/layerings/layering_weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "arcwise/numerics/subset_folds.hpp"
#include "arcwise/spaces/given_sets.hpp"

namespace arcwise {
namespace {

// From weights[T] to sums over the T that meet C, for all C. Element by element a bit of T becomes
// one of C; no difference is taken.
template <class Number>
void sum_over_meeting(Number* weights, std::size_t count, std::vector<Number>& missing) {
    missing.assign(weights, weights + count);
    std::fill_n(weights, count, Number(0.0));
    for (std::size_t half = 1; half < count; half *= 2) {
        for (std::size_t first = 0; first < count; first += 2 * half) {
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

// Edge probabilities given a layering: its recursion run from the first layer to the last as well.
//
// A node v of the part that comes after D with last part T has a family A within reach that meets T
// with the probability e^(weight of A) * w_v(D, T), where w_v sums up all that can come before and
// after, and beside v in its part. So A counts with the sum of w_v over the (D, T) it agrees with.
template <class Number>
class LayeringEdges {
  public:
    explicit LayeringEdges(LayeringRecursion<Number>& recursion, const ScoreSums& sums)
        : recursion_(recursion), sums_(sums) {}

    // edges[u * n + v] += scale * P(edge u -> v), for all edges; false, and edges are of no use, if
    // underflow took too much.
    bool add(double scale, double* edges) {
        scale_ = scale;
        edges_ = edges;
        forward_.assign(1, Number(1.0));
        lost_ = -1e9;
        for (std::size_t layer = 0; layer < recursion_.layers().count(); ++layer) {
            if (!(recursion_.divided(layer) ? add_divided(layer) : add_whole(layer))) return false;
        }
        return true;
    }

  private:
    using Values = std::vector<Number>;

    static constexpr double lost_in_a_layer = -930.0;

    bool add_whole(std::size_t layer) {
        const auto in = recursion_.entry(layer);
        const Number after = recursion_.message(layer + 1)->values[0];
        const std::size_t count = recursion_.layers().size(layer);
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

    bool add_divided(std::size_t layer) {
        const std::size_t count = recursion_.layers().size(layer);
        const auto in = recursion_.entry(layer);
        const auto own = recursion_.tables(layer);
        const auto onward = recursion_.onward(layer);
        const SubsetPairs& pairs = *own->pairs;
        const std::size_t all = pairs.sets() - 1;

        // The first part; ways_[S] is what leads to it.
        recursion_.first_parts(layer, *onward, values_);
        factors_.clear();
        for (std::size_t i = 0; i < count; ++i) factors_.push_back(in->meets(i));
        unfold_here(forward_.data(), in->length);
        Number total(0.0);
        for (std::size_t set = 1; set <= all; ++set) total += ways_[set] * values_[set];
        if (!enough(total, 4.0 * static_cast<double>(count))) return false;
        for (std::size_t i = 0; i < count; ++i) {
            add_entry(layer, i, in->log_sums[i], by_factor_[i], total);
        }

        // Within the layer; before[(D, T)] is what leads to D with the last part T. The layer
        // before leaves no room for a first part that would have fitted into it.
        Values before(pairs.size(), Number(0.0));
        for (std::size_t set = 1; set <= all; ++set) {
            const std::size_t place = pairs.additions(0)[set];
            if (positive(values_[set])) before[place] = own->shares[place] * ways_[set];
        }
        // By member and its families' members C in the layer: what they count with, times tau(C).
        std::vector<Values> counted(count, Values(pairs.sets(), Number(0.0)));
        for (std::size_t set = 1; set < all; ++set) {
            factors_.clear();
            for (std::size_t left = all ^ set; left != 0; left &= left - 1) {
                factors_.push_back(
                    own->meets(static_cast<std::size_t>(std::countr_zero(left)), set));
            }
            const std::uint32_t* const additions = pairs.additions(set);
            values_.assign(std::size_t{1} << factors_.size(), Number(0.0));
            for (std::size_t added = 1; added < values_.size(); ++added) {
                values_[added] = (*onward)[additions[added]];
            }
            const std::size_t subsets = std::size_t{1} << std::popcount(set);
            unfold_here(before.data() + pairs.block(set), subsets);
            for (std::size_t added = 1; added < values_.size(); ++added) {
                const std::size_t place = additions[added];
                before[place] += own->shares[place] * ways_[added];
            }
            std::size_t i = 0;
            for (std::size_t left = all ^ set; left != 0; left &= left - 1, ++i) {
                const auto member = static_cast<std::size_t>(std::countr_zero(left));
                if (own->log_sum(member, set) == minus_infinity) continue;
                Values& weights = by_factor_[i];
                sum_over_meeting(weights.data(), subsets, missing_);
                const Number* const misses = own->misses(member, set);
                std::size_t held = 0;
                for (std::size_t bits = 1; bits < subsets; ++bits) {
                    held = (held - set) & set;  // the next subset of the set
                    counted[member][held] += weights[bits] * misses[(subsets - 1) ^ bits];
                }
            }
        }
        for (std::size_t i = 0; i < count; ++i) add_within(layer, i, *own, counted[i], total);
        const auto last = before.begin() + static_cast<std::ptrdiff_t>(pairs.block(all));
        forward_.assign(last, before.end());
        lost_ += 4.0 * static_cast<double>(count);
        normalise(forward_);
        return true;
    }

    // Adds what a node's families with parents in the layer before have, whose last part is T with
    // the weight weights[T] / total.
    void add_entry(std::size_t layer, std::size_t member, double log_sum, Values& weights,
                   const Number& total) {
        if (layer == 0 || log_sum == minus_infinity) return;
        const Parts& layers = recursion_.layers();
        const int node = layers.members(layer)[member];
        std::vector<double> by_place(sums_.possible_parents(node).size(), 0.0);
        if (recursion_.divided(layer - 1)) {
            sum_over_meeting(weights.data(), weights.size(), missing_);
            std::vector<double> log_factors;
            for (const Number& weight : weights) {
                log_factors.push_back(log_of(weight) - log_of(total) - log_sum);
            }
            std::vector<int> places;
            for (const int other : layers.members(layer - 1)) {
                places.push_back(sums_.place(node, other));
            }
            sums_[node].add_parent_probabilities(sums_.bits(node, layers.before(layer - 1)).data(),
                                                 places, log_factors.data(), by_place.data(),
                                                 NodeSums::Factors::any);
        } else if (positive(weights[0])) {
            const auto allowed = sums_.bits(node, layers.before(layer));
            const auto required = sums_.bits(node, layers.members(layer - 1));
            const double log_meeting = sums_[node].log_sum(allowed.data(), required.data(), memo_);
            const double share =
                std::exp(log_of(weights[0]) - log_of(total) + log_meeting - log_sum);
            sums_[node].add_parent_probabilities(allowed.data(), required.data(), memo_,
                                                 by_place.data());
            for (double& probability : by_place) probability *= share;
        }
        add_parents_to_edges(sums_, node, scale_, by_place, edges_);
    }

    // Adds what its families with parents in an earlier part of its own layer have.
    void add_within(std::size_t layer, std::size_t member, const LayerTables<Number>& tables,
                    const Values& counted, const Number& total) {
        const std::span<const int> members = recursion_.layers().members(layer);
        if (members.size() == 1) return;
        const int node = members[member];
        std::vector<int> places;
        for (std::size_t other = 0; other < members.size(); ++other) {
            if (other != member) places.push_back(sums_.place(node, members[other]));
        }
        const double log_total = log_of(total);
        std::vector<double> log_factors;
        for (std::size_t held = 0; held < counted.size(); ++held) {
            if ((held >> member & 1) != 0) continue;
            const double log_sum = tables.log_sum(member, held);
            const bool any = positive(counted[held]) && log_sum > minus_infinity;
            log_factors.push_back(any ? log_of(counted[held]) - log_total - log_sum
                                      : minus_infinity);
        }
        std::vector<double> by_place(sums_.possible_parents(node).size(), 0.0);
        sums_[node].add_parent_probabilities(
            sums_.bits(node, recursion_.layers().before(layer)).data(), places, log_factors.data(),
            by_place.data(), NodeSums::Factors::any);
        add_parents_to_edges(sums_, node, scale_, by_place, edges_);
    }

    // Sets ways_ and by_factor_ for the parts in values_ and their factors_.
    void unfold_here(const Number* weights, std::size_t count) {
        ways_.assign(values_.size(), Number(0.0));
        if (by_factor_.size() < factors_.size()) by_factor_.resize(factors_.size());
        std::vector<Number*> rows;
        for (std::size_t i = 0; i < factors_.size(); ++i) {
            by_factor_[i].resize(count);
            rows.push_back(by_factor_[i].data());
        }
        unfold(values_.data(), factors_.data(), factors_.size(), count, weights, rows.data(),
               ways_.data(), scratch_);
    }

    // Divides plain numbers by about their largest.
    void normalise(Values& numbers) {
        if constexpr (std::is_same_v<Number, double>) {
            int power = 0;
            std::frexp(*std::max_element(numbers.begin(), numbers.end()), &power);
            for (double& number : numbers) number = std::ldexp(number, -power);
            lost_ = std::max(lost_, lost_in_a_layer) + 1.0 - power;
        }
    }

    bool enough(const Number& total, double bits) const {
        if constexpr (std::is_same_v<Number, double>) {
            return total > 0.0 && std::log2(total) - 60.0 > std::max(lost_, lost_in_a_layer) + bits;
        }
        return true;
    }

    LayeringRecursion<Number>& recursion_;
    const ScoreSums& sums_;
    double scale_ = 1.0;
    double* edges_ = nullptr;
    Values forward_;  // by last part of the layer before
    double lost_ = -1e9;
    Values scratch_;
    Values values_;
    Values ways_;
    Values missing_;
    std::vector<Values> by_factor_;
    std::vector<const Number*> factors_;
    SumMemo memo_;
};

}  // namespace

LayeringWeights::LayeringWeights(const Layerings& space)
    : space_(space), possible_(space), plain_(space, [this](std::size_t layer) {
          possible_.set(layers_);
          return !possible_.message(layer)->passed_over;
      }) {}

LayeringRecursion<Extended>& LayeringWeights::extended() {
    if (!extended_) extended_.emplace(space_);
    extended_->set(layers_);
    return *extended_;
}

LogWeight LayeringWeights::weight(std::span<const int> layer_of, double enough) {
    layers_ = Parts({layer_of.begin(), layer_of.end()});
    plain_.set(layers_);
    const LogWeight plain = plain_.weight();
    return plain_.trusted() || plain.value < enough ? plain : extended().weight();
}

void LayeringWeights::draw_partition(std::span<const int> layer_of, Random& random,
                                     std::vector<int>& part_of) {
    with_recursion(layer_of, [&](auto& recursion) { recursion.draw_partition(random, part_of); });
}

void LayeringWeights::add_edge_probabilities(std::span<const int> layer_of, double scale,
                                             double* edges) {
    const ScoreSums& sums = space_.weights().sums();
    const auto nodes = static_cast<std::size_t>(space_.nodes());
    // Into a table of their own, as plain numbers may turn out too small only on the way.
    std::vector<double> found(nodes * nodes, 0.0);
    bool done = false;
    with_recursion(layer_of, [&](auto& recursion) {
        done = LayeringEdges(recursion, sums).add(scale, found.data());
    });
    if (!done) {
        std::fill(found.begin(), found.end(), 0.0);
        LayeringEdges(extended(), sums).add(scale, found.data());
    }
    for (std::size_t i = 0; i < found.size(); ++i) edges[i] += found[i];
}

}  // namespace arcwise
