// Edge probabilities by sums over the parents that close no cycle.
#include "arcwise/spaces/dags/given_dag.hpp"

#include <algorithm>

#include "arcwise/spaces/given_predecessors.hpp"

namespace arcwise {

void GivenDag::add_edge_probabilities(double scale, double* edges) {
    const ScoreSums& sums = weights_.sums();
    std::vector<std::uint64_t> set(dag_.words());
    std::vector<std::uint64_t> allowed(sums.words());
    std::vector<double> by_place;
    for (int node = 0; node < dag_.nodes(); ++node) {
        std::fill(set.begin(), set.end(), 0);
        dag_.add_descendants(node, set.data());
        for (std::uint64_t& word : set) word = ~word;
        weights_.to_places(node, set.data(), allowed.data());
        by_place.assign(sums.possible_parents(node).size(), 0.0);
        const double log_factor = -sums[node].log_sum(allowed.data());
        sums[node].add_parent_probabilities(allowed.data(), {}, &log_factor, by_place.data());
        add_parents_to_edges(sums, node, scale, by_place, edges);
    }
}

void GivenDag::draw(Random&, std::uint64_t* parents) {
    std::copy(dag_.all_parents().begin(), dag_.all_parents().end(), parents);
}

}  // namespace arcwise
