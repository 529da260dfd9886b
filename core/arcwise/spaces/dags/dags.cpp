// The space of DAGs; what one is worth, and how a proposal becomes the state.
#include "arcwise/spaces/dags/dags.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "arcwise/spaces/dags/dag_state.hpp"
#include "arcwise/spaces/dags/family_weights.hpp"
#include "arcwise/spaces/dags/neighbourhoods.hpp"
#include "arcwise/spaces/dags/uniform_dags.hpp"
#include "arcwise/spaces/dags/window_pilot.hpp"
#include "arcwise/spaces/given_sets.hpp"
#include "arcwise/spaces/orders/some_dag.hpp"
#include "arcwise/spaces/registry.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

constexpr std::size_t bits_per_number = 16;

// Where sums are looked up in tables, reversals and paths gain more by it than windows do: with as
// many more of these, windows take about half of the time as elsewhere. Where a pilot has found
// nothing to be slow they are as much rarer.
constexpr double paths_with_tables = 4.0;
constexpr double reversals_with_tables = 7.0;
constexpr double windows_hardly_needed = 0.125;

// Where sums are not looked up, reversals and windows take nearly all of the time; paths and
// redrawn families bring more for it.
constexpr double paths_without_tables = 1.8;
constexpr double reversals_without_tables = 0.6;
constexpr double windows_without_tables = 0.66;

// The posterior of DAGs given one: itself, and the law of each node's parents given the other
// families.
class GivenDag final : public GivenState {
  public:
    // The weights must outlive this.
    GivenDag(const FamilyWeights& weights, const MutableDag& dag) : weights_(weights), dag_(dag) {}

    // An edge's probability is that given the parents of all nodes but its head: its mean over DAGs
    // that follow the posterior is that of the edge itself, and it varies less.
    void add_edge_probabilities(double scale, double* edges) override;

    // The DAG itself.
    void draw(Random& random, std::uint64_t* parents) override;

  private:
    const FamilyWeights& weights_;
    MutableDag dag_;
};

void GivenDag::add_edge_probabilities(double scale, double* edges) {
    const ScoreSums& sums = weights_.sums();
    std::vector<std::uint64_t> set(dag_.words());
    std::vector<std::uint64_t> allowed(sums.words());
    std::vector<double> by_place;
    for (int node = 0; node < dag_.nodes(); ++node) {
        std::fill(set.begin(), set.end(), 0);
        dag_.add_descendants(node, set.data());
        for (std::uint64_t& word : set) word = ~word;
        weights_.to_places(node, set.data(), allowed.data());
        by_place.assign(sums.possible_parents(node).size(), 0.0);
        const double log_factor = -sums[node].log_sum(allowed.data());
        sums[node].add_parent_probabilities(allowed.data(), {}, &log_factor, by_place.data());
        add_parents_to_edges(sums, node, scale, by_place, edges);
    }
}

void GivenDag::draw(Random&, std::uint64_t* parents) {
    std::copy(dag_.all_parents().begin(), dag_.all_parents().end(), parents);
}

}  // namespace

DagState::DagState(const Dags& space)
    : space_(space),
      weights_(space.weights()),
      neighbourhoods_(space.neighbourhoods()),
      words_(weights_.words()),
      dag_(space.nodes()),
      node_weights_(static_cast<std::size_t>(space.nodes())),
      neighbours_(weights_),
      changed_parents_(node_weights_.size() * words_),
      changed_weights_(node_weights_.size()),
      set_(words_),
      moves_(dag_moves(), *this) {
    become(dag_.all_parents());
}

void DagState::become(const std::vector<std::uint64_t>& parents) {
    const std::vector<std::uint64_t> rows = parents;  // may be the DAG's own
    accepted_ = 0;
    for (int node = 0; node < dag_.nodes(); ++node) {
        const auto at = static_cast<std::size_t>(node);
        dag_.set_parents(node, rows.data() + at * words_);
        node_weights_[at] = weights_.weigh(node, dag_.parents(node));
    }
    weight_ = sum_of(node_weights_);
    neighbours_.forget();
}

LogWeight DagState::recomputed_weight() const {
    DagState fresh(space_);
    fresh.become(dag_.all_parents());
    return fresh.log_weight();
}

void DagState::draw_uniform(Random& random) {
    std::vector<std::uint64_t> parents(dag_.all_parents().size());
    space_.uniform().draw(random, parents.data());
    become(parents);
}

bool DagState::start_from_orders(std::uint64_t steps, Random& random, TaskContext* context) {
    return start_at(some_dag(weights_.sums(), steps, random, context));
}

bool DagState::start_at(const SomeDag& dag) {
    become(dag.parents);
    return true;
}

std::vector<std::uint16_t> DagState::encode() const {
    const auto nodes = static_cast<std::size_t>(dag_.nodes());
    const std::size_t numbers = (nodes + bits_per_number - 1) / bits_per_number;
    std::vector<std::uint16_t> code;
    for (int node = 0; node < dag_.nodes(); ++node) {
        for (std::size_t i = 0; i < numbers; ++i) {
            const std::uint64_t word = dag_.parents(node)[i / 4];
            code.push_back(static_cast<std::uint16_t>(word >> (i % 4 * bits_per_number)));
        }
    }
    return code;
}

void DagState::decode(std::span<const std::uint16_t> code) {
    const auto nodes = static_cast<std::size_t>(dag_.nodes());
    const std::size_t numbers = (nodes + bits_per_number - 1) / bits_per_number;
    const auto refuse = [] {
        throw Error(ErrorKind::argument,
                    "A DAG must give each node its parents without closing a cycle, and no more of "
                    "them than the largest family of the model has.");
    };
    if (code.size() != nodes * numbers) refuse();
    MutableDag decoded(dag_.nodes());
    for (std::size_t node = 0; node < nodes; ++node) {
        std::vector<std::uint64_t> row(words_, 0);
        for (std::size_t i = 0; i < numbers; ++i) {
            row[i / 4] |= std::uint64_t{code[node * numbers + i]} << (i % 4 * bits_per_number);
        }
        const bool beyond = nodes % 64 != 0 && (row.back() >> (nodes % 64)) != 0;
        const std::size_t size = count_members(row.data(), words_);
        if (beyond || size > static_cast<std::size_t>(weights_.most_parents())) refuse();
        decoded.set_parents(static_cast<int>(node), row.data());
    }
    if (!decoded.acyclic()) refuse();
    become(decoded.all_parents());
}

std::unique_ptr<GivenState> DagState::given() const {
    return std::make_unique<GivenDag>(weights_, dag_);
}

Proposal DagState::propose(const Temperature& temperature, Random& random) {
    changed_.clear();
    proposed_ = weight_;
    renew_neighbours_ = false;
    const bool hot = !std::isinf(temperature.penalty);
    return moves_.propose(random.choose(space_.shares(*neighbourhoods_, hot)), temperature, random);
}

void DagState::find_parents_without_cycle(int node, std::uint64_t* places) {
    std::fill(set_.begin(), set_.end(), 0);
    dag_.add_descendants(node, set_.data());
    for (std::uint64_t& word : set_) word = ~word;
    weights_.to_places(node, set_.data(), places);
}

DagNeighbours& DagState::look_at_neighbours(NeighbourRule rule) {
    renew_neighbours_ = true;
    neighbours_.look_at(dag_, rule);
    return neighbours_;
}

std::uint64_t* DagState::begin_change(int node) {
    std::uint64_t* row = changed_parents_.data() + changed_.size() * words_;
    std::copy(dag_.parents(node), dag_.parents(node) + words_, row);
    changed_.push_back(node);
    return row;
}

void DagState::weigh_change(std::size_t index, const LogWeight& weight) {
    const auto node = static_cast<std::size_t>(changed_[index]);
    changed_weights_[index] = weight;
    proposed_ = proposed_ + (weight - node_weights_[node]);
}

void DagState::weigh_changes() {
    for (std::size_t i = 0; i < changed_.size(); ++i) {
        weigh_change(i, weights_.weigh(changed_[i], changed_parents_.data() + i * words_));
    }
}

void DagState::accept() {
    if (renew_neighbours_) {
        neighbours_.change(dag_, changed_, changed_parents_.data());
    } else if (!changed_.empty()) {
        neighbours_.forget();
        for (std::size_t i = 0; i < changed_.size(); ++i) {
            dag_.set_parents(changed_[i], changed_parents_.data() + i * words_);
        }
    }
    for (std::size_t i = 0; i < changed_.size(); ++i) {
        node_weights_[static_cast<std::size_t>(changed_[i])] = changed_weights_[i];
    }
    take_weight(proposed_);
}

Dags::Dags(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares)
    : Space(MoveTable(dag_moves(), shares)),
      sums_(std::move(sums)),
      weights_(std::make_shared<FamilyWeights>(*sums_)),
      neighbourhoods_(std::make_shared<Neighbourhoods>(*sums_)) {
    set_shares(!shares.empty());
}

Dags::Dags(const Dags& other, const MoveShares& shares)
    : Space(MoveTable(dag_moves(), shares)),
      sums_(other.sums_),
      weights_(other.weights_),
      neighbourhoods_(other.neighbourhoods_) {
    const std::lock_guard lock(other.pilots_asked_);
    pilots_ = other.pilots_;
    set_shares(true);
}

std::shared_ptr<const Space> Dags::with_shares(const MoveShares& shares) const {
    return std::shared_ptr<const Space>(new Dags(*this, shares));
}

void Dags::set_shares(bool asked) {
    hot_shares_ = quick_shares_ = shares_ = moves().shares_by_move();
    if (!asked && sums_->all_tabulated()) {
        shares_[path_move] *= paths_with_tables;
        shares_[reversal_move] *= reversals_with_tables;
        hot_shares_ = quick_shares_ = shares_;
        quick_shares_[window_move] *= windows_hardly_needed;
    } else if (!asked) {
        shares_[path_move] *= paths_without_tables;
        shares_[reversal_move] *= reversals_without_tables;
        shares_[window_move] *= windows_without_tables;
        hot_shares_ = quick_shares_ = shares_;
    }
    const double total = std::accumulate(shares_.begin(), shares_.end(), 0.0);
    for (std::size_t move = 0; move < one_edge_moves; ++move) {
        hot_shares_[move] += total / static_cast<double>(one_edge_moves);
    }
    hot_shares_[window_move] = 0.0;
}

Dags::~Dags() = default;

std::unique_ptr<State> Dags::make_state() const { return std::make_unique<DagState>(*this); }

std::shared_ptr<const Neighbourhoods> Dags::neighbourhoods(std::uint64_t order_steps,
                                                           TaskContext* context) const {
    const bool all_in_one = static_cast<std::size_t>(nodes()) <= Neighbourhoods::most_of_few;
    if (all_in_one || shares_[window_move] == 0.0 || !pilot_pays(nodes(), order_steps)) {
        return neighbourhoods_;
    }
    // Other chains of the space wait for the one that makes it.
    const std::lock_guard lock(pilots_asked_);
    auto& found = pilots_[order_steps];
    if (found == nullptr) {
        found =
            std::make_shared<Neighbourhoods>(neighbourhoods_by_pilot(*this, order_steps, context));
    }
    return found;
}

void Dags::prepare(State& state, std::uint64_t order_steps, TaskContext* context) const {
    static_cast<DagState&>(state).open_windows_in(neighbourhoods(order_steps, context));
}

double Dags::slowest_edge(std::uint64_t order_steps, TaskContext* context) const {
    return neighbourhoods(order_steps, context)->most_needed();
}

const std::vector<double>& Dags::shares(const Neighbourhoods& neighbourhoods, bool hot) const {
    if (hot) return hot_shares_;
    return neighbourhoods.hardly_needed() ? quick_shares_ : shares_;
}

// Microseconds on one busy processor, rounded by hand from four tables of 10, 20, 20 and 37 nodes,
// three of them with tables of sums; beyond that they are guesses.
UsualMoves Dags::usual_moves(std::uint64_t order_steps, TaskContext* context) const {
    const auto windows = neighbourhoods(order_steps, context);
    const double n = nodes();
    const bool tables = sums_->all_tabulated();
    UsualMoves usual;
    usual.work = {
        tables ? 0.03 * n : 0.004 * n * n,    // add or delete
        tables ? 0.05 * n : 0.005 * n * n,    // reverse
        0.15,                                 // reverse path
        0.4,                                  // redraw parents
        tables ? 0.8 : 1.8,                   // reverse and redraw
        windows->work(tables ? 0.04 : 0.08),  // window
        1.0 + 0.06 * n,                       // class jump
        tables ? 0.9 : 1.4,                   // Markov blanket
    };
    const std::vector<double>& by_move = shares(*windows, false);
    for (const MoveTable::Kind& kind : moves().kinds()) {
        const auto first = by_move.begin() + static_cast<std::ptrdiff_t>(kind.first);
        usual.shares.push_back(
            std::accumulate(first, first + static_cast<std::ptrdiff_t>(kind.moves), 0.0));
    }
    return usual;
}

double Dags::log_size() const { return uniform().log_count(); }

const UniformDags& Dags::uniform() const {
    std::call_once(uniform_asked_, [this] {
        uniform_ = std::make_unique<UniformDags>(nodes(), weights_->most_parents());
    });
    return *uniform_;
}

std::uint64_t Dags::steps_between_averages() const {
    const auto n = static_cast<std::uint64_t>(nodes());
    return sums_->all_tabulated() ? n : 2 * n;
}

static const SpaceRegistration registration({
    .name = "dags",
    .moves = [](int) { return MoveTable(dag_moves()); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings&,
                const MoveShares& shares) -> std::shared_ptr<const Space> {
        return std::make_shared<Dags>(std::move(sums), shares);
    },
});

}  // namespace arcwise
