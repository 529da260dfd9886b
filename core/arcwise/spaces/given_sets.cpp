// Families within the sets of each node, drawn and summed node by node.
#include "arcwise/spaces/given_sets.hpp"

namespace arcwise {

bool GivenSets::any(ParentBits set) const {
    return std::any_of(set, set + sums_.words(), [](std::uint64_t word) { return word != 0; });
}

void GivenSets::draw(Random& random, std::uint64_t* parents) {
    const auto n = static_cast<std::size_t>(sums_.nodes());
    const std::size_t words = words_for(n);
    std::fill_n(parents, n * words, 0);
    for (std::size_t node = 0; node < n; ++node) {
        const int v = static_cast<int>(node);
        const ParentBits needed = any(required(v)) ? required(v) : nullptr;
        std::int64_t place = -1;
        if (draws_ && draws_->row_sums.by_rows(v)) {
            place = draws_->families->draw(v, draws_->row_sums.of(v, allowed(v), needed),
                                           allowed(v), needed, random);
        } else {
            place = needed != nullptr ? sums_[v].draw(allowed(v), needed, memo_, random)
                                      : sums_[v].draw(allowed(v), random);
        }
        add_family(sums_, v, place, parents + node * words);
    }
}

void GivenSets::add_edge_probabilities(double scale, double* edges) {
    const auto n = static_cast<std::size_t>(sums_.nodes());
    std::vector<double> by_place;
    for (std::size_t node = 0; node < n; ++node) {
        const int v = static_cast<int>(node);
        if (!any(allowed(v))) continue;
        by_place.assign(sums_.possible_parents(v).size(), 0.0);
        if (any(required(v))) {
            sums_[v].add_parent_probabilities(allowed(v), required(v), memo_, by_place.data());
        } else {
            const double log_share = -sums_[v].log_sum(allowed(v));
            sums_[v].add_parent_probabilities(allowed(v), {}, &log_share, by_place.data());
        }
        add_parents_to_edges(sums_, v, scale, by_place, edges);
    }
}

}  // namespace arcwise
