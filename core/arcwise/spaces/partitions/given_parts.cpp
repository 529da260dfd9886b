// Families with a parent in the part before, drawn and summed node by node.
#include "arcwise/spaces/partitions/given_parts.hpp"

#include <algorithm>

#include "arcwise/spaces/given_predecessors.hpp"
#include "arcwise/spaces/partitions/parts.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

GivenParts::GivenParts(const ScoreSums& sums, const std::vector<int>& part_of)
    : sums_(sums), sets_(part_of.size() * 2 * sums.words()) {
    for (std::size_t node = 0; node < part_of.size(); ++node) {
        set_by_parts(sums, part_of, static_cast<int>(node), sets_.data() + node * 2 * sums.words());
    }
}

void GivenParts::draw(Random& random, std::uint64_t* parents) {
    const auto n = static_cast<std::size_t>(sums_.nodes());
    const std::size_t words = words_for(n);
    std::fill_n(parents, n * words, 0);
    for (std::size_t node = 0; node < n; ++node) {
        const int v = static_cast<int>(node);
        const std::int64_t place =
            needs_parent(sets(v), sums_.words())
                ? sums_[v].draw(sets(v), sets(v) + sums_.words(), memo_, random)
                : sums_[v].draw(sets(v), random);
        add_family(sums_, v, place, parents + node * words);
    }
}

void GivenParts::add_edge_probabilities(double scale, double* edges) {
    const auto n = static_cast<std::size_t>(sums_.nodes());
    std::vector<double> by_place;
    for (std::size_t node = 0; node < n; ++node) {
        const int v = static_cast<int>(node);
        if (!needs_parent(sets(v), sums_.words())) continue;
        by_place.assign(sums_.possible_parents(v).size(), 0.0);
        sums_[v].add_parent_probabilities(sets(v), sets(v) + sums_.words(), memo_, by_place.data());
        add_parents_to_edges(sums_, v, scale, by_place, edges);
    }
}

}  // namespace arcwise
