// The recurrence over parts, and draws along it.
#include "arcwise/spaces/dags/uniform_dags.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// Shares in proportion to numbers given as logarithms.
std::vector<double> shares_of(const std::vector<double>& logarithms) {
    const double largest = *std::max_element(logarithms.begin(), logarithms.end());
    std::vector<double> shares;
    for (const double logarithm : logarithms) shares.push_back(std::exp(logarithm - largest));
    return shares;
}

// Terms of a sum this far below the largest, in logarithms, are left out: a thousand of them are
// less than what rounding takes from it.
constexpr double negligible = 50.0;

// ln of the sum over sizes of exp(choices + size of_node), which is wanted n^2 times.
double log_sum_of_ways(const std::vector<double>& choices, double of_node) {
    double largest = minus_infinity;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        largest = std::max(largest, choices[i] + static_cast<double>(i + 1) * of_node);
    }
    if (largest == minus_infinity) return minus_infinity;
    double scaled = 0.0;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const double below = largest - (choices[i] + static_cast<double>(i + 1) * of_node);
        if (below < negligible) scaled += std::exp(-below);
    }
    return largest + std::log(scaled);
}

// Calls put(i) for `count` of the numbers 0 to from - 1, every set of them with the same
// probability.
template <class Put>
void draw_some(std::size_t count, std::size_t from, Random& random, Put put) {
    for (std::size_t i = 0; i < from && count > 0; ++i) {
        const double left = static_cast<double>(from - i);
        if (count == from - i || random.event(static_cast<double>(count) / left)) {
            put(i);
            --count;
        }
    }
}

}  // namespace

UniformDags::UniformDags(int nodes, int most_parents)
    : nodes_(static_cast<std::size_t>(nodes)),
      most_parents_(static_cast<std::size_t>(most_parents)) {
    log_factorials_.assign(nodes_ + 1, 0.0);
    for (std::size_t i = 2; i <= nodes_; ++i) {
        log_factorials_[i] = log_factorials_[i - 1] + std::log(static_cast<double>(i));
    }
    log_sets_.assign(nodes_ + 1, minus_infinity);
    for (std::size_t from = 0; from <= nodes_; ++from) {
        for (std::size_t size = 0; size <= std::min(from, most_parents_); ++size) {
            log_sets_[from] = log_add(log_sets_[from], log_choose(from, size));
        }
    }
    log_continuations_.assign((nodes_ + 1) * (nodes_ + 1), minus_infinity);
    for (std::size_t before = 0; before <= nodes_; ++before) {
        log_continuations_[nodes_ * (nodes_ + 1) + before] = 0.0;
    }
    // By size: the part of the number of ways that does not depend on the part before.
    std::vector<double> choices;
    for (std::size_t placed = nodes_; placed-- > 0;) {
        choices.clear();
        for (std::size_t size = 1; size <= nodes_ - placed; ++size) {
            choices.push_back(log_choose(nodes_ - placed, size) +
                              log_continuations(placed + size, size));
        }
        // Before the first part there is none; later a part has at least one node.
        for (std::size_t before = placed == 0 ? 0 : 1; before <= placed; ++before) {
            log_continuations_[placed * (nodes_ + 1) + before] =
                log_sum_of_ways(choices, log_sets_of_node(placed, before));
        }
    }
}

double UniformDags::log_sets_of_node(std::size_t placed, std::size_t before) const {
    if (placed == 0) return 0.0;
    const double gap = log_sets_[placed] - log_sets_[placed - before];
    return gap > 0.0 ? log_sets_[placed] + std::log(-std::expm1(-gap)) : minus_infinity;
}

std::vector<double> UniformDags::log_ways_by_size(std::size_t placed, std::size_t before) const {
    const double of_node = log_sets_of_node(placed, before);
    std::vector<double> result;
    for (std::size_t size = 1; size <= nodes_ - placed; ++size) {
        result.push_back(log_choose(nodes_ - placed, size) + static_cast<double>(size) * of_node +
                         log_continuations(placed + size, size));
    }
    return result;
}

void UniformDags::draw(Random& random, std::uint64_t* parents) const {
    const std::size_t words = words_for(nodes_);
    std::fill_n(parents, nodes_ * words, 0);
    std::vector<int> order(nodes_);
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    std::size_t before = 0;
    for (std::size_t placed = 0; placed < nodes_;) {
        const std::size_t size = 1 + random.choose(shares_of(log_ways_by_size(placed, before)));
        const std::size_t earlier = placed - before;  // what is not in the part before
        for (std::size_t i = placed; placed > 0 && i < placed + size; ++i) {
            std::uint64_t* row = parents + static_cast<std::size_t>(order[i]) * words;
            // How many parents are in the part before, and then how many are not.
            std::vector<double> in_part;
            for (std::size_t count = 1; count <= std::min(before, most_parents_); ++count) {
                double rest = minus_infinity;
                for (std::size_t more = 0; more <= std::min(earlier, most_parents_ - count);
                     ++more) {
                    rest = log_add(rest, log_choose(earlier, more));
                }
                in_part.push_back(log_choose(before, count) + rest);
            }
            const std::size_t count = 1 + random.choose(shares_of(in_part));
            std::vector<double> elsewhere;
            for (std::size_t more = 0; more <= std::min(earlier, most_parents_ - count); ++more) {
                elsewhere.push_back(log_choose(earlier, more));
            }
            const std::size_t more = random.choose(shares_of(elsewhere));
            draw_some(count, before, random,
                      [&](std::size_t at) { put_member(row, order[earlier + at]); });
            draw_some(more, earlier, random, [&](std::size_t at) { put_member(row, order[at]); });
        }
        before = size;
        placed += size;
    }
}

}  // namespace arcwise
