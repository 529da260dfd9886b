// Down-sets are found level by level: those of one size are those of the size before with one
// element more.
#include "arcwise/spaces/orders/downset_lattice.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>
#include <utility>

#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

std::vector<std::uint64_t> transitive_closure(std::vector<std::uint64_t> predecessors) {
    if (predecessors.size() > most_lattice_positions) {
        throw Error(ErrorKind::capacity,
                    "A partial order has " + std::to_string(predecessors.size()) +
                        " elements, and up to " + std::to_string(most_lattice_positions) +
                        " are possible; use a sequence of buckets, which may have more.");
    }
    for (std::size_t middle = 0; middle < predecessors.size(); ++middle) {
        for (std::uint64_t& before : predecessors) {
            if ((before >> middle & 1) != 0) before |= predecessors[middle];
        }
    }
    for (std::size_t position = 0; position < predecessors.size(); ++position) {
        if ((predecessors[position] >> position & 1) != 0) {
            throw Error(ErrorKind::argument, "A partial order puts element " +
                                                 std::to_string(position) +
                                                 " before itself; leave out a pair of the cycle.");
        }
    }
    return predecessors;
}

DownsetLattice::DownsetLattice(std::vector<std::uint64_t> predecessors, std::size_t most)
    : predecessors_(transitive_closure(std::move(predecessors))), sets_{0} {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;  // the sets of one size
    std::size_t level_end = 1;
    std::vector<std::size_t> leading_count(1, 0);
    for (std::size_t from = 0; from < sets_.size(); ++from) {
        if (from == level_end) {
            numbers.clear();
            level_end = sets_.size();
        }
        const std::uint64_t set = sets_[from];
        for (std::size_t element = 0; element < predecessors_.size(); ++element) {
            const std::uint64_t bit = std::uint64_t{1} << element;
            if ((set & bit) != 0 || (predecessors_[element] & ~set) != 0) continue;
            const auto [found, is_new] =
                numbers.emplace(set | bit, static_cast<std::uint32_t>(sets_.size()));
            if (is_new) {
                if (sets_.size() == most) {
                    throw Error(ErrorKind::capacity,
                                "A partial order has more than " + std::to_string(most) +
                                    " down-sets, one number for each of which would be kept; put "
                                    "more elements before others.");
                }
                sets_.push_back(set | bit);
                leading_count.push_back(0);
            }
            transitions_.push_back({static_cast<std::uint32_t>(from), found->second,
                                    static_cast<std::uint32_t>(element)});
            ++leading_count[found->second];
        }
    }
    first_leading_.assign(sets_.size() + 1, 0);
    for (std::size_t number = 0; number < sets_.size(); ++number) {
        first_leading_[number + 1] = first_leading_[number] + leading_count[number];
    }
    leading_.resize(transitions_.size());
    std::vector<std::size_t> next(first_leading_.begin(), first_leading_.end() - 1);
    for (std::size_t i = 0; i < transitions_.size(); ++i) {
        leading_[next[transitions_[i].to]++] = static_cast<std::uint32_t>(i);
    }
}

namespace {

// Calls step(source, target, ln alpha) for the transitions, in an order in which the sum of a
// source is complete before it is used.
template <bool backward, class Step>
void for_transitions(const DownsetLattice& lattice, const double* log_sums, Step step) {
    const auto transitions = lattice.transitions();
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        const std::size_t at = backward ? transitions.size() - 1 - i : i;
        const auto& [from, to, element] = transitions[at];
        step(backward ? to : from, backward ? from : to, log_sums[at]);
    }
}

template <bool backward>
void solve(const DownsetLattice& lattice, const double* log_sums, std::vector<double>& best,
           std::vector<double>& sums) {
    std::fill(best.begin(), best.end(), impossible_weight);
    std::fill(sums.begin(), sums.end(), 0.0);
    const std::size_t start = backward ? lattice.size() - 1 : 0;
    best[start] = 0.0;
    sums[start] = 1.0;
    for_transitions<backward>(lattice, log_sums,
                              [&](std::size_t source, std::size_t target, double log_sum) {
                                  best[target] = std::max(best[target], log_sum + best[source]);
                              });
    for_transitions<backward>(lattice, log_sums,
                              [&](std::size_t source, std::size_t target, double log_sum) {
                                  const double exponent = log_sum + best[source] - best[target];
                                  sums[target] += share_kernel(exponent) * sums[source];
                              });
}

}  // namespace

double LatticeRecursion::log_score(const double* log_sums) {
    solve<false>(*lattice_, log_sums, best_, sums_);
    return relative_logarithm(best_.back(), sums_.back());
}

std::vector<double> LatticeRecursion::log_forward(const double* log_sums) {
    solve<false>(*lattice_, log_sums, best_, sums_);
    return logarithms();
}

std::vector<double> LatticeRecursion::log_backward(const double* log_sums) {
    solve<true>(*lattice_, log_sums, best_, sums_);
    return logarithms();
}

std::vector<double> LatticeRecursion::logarithms() const {
    std::vector<double> result(best_.size());
    std::ranges::transform(best_, sums_, result.begin(), relative_logarithm);
    return result;
}

}  // namespace arcwise
