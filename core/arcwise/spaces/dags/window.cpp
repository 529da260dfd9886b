// A window of nodes near each other whose parents are drawn anew together, the others' kept.
//
// A node outside the window hangs below the window nodes from which a path of outside nodes leads
// to it. For window nodes v and w,
//   B(v, w) = w and all that hangs below it, among the possible parents of v,
// and v depends on w if it has a parent in B(v, w). A DAG results if and only if no v depends on
// itself and dependences close no cycle. So what counts of v's families is
//   sums(v, A) = the summed weight of those within allowed(v, A),
//   allowed(v, A) = the possible parents of v in no B(v, w) for w outside A, such as v itself.
// With these sums DAGs over the window are summed up and drawn layer by layer
// (window_recursion.hpp): v is placed after the nodes U, and after the last layer L of these. Its
// parents are then drawn within allowed(v, U), at least one of them outside allowed(v, U - L). As
// the window does not depend on the DAG, this is a draw from the posterior given all other
// families.
//
// For example, let the window be {a, b}, let c be a child of a outside it, and let every set be a
// family of weight 1. Then c hangs below a, so that
//   B(b, a) = {a, c}, B(b, b) = {}, B(a, b) = {b} and B(a, a) = {c}, and
//   sums(b, {}) = 1 for the family {},       sums(b, {a}) = 4 for {}, {a}, {c} and {a, c},
//   sums(a, {}) = 1 for the family {},       sums(a, {b}) = 2 for {} and {b}.
// The DAGs over the window weigh
//   1 * 1       = 1  where neither depends on the other,
//   1 * (4 - 1) = 3  where b comes after a, with the difference r_b({a}, {a}),
//   1 * (2 - 1) = 1  where a comes after b, with the difference r_a({b}, {b}).
// With probability 3/5 b is placed after a, and then gets one of the families {a}, {c} and {a, c},
// each with probability 1/3.
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
            // The way back never draws a set that is no family of the model.
            if (state_.weight_of(node).zero_factors != 0) return {.possible = false};
        }
        find_below();
        find_sums();
        find_dependences();
        recursion_.sum(smallest_shares_, log_sums_);
        if (!recursion_.has(dependences_)) return {.possible = false};
        const auto places = recursion_.draw(random);
        for (std::size_t v = 0; v < nodes_.size(); ++v) {
            draw_parents(v, places[v].placed, places[v].layer, random);
        }
        return state_.proposal(-state_.gain());
    }

  private:
    using Set = std::uint32_t;  // of window nodes

    // B(v, w), for window nodes by their index.
    std::uint64_t* below(std::size_t v, std::size_t w) {
        return all_below_.data() + (v * nodes_.size() + w) * sums_.words();
    }
    void find_below();
    void find_sums();
    // Fills `bits` with allowed(v, A).
    void allow(std::size_t v, Set set, std::uint64_t* bits);
    // Finds what each node depends on by the parents it has.
    void find_dependences();
    // Draws the parents of v after the nodes U placed before it, the last layer L among them.
    void draw_parents(std::size_t v, Set placed, Set layer, Random& random);

    DagState& state_;
    const FamilyWeights& weights_;
    const ScoreSums& sums_;
    std::span<const int> nodes_;            // the window
    std::vector<std::uint64_t> all_below_;  // B
    std::vector<std::uint64_t> excluded_;   // of one v: by the set A that is not allowed, its B's
    std::vector<double> log_sums_;          // ln sums(v, A) at v * 2^nodes + A
    std::vector<double> smallest_shares_;
    std::vector<Set> dependences_;
    std::vector<std::uint64_t> below_, window_, allowed_, required_;
    WindowRecursion recursion_;
    SumMemo memo_;
};

void Window::find_below() {
    const MutableDag& dag = state_.dag();
    std::fill(window_.begin(), window_.end(), 0);
    for (const int node : nodes_) put_member(window_.data(), node);
    all_below_.resize(nodes_.size() * nodes_.size() * sums_.words());
    for (std::size_t w = 0; w < nodes_.size(); ++w) {
        // Members of the set count as followed, so no path leads through the window.
        below_ = window_;
        dag.add_descendants(nodes_[w], below_.data());
        for (std::size_t word = 0; word < below_.size(); ++word) below_[word] &= ~window_[word];
        // No node is a possible parent of its own.
        weights_.to_places(nodes_[w], below_.data(), below(w, w));
        put_member(below_.data(), nodes_[w]);
        for (std::size_t v = 0; v < nodes_.size(); ++v) {
            if (v != w) weights_.to_places(nodes_[v], below_.data(), below(v, w));
        }
    }
}

void Window::allow(std::size_t v, Set set, std::uint64_t* bits) {
    std::fill(bits, bits + sums_.words(), 0);
    for (std::size_t w = 0; w < nodes_.size(); ++w) {
        if ((set >> w & 1) != 0) continue;
        for (std::size_t word = 0; word < sums_.words(); ++word) {
            bits[word] |= below(v, w)[word];
        }
    }
    for (std::size_t word = 0; word < sums_.words(); ++word) bits[word] = ~bits[word];
}

// All sets A at once: what A excludes is what A and one node more exclude, and B(v, w) of that one.
void Window::find_sums() {
    const std::size_t sets = std::size_t{1} << nodes_.size();
    const std::size_t words = sums_.words();
    log_sums_.assign(nodes_.size() * sets, minus_infinity);
    excluded_.resize(sets * words);
    smallest_shares_.clear();
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
        const NodeSums& sums = sums_[nodes_[v]];
        double* own = log_sums_.data() + v * sets;
        smallest_shares_.push_back(sums.smallest_difference());
        std::copy_n(below(v, v), words, excluded_.begin());
        for (std::size_t outside = 0; outside < sets; ++outside) {
            if ((outside >> v & 1) != 0) continue;
            std::uint64_t* bits = excluded_.data() + outside * words;
            if (outside != 0) {
                const auto w = static_cast<std::size_t>(std::countr_zero(outside));
                const std::uint64_t* fewer = excluded_.data() + (outside & (outside - 1)) * words;
                for (std::size_t word = 0; word < words; ++word) {
                    bits[word] = fewer[word] | below(v, w)[word];
                }
            }
            for (std::size_t word = 0; word < words; ++word) allowed_[word] = ~bits[word];
            const std::size_t set = (sets - 1) ^ outside ^ (std::size_t{1} << v);
            own[set] = sums.relative_log_sum(allowed_.data());
        }
    }
}

void Window::find_dependences() {
    dependences_.assign(nodes_.size(), 0);
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
        weights_.to_places(nodes_[v], state_.dag().parents(nodes_[v]), allowed_.data());
        for (std::size_t w = 0; w < nodes_.size(); ++w) {
            bool depends = false;
            for (std::size_t word = 0; word < sums_.words(); ++word) {
                depends = depends || (allowed_[word] & below(v, w)[word]) != 0;
            }
            if (depends) dependences_[v] |= Set{1} << w;
        }
    }
}

void Window::draw_parents(std::size_t v, Set placed, Set layer, Random& random) {
    const NodeSums& sums = sums_[nodes_[v]];
    allow(v, placed, allowed_.data());
    std::int64_t family = -1;
    if (layer == 0) {
        family = sums.draw(allowed_.data(), random);
    } else {
        allow(v, placed ^ layer, required_.data());
        for (std::size_t word = 0; word < sums_.words(); ++word) {
            required_[word] = allowed_[word] & ~required_[word];
        }
        family = sums.draw(allowed_.data(), required_.data(), memo_, random);
    }
    std::uint64_t* row = state_.begin_change(nodes_[v]);
    weights_.parents_of(nodes_[v], family, row);
    if (std::equal(row, row + weights_.words(), state_.dag().parents(nodes_[v]))) {
        state_.drop_last_change();
    } else {
        state_.weigh_change(state_.changed_nodes().size() - 1, {sums.weight(family), 0});
    }
}

}  // namespace

std::unique_ptr<Move> make_window(DagState& state) { return std::make_unique<Window>(state); }

}  // namespace arcwise
