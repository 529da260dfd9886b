// Sums and draws of the two parent sets that a reversal renews.
#include "arcwise/spaces/dags/edge_reversal.hpp"

#include <cmath>
#include <limits>

#include "arcwise/support/bits.hpp"

namespace arcwise {

EdgeReversal::EdgeReversal(const FamilyWeights& weights)
    : weights_(weights),
      old_of_from_(weights.words()),
      old_of_to_(weights.words()),
      none_(weights.words()),
      set_(weights.words()),
      allowed_from_(weights.sums().words()),
      allowed_to_(allowed_from_),
      must_(allowed_from_) {}

void EdgeReversal::choose_edge(const MutableDag& dag, Random& random) {
    std::size_t index = random.below(dag.edges());
    for (to_ = 0;; ++to_) {
        const std::size_t here = count_members(dag.parents(to_), dag.words());
        if (index < here) break;
        index -= here;
    }
    from_ = member_at(dag.parents(to_), index);
}

const std::uint64_t* EdgeReversal::allowed(const MutableDag& dag, int node,
                                           std::vector<std::uint64_t>& bits) {
    std::fill(set_.begin(), set_.end(), 0);
    dag.add_descendants(node, set_.data());
    put_member(set_.data(), node);
    for (std::uint64_t& word : set_) word = ~word;
    weights_.to_places(node, set_.data(), bits.data());
    return bits.data();
}

void EdgeReversal::take_back(MutableDag& dag) const {
    dag.set_parents(from_, none_.data());
    dag.set_parents(to_, old_of_to_.data());
    dag.set_parents(from_, old_of_from_.data());
}

bool EdgeReversal::redraw(MutableDag& dag, SumMemo& memo, Random& random) {
    constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
    const ScoreSums& sums = weights_.sums();
    const std::size_t words = weights_.words();
    const auto must = [&](int node, int parent) {
        std::fill(must_.begin(), must_.end(), 0);
        const int place = sums.place(node, parent);
        if (place >= 0) put_member(must_.data(), place);
        return must_.data();
    };
    const std::size_t edges = dag.edges();
    std::copy(dag.parents(from_), dag.parents(from_) + words, old_of_from_.begin());
    std::copy(dag.parents(to_), dag.parents(to_) + words, old_of_to_.begin());

    // Back, its second half: the parents of `from`, when `to` has its old ones again.
    dag.set_parents(from_, none_.data());
    const double back_from = sums[from_].log_sum(allowed(dag, from_, allowed_from_));
    dag.set_parents(to_, none_.data());
    // There: parents of `from` with `to` among them.
    allowed(dag, from_, allowed_from_);
    const double sum_from = sums[from_].log_sum(allowed_from_.data(), must(from_, to_), memo);
    if (sum_from == minus_infinity) {
        take_back(dag);
        return false;
    }
    // Back, its first half: parents of `to` with `from` among them. There are some: the old ones.
    allowed(dag, to_, allowed_to_);
    const double back_to = sums[to_].log_sum(allowed_to_.data(), must(to_, from_), memo);

    const std::int64_t of_from =
        sums[from_].draw(allowed_from_.data(), must(from_, to_), memo, random);
    weights_.parents_of(from_, of_from, set_.data());
    dag.set_parents(from_, set_.data());
    const double sum_to = sums[to_].log_sum(allowed(dag, to_, allowed_to_));
    if (sum_to == minus_infinity) {
        take_back(dag);
        return false;
    }
    weights_.parents_of(to_, sums[to_].draw(allowed_to_.data(), random), set_.data());
    dag.set_parents(to_, set_.data());
    log_ratio_ = std::log(static_cast<double>(edges) / static_cast<double>(dag.edges())) +
                 sum_from + sum_to - back_to - back_from;
    return true;
}

}  // namespace arcwise
