// The connected components of a DAG, each with its nodes numbered parents first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// A workspace: `split` may be called again and again, and what it found last is read.
class Components {
  public:
    // Parents are packed, words_for(nodes) words a node. Throws the `argument` error on a cycle.
    void split(const std::uint64_t* parents, int nodes);

    int count() const { return static_cast<int>(starts_.size()) - 1; }
    int size(int component) const {
        return starts_[static_cast<std::size_t>(component) + 1] -
               starts_[static_cast<std::size_t>(component)];
    }

    // The parents of the i-th node of a component, by their numbers in it, all below i.
    std::span<const int> parents(int component, int i) const {
        const auto v = static_cast<std::size_t>(starts_[static_cast<std::size_t>(component)] + i);
        return {parents_.data() + parent_starts_[v], parents_.data() + parent_starts_[v + 1]};
    }

    // One component as a DAG of its own.
    class Graph {
      public:
        Graph(const Components& components, int component)
            : components_(&components), component_(component) {}
        int size() const { return components_->size(component_); }
        std::span<const int> parents(int i) const { return components_->parents(component_, i); }

      private:
        const Components* components_;
        int component_;
    };
    Graph graph(int component) const { return {*this, component}; }

  private:
    int representative(int v);

    std::vector<int> starts_;   // of each component among the numbered nodes
    std::vector<int> parents_;  // of all numbered nodes, one after the other
    std::vector<std::size_t> parent_starts_;
    std::vector<int> links_;  // towards the representative of a component
    std::vector<int> edges_;  // children of all nodes, one after the other
    std::vector<int> edge_starts_;
    std::vector<int> missing_;  // parents that have no place in the order yet
    std::vector<int> order_;
    std::vector<int> numbers_;    // of a node in its component
    std::vector<int> component_;  // of a representative
    std::vector<int> sorted_;
};

}  // namespace arcwise
