// Score sums straight from their definition: every family is looked at, in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "generated.hpp"

namespace arcwise::tests {

struct WeighedSet {
    std::vector<int> parents;
    double log_weight;
};

inline bool contains(const std::vector<int>& set, int member) {
    return std::find(set.begin(), set.end(), member) != set.end();
}

// The families with all parents in `allowed` and, if it is given, a parent in `*required`.
inline std::vector<WeighedSet> admitted(const NodeFamilies& families,
                                        const std::vector<int>& allowed,
                                        const std::vector<int>* required) {
    std::vector<WeighedSet> result;
    families.for_each([&](std::uint64_t index, std::span<const int> members) {
        const std::vector<int> parents = families.parents(members);
        const auto within = [](const std::vector<int>& set) {
            return [&set](int parent) { return contains(set, parent); };
        };
        if (!std::all_of(parents.begin(), parents.end(), within(allowed))) return;
        if (required && std::none_of(parents.begin(), parents.end(), within(*required))) return;
        if (families.values()[index] == minus_infinity) return;
        result.push_back({parents, families.values()[index]});
    });
    return result;
}

inline double max_weight(const std::vector<WeighedSet>& sets) {
    double result = minus_infinity;
    for (const WeighedSet& set : sets) result = std::max(result, set.log_weight);
    return result;
}

inline double log_sum(const std::vector<WeighedSet>& sets) {
    const double largest = max_weight(sets);
    if (largest == minus_infinity) return largest;
    long double sum = 0.0L;
    for (const WeighedSet& set : sets) {
        sum += std::exp(static_cast<long double>(set.log_weight) - largest);
    }
    return static_cast<double>(largest + std::log(sum));
}

// The bits of a set of nodes, as NodeSums wants them: candidates first, then required parents.
inline std::vector<std::uint64_t> bits(const NodeFamilies& families, std::size_t words,
                                       const std::vector<int>& nodes) {
    std::vector<std::uint64_t> result(words, 0);
    std::size_t position = 0;
    for (const std::vector<int>* possible : {&families.candidates(), &families.required()}) {
        for (const int parent : *possible) {
            if (contains(nodes, parent)) {
                result[position / 64] |= std::uint64_t{1} << (position % 64);
            }
            ++position;
        }
    }
    return result;
}

}  // namespace arcwise::tests
