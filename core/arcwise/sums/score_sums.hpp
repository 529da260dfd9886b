// The score sums of all nodes, and how node numbers become bits of a node's possible parents.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arcwise/families/family_table.hpp"
#include "arcwise/families/fold_families.hpp"
#include "arcwise/sums/node_sums.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

class ScoreSums {
  public:
    // Builds them in parallel, one task a node, with the method given for each. Where parent-only
    // nodes were folded into the families, the sums keep the way back for those who draw DAGs.
    ScoreSums(const FamilyTable& table, const std::vector<SumMethod>& methods, double tolerance,
              Tabulated tabulated, const RunOptions& options,
              std::shared_ptr<const Unfolding> unfolding = nullptr);

    // `write` appends them to a file, after whatever header it has; `map` reads what begins at a
    // byte of a file. Throws `file_format`.
    void write(const std::string& path) const;
    static ScoreSums map(const std::string& path, std::size_t start);

    int nodes() const { return static_cast<int>(sums_.size()); }

    // The way back to parent-only nodes; null where no node is parent-only.
    const std::shared_ptr<const Unfolding>& unfolding() const { return unfolding_; }

    // Whether all sums are looked up in tables.
    bool all_tabulated() const {
        for (const NodeSums& own : sums_) {
            if (!own.tabulated()) return false;
        }
        return true;
    }
    const NodeSums& operator[](int node) const { return sums_[static_cast<std::size_t>(node)]; }

    // 64-bit words that hold a set of possible parents of any node.
    std::size_t words() const { return words_; }

    // The bit of `parent` among the possible parents of `node`, or -1.
    int place(int node, int parent) const { return places_[index(node, parent)]; }

    // The parent at a bit.
    int parent_at(int node, int place) const {
        return possible_[static_cast<std::size_t>(node)][static_cast<std::size_t>(place)];
    }

    // The possible parents of a node by their bits: its candidates, then its required parents.
    const std::vector<int>& possible_parents(int node) const {
        return possible_[static_cast<std::size_t>(node)];
    }

    // How many of them, the first ones, are inside candidates, any number of which may be in a
    // family; the others, except the required ones, are outside parents.
    std::size_t inside(int node) const { return inside_[static_cast<std::size_t>(node)]; }

    // The possible parents of a node among the given nodes, as bits.
    std::vector<std::uint64_t> bits(int node, std::span<const int> parents) const;

    // The parents of the family at a place of the node's, ascending.
    std::vector<int> family(int node, std::int64_t place) const;

  private:
    explicit ScoreSums(ArchiveReader& reader);
    void name_bits();

    std::size_t index(int node, int parent) const {
        return static_cast<std::size_t>(node) * sums_.size() + static_cast<std::size_t>(parent);
    }

    std::vector<NodeSums> sums_;
    std::size_t words_ = 1;
    std::vector<std::vector<int>> possible_;
    std::vector<std::size_t> inside_;
    std::vector<int> places_;  // n x n
    std::shared_ptr<const Unfolding> unfolding_;
};

}  // namespace arcwise
