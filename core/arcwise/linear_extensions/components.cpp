// Components by union of the ends of each edge; an order by taking away nodes without parents.
#include "arcwise/linear_extensions/components.hpp"

#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

int Components::representative(int v) {
    while (links_[at(v)] != v) {
        links_[at(v)] = links_[at(links_[at(v)])];
        v = links_[at(v)];
    }
    return v;
}

void Components::split(const std::uint64_t* parents, int nodes) {
    const std::size_t words = words_for(nodes);
    links_.resize(at(nodes));
    for (int v = 0; v < nodes; ++v) links_[at(v)] = v;
    missing_.assign(at(nodes), 0);
    edge_starts_.assign(at(nodes) + 1, 0);
    for (int v = 0; v < nodes; ++v) {
        for_each_member(parents + at(v) * words, words, [&](int parent) {
            links_[at(representative(parent))] = representative(v);
            ++missing_[at(v)];
            ++edge_starts_[at(parent)];
        });
    }
    // Counts become ends, and filling backwards turns ends into starts.
    for (int v = 0; v < nodes; ++v) edge_starts_[at(v) + 1] += edge_starts_[at(v)];
    edges_.resize(at(edge_starts_[at(nodes)]));
    for (int v = nodes - 1; v >= 0; --v) {
        for_each_member(parents + at(v) * words, words,
                        [&](int parent) { edges_[at(--edge_starts_[at(parent)])] = v; });
    }
    order_.clear();
    for (int v = 0; v < nodes; ++v) {
        if (missing_[at(v)] == 0) order_.push_back(v);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const int v = order_[i];
        for (int e = edge_starts_[at(v)]; e < edge_starts_[at(v) + 1]; ++e) {
            if (--missing_[at(edges_[at(e)])] == 0) order_.push_back(edges_[at(e)]);
        }
    }
    if (order_.size() != at(nodes)) {
        throw Error(ErrorKind::argument,
                    "The parents have a cycle; linear extensions need a graph without one.");
    }
    component_.assign(at(nodes), -1);
    starts_.assign(1, 0);
    for (const int v : order_) {
        int& component = component_[at(representative(v))];
        if (component < 0) {
            component = count();
            starts_.push_back(0);
        }
        ++starts_[at(component) + 1];
    }
    for (int c = 0; c < count(); ++c) starts_[at(c) + 1] += starts_[at(c)];
    numbers_.resize(at(nodes));
    sorted_.resize(at(nodes));
    missing_.assign(at(count()), 0);  // from here on: how many of a component have a number
    for (const int v : order_) {
        const int component = component_[at(representative(v))];
        numbers_[at(v)] = missing_[at(component)]++;
        sorted_[at(starts_[at(component)] + numbers_[at(v)])] = v;
    }
    parents_.clear();
    parent_starts_.assign(1, 0);
    for (const int v : sorted_) {
        for_each_member(parents + at(v) * words, words,
                        [&](int parent) { parents_.push_back(numbers_[at(parent)]); });
        parent_starts_.push_back(parents_.size());
    }
}

}  // namespace arcwise
