// The space of linear orders and one of them: its score sums, and its moves, each weighed from the
// nodes whose predecessors it changes.
#include "arcwise/spaces/orders/linear_orders.hpp"

#include <algorithm>

#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/known_row_sums.hpp"
#include "arcwise/spaces/orders/bucket_orders.hpp"
#include "arcwise/spaces/orders/order_state.hpp"
#include "arcwise/spaces/registry.hpp"

namespace arcwise {
namespace {

struct LinearChange {
    int node;
    LogWeight weight = {};
};

class LinearOrder final : public LinearState<LinearOrders, LinearChange, 1> {
  public:
    explicit LinearOrder(const LinearOrders& space);

    void draw_uniform(Random& random) override {
        order_.shuffle(random);
        sum_up();
    }
    Proposal propose(const Temperature& temperature, Random& random) override {
        if (nodes() < 2) return {.possible = false};
        begin_proposal();
        return LinearState::propose(temperature, random);
    }
    void accept() override;
    std::vector<std::uint16_t> encode() const override { return order_.encode(); }
    void decode(std::span<const std::uint16_t> code) override {
        order_.decode(code);
        sum_up();
    }
    std::unique_ptr<GivenState> given() const override;

    // What moves ask for; see order_state.hpp.
    LogWeight propose_swap(std::size_t first, std::size_t last);
    LogWeight propose_relocation(std::size_t from, std::size_t to);
    void weigh_places(std::size_t from, std::vector<LogWeight>& totals);
    static constexpr bool weighs_places_exactly = true;

  private:
    // Adds a node whose predecessors, returned as they are now, will be changed and then weighed.
    std::uint64_t* begin_change(int node) {
        std::uint64_t* changed = changed_set(changes_.size());
        copy_words(set_of(node), changed);
        changes_.push_back({node});
        return changed;
    }
    void drop_change() { changes_.pop_back(); }
    void weigh_change(std::size_t index) {
        LinearChange& change = changes_[index];
        count_change(change, weights_.at(change.node, changed_set(index)));
    }
    void weigh_swap_in_rows();
    // A node between two that are swapped loses the one and gains the other; returns false if
    // neither can be its parent.
    bool exchange(std::uint64_t* predecessors, int node) const {
        const bool loses = weights_.flip(predecessors, node, swapped_.early);
        const bool gains = weights_.flip(predecessors, node, swapped_.late);
        return loses || gains;
    }
    // Sums computed by rows rarely need the predecessors of the nodes between two that are swapped:
    // these are changed in place, once the swap is accepted.
    bool left_as_is(std::size_t change) const { return swapped_.in_rows && change >= 2; }

    template <class Visit>
    void for_each_place(std::size_t from, int step, Visit visit) const;
    void pass(std::size_t from, int step, std::vector<LogWeight>& of_moved);
    void sum_up();

    struct Swapped {
        int early = 0;
        int late = 0;
        bool in_rows = false;  // the changes from the third on are then those of the nodes between
    };

    Swapped swapped_;
    KnownRowSums row_sums_;
    PlainWeights plain_weights_;

    // For a relocation: by place, the weight of the node that stands there once the moved one has
    // passed it; and the predecessors of the moved one on its way.
    std::vector<LogWeight> passed_weights_;
    std::vector<std::uint64_t> scratch_;
};

// Shares are in proportion to 1 / (score sums that a move needs), so that all take the same time.
std::vector<MoveRow<LinearOrder>> linear_order_moves(int nodes) {
    const double n = nodes;
    return {
        {"swap", 1.0 / (n / 3.0 + 2.0), make_move<Swap<LinearOrder, false>>},
        {"adjacent", 1.0 / 2.0, make_move<Swap<LinearOrder, true>>},
        {"relocate", 1.0 / (2.0 * n), make_move<Relocation<LinearOrder>>},
    };
}

LinearOrder::LinearOrder(const LinearOrders& space)
    : LinearState(space),
      row_sums_(weights_),
      plain_weights_(weights_),
      passed_weights_(nodes()),
      scratch_(words_) {
    moves_.emplace(linear_order_moves(space.nodes()), *this);
    sum_up();
}

void LinearOrder::sum_up() {
    accepted_ = 0;
    row_sums_.forget_all();
    for (std::size_t place = 0; place < nodes(); ++place) {
        const int node = order_[place];
        std::fill_n(set_of(node), words_, 0);
        for (std::size_t before = 0; before < place; ++before) {
            weights_.flip(set_of(node), node, order_[before]);
        }
        node_weights_[static_cast<std::size_t>(node)] = weights_.at(node, set_of(node));
    }
    weight_ = sum_of(node_weights_);
}

std::unique_ptr<GivenState> LinearOrder::given() const {
    std::vector<std::vector<int>> buckets;
    for (const int node : order_) buckets.push_back({node});
    return std::make_unique<GivenBuckets>(weights_.sums(), std::move(buckets));
}

void LinearOrder::accept() {
    order_.make_change();
    accept_changes([&](std::size_t index, const LinearChange& change) {
        if (left_as_is(index)) {
            exchange(set_of(change.node), change.node);
        } else {
            copy_words(changed_set(index), set_of(change.node));
        }
        row_sums_.forget(change.node);
    });
}

// The two ends have quite different predecessors; each node between has lost the one and gained the
// other.
void LinearOrder::weigh_swap_in_rows() {
    const ScoreSums& sums = weights_.sums();
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        LinearChange& change = changes_[i];
        const IncrementalSums& own = weights_.incremental(change.node);
        bool by_rows = own.by_rows();
        if (by_rows && left_as_is(i)) {
            const int gone = sums.place(change.node, swapped_.early);
            const int come = sums.place(change.node, swapped_.late);
            if (own.can_exchange(gone, come)) {
                const IncrementalSums::Known& now =
                    row_sums_.of(change.node, set_of(change.node), nullptr);
                const double number = now.digits ? own.exchanged(now, gone, come) : 0.0;
                if (number > 0.0) {
                    plain_weights_.ask_inline(change.node, number, now.unit, change.weight);
                    continue;
                }
                by_rows = false;  // rows would have no more digits for the whole sum
            }
        }
        if (left_as_is(i)) {
            copy_words(set_of(change.node), changed_set(i));
            exchange(changed_set(i), change.node);
        }
        IncrementalSums::Known then;
        if (by_rows) then = own.known(changed_set(i), nullptr);
        if (then.digits && then.met > 0.0) {
            plain_weights_.ask_inline(change.node, then.met, then.unit, change.weight);
        } else {
            change.weight = weights_.at(change.node, changed_set(i));
        }
    }
    plain_weights_.answer();
    for (LinearChange& change : changes_) count_change(change, change.weight);
}

LogWeight LinearOrder::propose_swap(std::size_t first, std::size_t last) {
    // Rows that fit one word are added up as fast as they are updated.
    swapped_ = {order_[first], order_[last], row_sums_.any() && words_ > 1};
    const auto [early, late, in_rows] = swapped_;
    order_.propose_swap(first, last);

    // `early` gains, and `late` loses, all that is between them, and each other.
    std::uint64_t* of_early = begin_change(early);
    std::uint64_t* of_late = begin_change(late);
    weights_.flip(of_early, early, late);
    weights_.flip(of_late, late, early);
    for (std::size_t place = first + 1; place < last; ++place) {
        const int node = order_[place];
        weights_.flip(of_early, early, node);
        weights_.flip(of_late, late, node);
        if (in_rows) {
            if (weights_.can_have(node, early) || weights_.can_have(node, late)) {
                changes_.push_back({node});
            }
        } else if (!exchange(begin_change(node), node)) {
            drop_change();
        }
    }
    if (in_rows) {
        weigh_swap_in_rows();
    } else {
        for (std::size_t change = 0; change < changes_.size(); ++change) weigh_change(change);
    }
    return proposed_;
}

// Calls visit(place) for all places from one on, up or down, without that one.
template <class Visit>
void LinearOrder::for_each_place(std::size_t from, int step, Visit visit) const {
    if (step > 0) {
        for (std::size_t place = from + 1; place < nodes(); ++place) visit(place);
    } else {
        for (std::size_t place = from; place-- > 0;) visit(place);
    }
}

// Weighs the moved node, and each node that it passes, on its way from `from` to one end.
void LinearOrder::pass(std::size_t from, int step, std::vector<LogWeight>& of_moved) {
    const int moved = order_[from];
    copy_words(set_of(moved), scratch_.data());
    for_each_place(from, step, [&](std::size_t place) {
        const int passed = order_[place];
        weights_.flip(scratch_.data(), moved, passed);
        of_moved[place] = weights_.at(moved, scratch_.data());
        std::uint64_t* of_passed = set_of(passed);
        if (weights_.flip(of_passed, passed, moved)) {
            passed_weights_[place] = weights_.at(passed, of_passed);
            weights_.flip(of_passed, passed, moved);
        } else {
            passed_weights_[place] = weight_of(passed);
        }
    });
}

void LinearOrder::weigh_places(std::size_t from, std::vector<LogWeight>& totals) {
    const LogWeight others = weight_ - weight_of(order_[from]);
    pass(from, 1, totals);
    pass(from, -1, totals);
    totals[from] = weight_;
    for (const int step : {1, -1}) {
        LogWeight rest = others;
        for_each_place(from, step, [&](std::size_t place) {
            rest = rest + (passed_weights_[place] - weight_of(order_[place]));
            totals[place] = rest + totals[place];
        });
    }
}

LogWeight LinearOrder::propose_relocation(std::size_t from, std::size_t to) {
    order_.propose_relocation(from, to);
    swapped_.in_rows = false;
    if (to == from) return proposed_;
    const int moved = order_[from];
    const std::size_t first = std::min(from, to);
    const std::size_t last = std::max(from, to);
    std::uint64_t* of_moved = begin_change(moved);
    for (std::size_t place = first; place <= last; ++place) {
        if (place != from) weights_.flip(of_moved, moved, order_[place]);
    }
    weigh_change(0);
    for (std::size_t place = first; place <= last; ++place) {
        if (place == from) continue;
        const int passed = order_[place];
        if (weights_.flip(begin_change(passed), passed, moved)) {
            count_change(changes_.back(), passed_weights_[place]);  // known from the way there
        } else {
            drop_change();
        }
    }
    return proposed_;
}

}  // namespace

LinearOrders::LinearOrders(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares,
                           Semiring semiring)
    : Space(MoveTable(linear_order_moves(sums->nodes()), shares)),
      weights_(std::move(sums), semiring) {}

std::unique_ptr<State> LinearOrders::make_state() const {
    return std::make_unique<LinearOrder>(*this);
}

double LinearOrders::log_size() const { return log_gamma(nodes() + 1.0); }

static const SpaceRegistration registration({
    .name = "linear",
    .moves = [](int nodes) { return MoveTable(linear_order_moves(nodes)); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings&,
                const MoveShares& shares) -> std::shared_ptr<const Space> {
        return std::make_shared<LinearOrders>(std::move(sums), shares);
    },
});

}  // namespace arcwise
