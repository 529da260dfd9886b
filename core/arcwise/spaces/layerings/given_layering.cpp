// DAGs given a layering: a partition first, then families with a parent in the part before.
#include "arcwise/spaces/layerings/given_layering.hpp"

#include "arcwise/spaces/partitions/given_parts.hpp"

namespace arcwise {

void GivenLayering::draw(Random& random, std::uint64_t* parents) {
    std::vector<int> part_of;
    weights_->draw_partition(layer_of_, random, part_of);
    GivenParts(sums_, part_of).draw(random, parents);
}

void GivenLayering::add_edge_probabilities(double scale, double* edges) {
    weights_->add_edge_probabilities(layer_of_, scale, edges);
}

}  // namespace arcwise
