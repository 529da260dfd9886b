// Families with a parent in the part before, drawn and summed node by node.
#include "arcwise/spaces/given_parts.hpp"

#include <algorithm>

#include "orders/given_predecessors.hpp"

namespace arcwise {

GivenParts::GivenParts(const ScoreSums& sums, const std::vector<int>& part_of) : sums_(sums) {
    std::vector<int> earlier;
    std::vector<int> before;
    for (int node = 0; node < sums.nodes(); ++node) {
        const int part = part_of[static_cast<std::size_t>(node)];
        earlier.clear();
        before.clear();
        for (int other = 0; other < sums.nodes(); ++other) {
            const int of_other = part_of[static_cast<std::size_t>(other)];
            if (of_other < part) earlier.push_back(other);
            if (of_other == part - 1) before.push_back(other);
        }
        allowed_.push_back(sums.bits(node, earlier));
        required_.push_back(part == 0 ? std::vector<std::uint64_t>() : sums.bits(node, before));
    }
}

void GivenParts::draw(Random& random, std::uint64_t* parents) {
    const auto n = static_cast<std::size_t>(sums_.nodes());
    const std::size_t words = (n + 63) / 64;
    std::fill_n(parents, n * words, 0);
    for (std::size_t node = 0; node < n; ++node) {
        const int v = static_cast<int>(node);
        const std::int64_t place =
            required_[node].empty()
                ? sums_[v].draw(allowed_[node].data(), random)
                : sums_[v].draw(allowed_[node].data(), required_[node].data(), memo_, random);
        add_family(sums_, v, place, parents + node * words);
    }
}

void GivenParts::add_edge_probabilities(double scale, double* edges) {
    const auto n = static_cast<std::size_t>(sums_.nodes());
    std::vector<double> by_place;
    for (std::size_t node = 0; node < n; ++node) {
        if (required_[node].empty()) continue;
        const int v = static_cast<int>(node);
        by_place.assign(sums_.possible_parents(v).size(), 0.0);
        sums_[v].add_parent_probabilities(allowed_[node].data(), required_[node].data(), memo_,
                                          by_place.data());
        add_parents_to_edges(sums_, v, scale, by_place, edges);
    }
}

}  // namespace arcwise
