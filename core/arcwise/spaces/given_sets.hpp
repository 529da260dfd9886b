// The posterior of DAGs where every node has its parents within a set of its own, and at least one
// of them within another.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arcwise/spaces/known_row_sums.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/family_draws.hpp"
#include "arcwise/sums/score_sums.hpp"
#include "arcwise/sums/table/subset_transforms.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

// One node's families given what comes before it: what all posteriors given an order share.

[[noreturn]] inline void refuse_order_without_dag() {
    throw Error(ErrorKind::argument,
                "No DAG that the families allow agrees with this order, so there is no posterior "
                "given it; choose an order that puts required parents before their children.");
}

// Adds the parents of a family, by its place, to the node's row of bits.
inline void add_family(const ScoreSums& sums, int node, std::int64_t family, std::uint64_t* row) {
    constexpr std::size_t most_words = 16;
    const std::size_t words = sums[node].words();
    std::array<std::uint64_t, most_words> few;
    std::vector<std::uint64_t> many(words > most_words ? words : 0);
    std::uint64_t* bits = many.empty() ? few.data() : many.data();
    sums[node].copy_parents(family, bits);
    for_each_member(bits, words, [&](int place) { put_member(row, sums.parent_at(node, place)); });
}

// Draws a family of a node within `allowed` and adds its parents to the node's row of bits.
inline void draw_parents(const ScoreSums& sums, int node, ParentBits allowed, Random& random,
                         std::uint64_t* row) {
    add_family(sums, node, sums[node].draw(allowed, random), row);
}

// edges[u * n + node] += scale * by_place[place of u].
inline void add_parents_to_edges(const ScoreSums& sums, int node, double scale,
                                 std::span<const double> by_place, double* edges) {
    const auto n = static_cast<std::size_t>(sums.nodes());
    for (std::size_t place = 0; place < by_place.size(); ++place) {
        const auto parent = static_cast<std::size_t>(sums.parent_at(node, static_cast<int>(place)));
        edges[parent * n + static_cast<std::size_t>(node)] += scale * by_place[place];
    }
}

// table[X] = ln sum over Y that contain X of e^table[Y].
inline void log_sum_over_supersets(std::span<double> table, int elements) {
    std::reverse(table.begin(), table.end());
    log_sum_over_subsets(table.data(), elements);
    std::reverse(table.begin(), table.end());
}

class GivenSets final : public GivenState {
  public:
    // By node, as bits of its possible parents: those it may have, and as many words with those of
    // which it needs one; none there if it needs none. The sums must outlive this.
    GivenSets(const ScoreSums& sums, std::vector<std::uint64_t> sets)
        : sums_(sums), sets_(std::move(sets)) {}

    // With what a state knows that has these sets: DAGs are drawn the sooner.
    struct Draws {
        std::shared_ptr<FamilyDraws> families;
        KnownRowSums row_sums;
    };
    GivenSets(const ScoreSums& sums, std::vector<std::uint64_t> sets, Draws draws)
        : sums_(sums), sets_(std::move(sets)), draws_(std::move(draws)) {}

    void add_edge_probabilities(double scale, double* edges) override;
    void draw(Random& random, std::uint64_t* parents) override;

  private:
    ParentBits allowed(int node) const {
        return sets_.data() + static_cast<std::size_t>(node) * 2 * sums_.words();
    }
    ParentBits required(int node) const { return allowed(node) + sums_.words(); }
    bool any(ParentBits set) const;

    const ScoreSums& sums_;
    std::vector<std::uint64_t> sets_;
    std::optional<Draws> draws_;
    SumMemo memo_;
};

}  // namespace arcwise
