// Components of a class, and DAGs directed along an order of each.
#include "arcwise/relations/equivalence_class.hpp"

#include <algorithm>
#include <utility>

#include "arcwise/support/bits.hpp"

namespace arcwise {

EquivalenceClass::EquivalenceClass(int nodes)
    : nodes_(static_cast<std::size_t>(nodes)),
      words_(words_for(nodes)),
      reversible_(Relation::reversible, nodes, 0) {}

void EquivalenceClass::look_at(const std::uint64_t* parents) {
    components_.clear();
    const std::uint64_t* neighbours = reversible_.of(parents);
    std::vector<bool> seen(nodes_, false);
    for (std::size_t node = 0; node < nodes_; ++node) {
        if (seen[node] || count_members(neighbours + node * words_, words_) == 0) continue;
        std::vector<int> found{static_cast<int>(node)};
        seen[node] = true;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const std::uint64_t* row = neighbours + static_cast<std::size_t>(found[i]) * words_;
            for_each_member(row, words_, [&](int other) {
                if (seen[static_cast<std::size_t>(other)]) return;
                seen[static_cast<std::size_t>(other)] = true;
                found.push_back(other);
            });
        }
        std::ranges::sort(found);
        add_component(neighbours, std::move(found));
    }
}

void EquivalenceClass::add_component(const std::uint64_t* neighbours, std::vector<int> members) {
    NodeNeighbours joined(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        const std::uint64_t* row = neighbours + static_cast<std::size_t>(members[i]) * words_;
        for_each_member(row, words_, [&](int other) {
            const auto place = std::ranges::lower_bound(members, other) - members.begin();
            joined[i].push_back(static_cast<int>(place));
        });
    }
    components_.push_back({std::move(members), joined, ChordalOrientations(joined)});
}

double EquivalenceClass::log_size() {
    double sum = 0.0;
    for (Component& component : components_) sum += component.orientations.log_count();
    return sum;
}

void EquivalenceClass::draw(Random& random, std::uint64_t* parents) {
    for (Component& component : components_) {
        const std::vector<int> order = component.orientations.draw(random);
        std::vector<std::size_t> place(order.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            place[static_cast<std::size_t>(order[i])] = i;
        for (std::size_t member = 0; member < order.size(); ++member) {
            const auto node = static_cast<std::size_t>(component.members[member]);
            std::uint64_t* row = parents + node * words_;
            for (const int neighbour : component.joined[member]) {
                const auto other = static_cast<std::size_t>(neighbour);
                if (place[other] < place[member]) {
                    put_member(row, component.members[other]);
                } else {
                    remove_member(row, component.members[other]);
                }
            }
        }
    }
}

}  // namespace arcwise
