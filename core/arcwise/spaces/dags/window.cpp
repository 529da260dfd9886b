// A window of nodes near each other whose parents are drawn anew together, the others' kept.
//
// A node outside the window hangs below the window nodes it descends from through outside nodes
// alone. Parents of a window node make it depend on those of them that are in the window, and on
// what the others hang below; a DAG results if and only if these dependences close no cycle. So
// DAGs over the window with
//   sums(v, A) = summed weight of the families of v that make it depend on nothing but A
// are summed up and drawn exactly, then each node's parents given its place among them. As the
// window is chosen whatever the DAG, this is a draw from the posterior given all other families.
#include <algorithm>
#include <bit>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/dags/dag_state.hpp"
#include "arcwise/spaces/dags/neighbourhoods.hpp"
#include "arcwise/spaces/dags/window_recursion.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

class Window final : public Move {
  public:
    explicit Window(DagState& state)
        : state_(state),
          weights_(state.weights()),
          sums_(weights_.sums()),
          below_(weights_.words()),
          window_(weights_.words()),
          allowed_(sums_.words()),
          required_(sums_.words()) {}

    Proposal propose(const Temperature&, Random& random) override {
        nodes_ = state_.neighbourhoods().draw(random);
        for (const int node : nodes_) {
            // A family that the model has not is drawn on no way back.
            if (state_.weight_of(node).zero_factors != 0) return {.possible = false};
        }
        find_blocked();
        find_sums();
        find_dependences();
        recursion_.sum(smallest_shares_, log_sums_);
        if (!recursion_.has(dependences_)) return {.possible = false};
        const auto places = recursion_.draw(random);
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            draw_parents(node, places[node].before, places[node].layer, random);
        }
        return state_.proposal(-state_.gain());
    }

  private:
    using Set = std::uint32_t;

    // By window nodes v and w: w and what hangs below it, as bits of the possible parents of v.
    std::uint64_t* blocked(std::size_t node, std::size_t by) {
        return blocked_.data() + (node * nodes_.size() + by) * sums_.words();
    }
    void find_blocked();
    void find_sums();
    // The possible parents that make a window node depend on nothing but a set.
    void allow(std::size_t node, Set set, std::uint64_t* bits);
    // Of each node, by the parents it has.
    void find_dependences();
    // A node's parents where it comes after some, and depends on one of the last layer of these.
    void draw_parents(std::size_t node, Set before, Set layer, Random& random);

    DagState& state_;
    const FamilyWeights& weights_;
    const ScoreSums& sums_;
    std::span<const int> nodes_;
    std::vector<std::uint64_t> blocked_;
    std::vector<std::uint64_t> blocked_by_;  // for one node, by sets of others
    std::vector<double> log_sums_;
    std::vector<double> smallest_shares_;
    std::vector<Set> dependences_;
    std::vector<std::uint64_t> below_, window_, allowed_, required_;
    WindowRecursion recursion_;
    SumMemo memo_;
};

void Window::find_blocked() {
    const MutableDag& dag = state_.dag();
    std::fill(window_.begin(), window_.end(), 0);
    for (const int node : nodes_) put_member(window_.data(), node);
    blocked_.resize(nodes_.size() * nodes_.size() * sums_.words());
    for (std::size_t by = 0; by < nodes_.size(); ++by) {
        // Members of the set count as followed, so no path leads through the window.
        below_ = window_;
        dag.add_descendants(nodes_[by], below_.data());
        for (std::size_t word = 0; word < below_.size(); ++word) below_[word] &= ~window_[word];
        // No node is a possible parent of its own.
        weights_.to_places(nodes_[by], below_.data(), blocked(by, by));
        put_member(below_.data(), nodes_[by]);
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            if (node != by) weights_.to_places(nodes_[node], below_.data(), blocked(node, by));
        }
    }
}

void Window::allow(std::size_t node, Set set, std::uint64_t* bits) {
    std::fill(bits, bits + sums_.words(), 0);
    for (std::size_t by = 0; by < nodes_.size(); ++by) {
        if ((set >> by & 1) != 0) continue;
        for (std::size_t word = 0; word < sums_.words(); ++word) {
            bits[word] |= blocked(node, by)[word];
        }
    }
    for (std::size_t word = 0; word < sums_.words(); ++word) bits[word] = ~bits[word];
}

void Window::find_sums() {
    const std::size_t sets = std::size_t{1} << nodes_.size();
    const std::size_t words = sums_.words();
    log_sums_.assign(nodes_.size() * sets, minus_infinity);
    blocked_by_.resize(sets * words);
    smallest_shares_.clear();
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        const NodeSums& sums = sums_[nodes_[node]];
        double* own = log_sums_.data() + node * sets;
        smallest_shares_.push_back(sums.smallest_difference());
        // What the nodes that are not in a set block, the node itself among them.
        std::copy_n(blocked(node, node), words, blocked_by_.begin());
        for (std::size_t others = 0; others < sets; ++others) {
            if ((others >> node & 1) != 0) continue;
            std::uint64_t* bits = blocked_by_.data() + others * words;
            if (others != 0) {
                const auto by = static_cast<std::size_t>(std::countr_zero(others));
                const std::uint64_t* fewer = blocked_by_.data() + (others & (others - 1)) * words;
                for (std::size_t word = 0; word < words; ++word) {
                    bits[word] = fewer[word] | blocked(node, by)[word];
                }
            }
            for (std::size_t word = 0; word < words; ++word) allowed_[word] = ~bits[word];
            const std::size_t set = (sets - 1) ^ others ^ (std::size_t{1} << node);
            own[set] = sums.relative_log_sum(allowed_.data());
        }
    }
}

void Window::find_dependences() {
    dependences_.assign(nodes_.size(), 0);
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        weights_.to_places(nodes_[node], state_.dag().parents(nodes_[node]), allowed_.data());
        for (std::size_t by = 0; by < nodes_.size(); ++by) {
            bool depends = false;
            for (std::size_t word = 0; word < sums_.words(); ++word) {
                depends = depends || (allowed_[word] & blocked(node, by)[word]) != 0;
            }
            if (depends) dependences_[node] |= Set{1} << by;
        }
    }
}

void Window::draw_parents(std::size_t node, Set before, Set layer, Random& random) {
    const NodeSums& sums = sums_[nodes_[node]];
    allow(node, before, allowed_.data());
    std::int64_t family = -1;
    if (layer == 0) {
        family = sums.draw(allowed_.data(), random);
    } else {
        allow(node, before ^ layer, required_.data());
        for (std::size_t word = 0; word < sums_.words(); ++word) {
            required_[word] = allowed_[word] & ~required_[word];
        }
        family = sums.draw(allowed_.data(), required_.data(), memo_, random);
    }
    std::uint64_t* row = state_.begin_change(nodes_[node]);
    weights_.parents_of(nodes_[node], family, row);
    if (std::equal(row, row + weights_.words(), state_.dag().parents(nodes_[node]))) {
        state_.drop_last_change();
    } else {
        state_.weigh_change(state_.changed_nodes().size() - 1, {sums.weight(family), 0});
    }
}

}  // namespace

std::unique_ptr<Move> make_window(DagState& state) { return std::make_unique<Window>(state); }

}  // namespace arcwise
