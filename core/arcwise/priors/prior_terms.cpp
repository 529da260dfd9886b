// Walks over the families once and adds the prior's terms.
#include "arcwise/priors/prior_terms.hpp"

namespace arcwise {

void add_prior(const PriorTerms& terms, FamilyTable& table) {
    const std::size_t nodes = table.size();
    std::vector<double> edge;
    for (std::size_t node = 0; node < nodes; ++node) {
        NodeFamilies& families = table[node];
        const std::size_t required = families.required().size();
        double always = terms.constant[node];
        for (const int parent : families.required()) {
            always += terms.edge[static_cast<std::size_t>(parent) * nodes + node];
        }
        edge.clear();
        for (const int parent : families.candidates()) {
            edge.push_back(terms.edge[static_cast<std::size_t>(parent) * nodes + node]);
        }
        std::vector<double>& values = families.values();
        families.for_each([&](std::uint64_t index, std::span<const int> members) {
            double sum = always + terms.size[node * nodes + required + members.size()];
            for (const int member : members) sum += edge[static_cast<std::size_t>(member)];
            values[index] += sum;
        });
    }
}

}  // namespace arcwise
