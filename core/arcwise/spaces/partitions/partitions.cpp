// The space of ordered partitions; what one is worth, and how a proposal becomes the state.
#include "arcwise/spaces/partitions/partitions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/given_sets.hpp"
#include "arcwise/spaces/orders/some_dag.hpp"
#include "arcwise/spaces/partitions/partition.hpp"
#include "arcwise/spaces/registry.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

Partition::Partition(const Partitions& space)
    : space_(space),
      weights_(space.weights()),
      words_(weights_.words()),
      sets_(static_cast<std::size_t>(space.nodes()) * 2 * words_),
      node_weights_(static_cast<std::size_t>(space.nodes())),
      sums_(weights_),
      draws_(std::make_shared<FamilyDraws>(weights_.sums())),
      row_sums_(weights_),
      plain_weights_(weights_),
      proposed_parts_(nodes()),
      changed_sets_(sets_.size()),
      moves_(partition_moves(), *this) {
    changes_.reserve(nodes());
    become(std::vector<int>(nodes(), 0));
}

void Partition::become(std::vector<int> part_of) {
    parts_.exchange(part_of);
    accepted_ = 0;
    row_sums_.forget_all();
    for (int node = 0; node < space_.nodes(); ++node) {
        set_by_parts(weights_.sums(), parts_.part_of(), node, own_sets(node));
        sums_.ask(node, sets(node), this->part_of(node) == 0,
                  node_weights_[static_cast<std::size_t>(node)]);
    }
    sums_.answer();
    weight_ = sum_of(node_weights_);
}

LogWeight Partition::recomputed_weight() const {
    Partition fresh(space_);
    fresh.become(parts_.part_of());
    return fresh.log_weight();
}

// The size of the first part in proportion to the number of partitions that begin with one of that
// size, and so on; then who is where.
void Partition::draw_uniform(Random& random) {
    std::vector<int> order(nodes());
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    std::vector<int> part_of(nodes());
    std::size_t placed = 0;
    for (int part = 0; placed < nodes(); ++part) {
        const std::size_t left = nodes() - placed;
        std::vector<double> shares;
        for (std::size_t size = 1; size <= left; ++size) {
            shares.push_back(
                std::exp(log_binomial(static_cast<double>(left), static_cast<double>(size)) +
                         space_.log_count(left - size) - space_.log_count(left)));
        }
        const std::size_t size = 1 + random.choose(shares);
        for (std::size_t i = 0; i < size; ++i) {
            part_of[static_cast<std::size_t>(order[placed++])] = part;
        }
    }
    become(std::move(part_of));
}

bool Partition::start_from_orders(std::uint64_t steps, Random& random, TaskContext* context) {
    return start_at(some_dag(weights_.sums(), steps, random, context));
}

bool Partition::start_at(const SomeDag& dag) {
    become(dag.levels);
    return true;
}

std::vector<std::uint16_t> Partition::encode() const {
    return std::vector<std::uint16_t>(parts_.part_of().begin(), parts_.part_of().end());
}

void Partition::decode(std::span<const std::uint16_t> code) {
    std::vector<bool> filled(code.size(), false);
    std::size_t parts = 0;
    for (const std::uint16_t part : code) {
        if (part < filled.size()) filled[part] = true;
        parts = std::max(parts, static_cast<std::size_t>(part) + 1);
    }
    if (code.size() != nodes() || parts > nodes() ||
        std::count(filled.begin(), filled.end(), true) != static_cast<std::ptrdiff_t>(parts)) {
        throw Error(ErrorKind::argument,
                    "A partition must give each node a part, and no part may be empty.");
    }
    become(std::vector<int>(code.begin(), code.end()));
}

std::unique_ptr<GivenState> Partition::given() const {
    return std::make_unique<GivenSets>(weights_.sums(), sets_, GivenSets::Draws{draws_, row_sums_});
}

Proposal Partition::propose(const Temperature& temperature, Random& random) {
    changes_.clear();
    proposed_ = weight_;
    stays_ = false;
    return moves_.propose(space_.moves().choose(random), temperature, random);
}

Partition::Word* Partition::begin_change(int node, bool first) {
    Word* changed = changed_sets(changes_.size());
    copy_sets(sets(node), changed);
    changes_.push_back({node, first, {}});
    return changed;
}

void Partition::count_change(const Change& change) {
    proposed_ = proposed_ + (change.weight - weight_of(change.node));
}

void Partition::weigh_changes() {
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        Change& change = changes_[i];
        const PartSets then = changed_sets(i);
        const PlusOneSums* rows = row_sums_.rows(change.node);
        // Sums within sets of a word come back so often that they are looked up sooner.
        if (rows != nullptr && words_ > 1) {
            const PartSets now = sets(change.node);
            const PlusOneSums::RowSums sums = rows->changed_sums(
                row_sums(change.node), now, required(now, part_of(change.node) == 0), then,
                required(then, change.first));
            if (sums.digits) {
                plain_weights_.ask(change.node, sums.met, sums.unit, change.weight);
                continue;
            }
        }
        sums_.ask(change.node, then, change.first, change.weight);
    }
    sums_.answer();
    plain_weights_.answer();
    for (const Change& change : changes_) count_change(change);
}

void Partition::weigh_last_change(const LogWeight& weight) {
    changes_.back().weight = weight;
    count_change(changes_.back());
}

void Partition::accept() {
    if (stays_) return;
    parts_.exchange(proposed_parts_);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        const Change& change = changes_[i];
        copy_sets(changed_sets(i), own_sets(change.node));
        row_sums_.forget(change.node);
        node_weights_[static_cast<std::size_t>(change.node)] = change.weight;
    }
    take_weight(proposed_);
}

Partitions::Partitions(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares)
    : Space(MoveTable(partition_moves(), shares)), weights_(std::move(sums)) {
    // a(0) = 1, a(n) = sum over the size k of the first part of C(n, k) a(n - k).
    log_counts_.push_back(0.0);
    for (int n = 1; n <= nodes(); ++n) {
        double sum = minus_infinity;
        for (int k = 1; k <= n; ++k) {
            sum = log_add(sum, log_binomial(n, k) + log_counts_[static_cast<std::size_t>(n - k)]);
        }
        log_counts_.push_back(sum);
    }
    log_numbers_.push_back(minus_infinity);
    log_factorials_.push_back(0.0);
    for (int n = 1; n <= nodes(); ++n) {
        log_numbers_.push_back(std::log(static_cast<double>(n)));
        log_factorials_.push_back(log_gamma(n + 1.0));
    }
    const auto n = static_cast<std::size_t>(nodes());
    const std::size_t words = words_for(n);
    children_.resize(n * words);
    for (std::size_t child = 0; child < n; ++child) {
        for (const int parent : weights_.sums().possible_parents(static_cast<int>(child))) {
            put_member(children_.data() + static_cast<std::size_t>(parent) * words, child);
        }
    }
}

std::unique_ptr<State> Partitions::make_state() const { return std::make_unique<Partition>(*this); }

static const SpaceRegistration registration({
    .name = "partitions",
    .moves = [](int) { return MoveTable(partition_moves()); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings&,
                const MoveShares& shares) -> std::shared_ptr<const Space> {
        return std::make_shared<Partitions>(std::move(sums), shares);
    },
});

}  // namespace arcwise
