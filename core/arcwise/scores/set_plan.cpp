// Plans which sets to evaluate for the families asked for, and evaluates them in parallel.
#include "arcwise/scores/set_plan.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <numeric>

#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// A walk over all base + S, S a subset of the first `pool` variables, results in rank order.
struct Walk {
    std::vector<int> variables;  // the pool first, then what the base is made of
    // If results are ranked by other numbers than the positions in the pool: those numbers, and
    // how sets of them are ranked.
    std::vector<int> numbers;
    const SubsetLayout* layout = nullptr;
    std::vector<int> base;  // positions in `variables`, descending, all >= pool
    int pool = 0;
    int max_size = 0;
    int node = -1;          // whose rows count; -1: all
    bool subtract = false;  // store value - old instead of value
    double* out = nullptr;
};

// Sets under one prefix of a walk; small enough to balance threads, large enough to be worth it.
struct Piece {
    std::size_t walk = 0;
    std::vector<int> prefix;  // descending positions within the pool
    bool whole_subtree = true;
    std::uint64_t first_rank = 0;
};

constexpr std::uint64_t sets_per_piece = 1 << 14;

// Data of one walk, made by the first piece that needs it and dropped by the last.
struct SharedPreparation {
    std::mutex mutex;
    std::shared_ptr<const PreparedSets> prepared;
    std::atomic<std::size_t> pieces_left{0};
};

class PieceRunner {
  public:
    PieceRunner(SubsetWalker& walker, const Walk& walk, TaskContext& context)
        : walker_(walker), walk_(walk), context_(context) {
        buffer_.resize(static_cast<std::size_t>(std::max(1, walk.pool)));
    }

    void run(const Piece& piece) {
        out_ = walk_.out + piece.first_rank;
        int room = walk_.max_size;
        for (const int position : walk_.base) walker_.push(position, false);
        for (const int position : piece.prefix) {
            --room;
            walker_.push(position, room == 1 && position == piece.prefix.back());
            members_.push_back(position);
        }
        store(walker_.value());
        if (piece.whole_subtree && room > 0) {
            descend(piece.prefix.empty() ? walk_.pool : piece.prefix.back(), room);
        }
        context_.advance(1);
    }

  private:
    void store(double value) {
        double& out = walk_.numbers.empty() ? *out_ : walk_.out[rank_by_number()];
        out = walk_.subtract ? value - out : value;
        ++out_;
    }

    std::uint64_t rank_by_number() {
        numbers_.clear();
        for (const int position : members_) {
            numbers_.push_back(walk_.numbers[static_cast<std::size_t>(position)]);
        }
        std::sort(numbers_.begin(), numbers_.end(), std::greater<>());
        return walk_.layout->rank(numbers_);
    }

    void leaves(int limit) {
        walker_.leaves(limit, buffer_.data());
        members_.push_back(0);
        for (int i = 0; i < limit; ++i) {
            members_.back() = i;
            store(buffer_[static_cast<std::size_t>(i)]);
        }
        members_.pop_back();
        context_.advance(static_cast<std::uint64_t>(limit));
    }

    // Visits every set that adds to the current one between 1 and `room` members below `limit`.
    void descend(int limit, int room) {
        if (limit == 0) return;
        if (room == 1) {
            leaves(limit);
            return;
        }
        leaves(1);  // nothing lies below position 0
        for (int position = 1; position < limit; ++position) {
            walker_.push(position, room == 2 || position == 1);
            members_.push_back(position);
            store(walker_.value());
            context_.advance(1);
            descend(position, room - 1);
            members_.pop_back();
            walker_.pop();
        }
    }

    SubsetWalker& walker_;
    const Walk& walk_;
    TaskContext& context_;
    std::vector<double> buffer_;
    std::vector<int> members_;  // of the pool, descending
    std::vector<int> numbers_;
    double* out_ = nullptr;
};

std::vector<Piece> pieces_of(std::size_t index, const Walk& walk) {
    const SubsetLayout layout(walk.pool, walk.max_size);
    const int room = layout.max_size();
    if (layout.count() <= sets_per_piece || room == 0) return {Piece{index, {}, true, 0}};
    std::vector<Piece> pieces{Piece{index, {}, false, 0}};
    for (int first = 0; first < walk.pool; ++first) {
        const std::uint64_t start = layout.below(first, room);
        if (layout.below(first, room - 1) <= sets_per_piece || room == 1) {
            pieces.push_back({index, {first}, true, start});
            continue;
        }
        pieces.push_back({index, {first}, false, start});
        for (int second = 0; second < first; ++second) {
            pieces.push_back(
                {index, {first, second}, true, start + layout.below(second, room - 1)});
        }
    }
    return pieces;
}

// Evaluates the `sets` sets of some pieces of the walks.
void run_pieces(const SetFunction& score, const std::vector<Walk>& walks,
                std::span<const Piece> pieces, std::uint64_t sets, const RunOptions& options) {
    std::vector<SharedPreparation> preparations(walks.size());
    for (const Piece& piece : pieces) ++preparations[piece.walk].pieces_left;
    run_tasks(pieces.size(), sets, options, [&](std::size_t task, TaskContext& context) {
        const Piece& piece = pieces[task];
        const Walk& walk = walks[piece.walk];
        SharedPreparation& preparation = preparations[piece.walk];
        std::shared_ptr<const PreparedSets> prepared;
        {
            const std::lock_guard lock(preparation.mutex);
            if (!preparation.prepared) {
                preparation.prepared = score.prepare(walk.variables, walk.node);
            }
            prepared = preparation.prepared;
        }
        const std::unique_ptr<SubsetWalker> walker = prepared->walker();
        PieceRunner(*walker, walk, context).run(piece);
        if (--preparation.pieces_left == 0) {
            const std::lock_guard lock(preparation.mutex);
            preparation.prepared.reset();
        }
    });
}

// Evaluates `sets` sets in all.
void run_walks(const SetFunction& score, const std::vector<Walk>& walks, std::uint64_t sets,
               const RunOptions& options) {
    std::vector<Piece> pieces;
    for (std::size_t index = 0; index < walks.size(); ++index) {
        std::vector<Piece> own = pieces_of(index, walks[index]);
        pieces.insert(pieces.end(), own.begin(), own.end());
    }
    run_pieces(score, walks, pieces, sets, options);
}

// The numbers 0 .. count-1, those pushed first at the end: walks push in descending order.
template <class PushedFirst>
std::vector<int> walking_order(int count, const PushedFirst& pushed_first) {
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    std::stable_partition(order.begin(), order.end(), [&](int i) { return !pushed_first(i); });
    return order;
}

// The walk over all sets of all nodes up to a size.
Walk common_walk(const SetFunction& score, int nodes, int largest_set) {
    Walk walk;
    walk.variables = walking_order(nodes, [&](int node) { return score.pushed_first(node); });
    walk.pool = nodes;
    walk.max_size = std::min(nodes, largest_set);
    return walk;
}

// The two walks of a node on its own: M(P) into the values, then M(P + v) - M(P). They run one
// after the other, since the second reads what the first wrote.
Walk own_walk(const SetFunction& score, const ParentSets& sets, int node, double* values,
              bool with_node) {
    Walk walk;
    walk.pool = static_cast<int>(sets.candidates.size());
    const auto candidate = [&](int i) { return sets.candidates[static_cast<std::size_t>(i)]; };
    walk.numbers =
        walking_order(walk.pool, [&](int i) { return score.pushed_first(candidate(i)); });
    for (const int i : walk.numbers) walk.variables.push_back(candidate(i));
    walk.layout = sets.inside;
    if (std::is_sorted(walk.numbers.begin(), walk.numbers.end())) walk.numbers.clear();
    walk.max_size = sets.inside->max_size();
    walk.variables.push_back(node);
    walk.variables.insert(walk.variables.end(), sets.required.begin(), sets.required.end());
    for (int position = static_cast<int>(walk.variables.size()) - 1; position > walk.pool;
         --position) {
        walk.base.push_back(position);
    }
    if (with_node) walk.base.push_back(walk.pool);
    walk.node = score.intervened(node) ? node : -1;
    walk.subtract = with_node;
    walk.out = values;
    return walk;
}

// The table of all sets up to a size falls into pieces that follow each other: the rank of the
// first set of each, and the number of all sets at the end.
std::vector<std::uint64_t> set_pieces(int nodes, int largest_set) {
    std::vector<std::uint64_t> ranks;
    Walk walk;
    walk.pool = nodes;
    walk.max_size = std::min(nodes, largest_set);
    for (const Piece& piece : pieces_of(0, walk)) ranks.push_back(piece.first_rank);
    ranks.push_back(SubsetLayout(nodes, largest_set).count());
    return ranks;
}

// Families as differences of a table of M over all sets of all variables; those with an outside
// parent are left alone.
void difference(const SubsetLayout& layout, std::span<const double> set_values,
                std::span<const int> places, const ParentSets& sets, int node, double* values) {
    std::vector<int> set;
    const auto place = [&](int u) { return places[static_cast<std::size_t>(u)]; };
    const bool moved = !std::is_sorted(places.begin(), places.end());
    const int own = place(node);
    sets.inside->for_each([&](std::uint64_t index, std::span<const int> members) {
        set.clear();
        for (const int member : members) {
            set.push_back(place(sets.candidates[static_cast<std::size_t>(member)]));
        }
        for (const int parent : sets.required) set.push_back(place(parent));
        if (moved || !sets.required.empty()) std::sort(set.begin(), set.end(), std::greater<>());
        const double without = set_values[layout.rank(set)];
        set.insert(std::find_if(set.begin(), set.end(), [&](int u) { return u < own; }), own);
        values[index] = set_values[layout.rank(set)] - without;
    });
}

// Scores families of any parent sets as they come, on a walk over all variables.
class SetDifferences final : public FamilyScorer {
  public:
    SetDifferences(const SetFunction& score, int node) {
        const int nodes = static_cast<int>(score.size());
        const std::vector<int> variables =
            walking_order(nodes, [&](int v) { return score.pushed_first(v); });
        places_.resize(variables.size());
        for (std::size_t place = 0; place < variables.size(); ++place) {
            places_[static_cast<std::size_t>(variables[place])] = static_cast<int>(place);
        }
        sets_ = score.prepare(variables, node);
        walker_ = sets_->walker();
    }

    void children(std::span<const int> parents, std::span<const int> children,
                  double* scores) override {
        std::vector<int> set;
        for (const int parent : parents) set.push_back(place(parent));
        std::sort(set.begin(), set.end(), std::greater<>());
        const double without = value(set);
        for (const int child : children) {
            std::vector<int> family(set);
            family.insert(
                std::find_if(family.begin(), family.end(), [&](int u) { return u < place(child); }),
                place(child));
            *scores++ = value(family) - without;
        }
    }

  private:
    int place(int node) const { return places_[static_cast<std::size_t>(node)]; }

    double value(std::span<const int> descending) {
        const auto common = static_cast<std::size_t>(
            std::mismatch(pushed_.begin(), pushed_.end(), descending.begin(), descending.end())
                .first -
            pushed_.begin());
        for (; pushed_.size() > common; pushed_.pop_back()) walker_->pop();
        for (const int position : descending.subspan(common)) {
            walker_->push(position, false);
            pushed_.push_back(position);
        }
        return walker_->value();
    }

    std::vector<int> places_;  // of the variables in the walk
    std::unique_ptr<PreparedSets> sets_;
    std::unique_ptr<SubsetWalker> walker_;
    std::vector<int> pushed_;
};

}  // namespace

std::unique_ptr<FamilyScorer> SetFunction::scorer(int node) const {
    return std::make_unique<SetDifferences>(*this, node);
}

std::unique_ptr<ScoringPlan> SetFunction::plan(std::vector<ParentSets> of_nodes) const {
    return std::make_unique<SetPlan>(*this, std::move(of_nodes));
}

SetPlan::SetPlan(const SetFunction& score, std::vector<ParentSets> of_nodes)
    : score_(score), of_nodes_(std::move(of_nodes)), shares_(of_nodes_.size(), false) {
    const int nodes = static_cast<int>(of_nodes_.size());
    const std::vector<int> order =
        walking_order(nodes, [&](int node) { return score.pushed_first(node); });
    places_.resize(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
        places_[static_cast<std::size_t>(order[place])] = static_cast<int>(place);
    }
    int largest_family = 0;
    for (int node = 0; node < nodes; ++node) {
        const ParentSets& sets = sets_of(node);
        if (sets.inside == nullptr || score.intervened(node)) {
            alone_.push_back(node);
            continue;
        }
        sharing_.push_back(node);
        largest_family = std::max(
            largest_family, 1 + sets.inside->max_size() + static_cast<int>(sets.required.size()));
    }
    // The common table pays (and stays smaller than the families) only if it has fewer sets.
    first_ranks_.push_back(0);
    if (!sharing_.empty()) {
        try {
            if (SubsetLayout(nodes, largest_family).count() <= families_sharing()) {
                largest_set_ = largest_family;
            }
        } catch (const Error&) {
            // More sets than can be counted.
        }
    }
    if (largest_set_ > 0) {
        first_ranks_ = set_pieces(nodes, largest_set_);
        for (const int node : sharing_) shares_[static_cast<std::size_t>(node)] = true;
    } else {
        alone_.insert(alone_.end(), sharing_.begin(), sharing_.end());
        std::sort(alone_.begin(), alone_.end());
        sharing_.clear();
    }
    walking_ = alone_;
    for (const int node : sharing_) {
        if (!sets_of(node).outside.empty()) walking_.push_back(node);
    }
}

std::uint64_t SetPlan::own_values(std::size_t unit) const {
    const int node = walking_[unit];
    return shares(node) ? sets_of(node).count_plus_one() : sets_of(node).count();
}

SetPlan::OwnValues SetPlan::own_values_at(int node, double* first) const {
    return shares(node) ? OwnValues{node, nullptr, first}
                        : OwnValues{node, first, first + sets_of(node).count_inside()};
}

std::uint64_t SetPlan::values(std::size_t first, std::size_t count) const {
    std::uint64_t total = 0;
    std::size_t unit = first;
    for (; unit < std::min(first + count, walking_.size()); ++unit) total += own_values(unit);
    return total + first_ranks_[piece(first + count)] - first_ranks_[piece(first)];
}

std::uint64_t SetPlan::work() const {
    std::uint64_t total = first_ranks_.back();
    for (std::size_t unit = 0; unit < walking_.size(); ++unit) total += 2 * own_values(unit);
    return total;
}

std::uint64_t SetPlan::families_sharing() const {
    std::uint64_t families = 0;
    for (const int node : sharing_) families += sets_of(node).count_inside();
    return families;
}

// The sets that score_alone evaluates.
std::uint64_t SetPlan::work_alone(std::span<const OwnValues> nodes) const {
    std::uint64_t families = 0;
    for (const OwnValues& own : nodes) {
        families += sets_of(own.node).count_plus_one();
        if (own.inside != nullptr) families += sets_of(own.node).count_inside();
    }
    return 2 * families;
}

void SetPlan::score_alone(std::span<const OwnValues> nodes, Phases& phases) const {
    std::vector<PlusOneValues> plus_one(of_nodes_.size());
    std::uint64_t families_plus_one = 0;
    std::uint64_t families_inside = 0;
    for (const OwnValues& own : nodes) {
        const ParentSets& sets = sets_of(own.node);
        plus_one[static_cast<std::size_t>(own.node)] = {sets, own.plus_one};
        families_plus_one += sets.count_plus_one();
        if (own.inside != nullptr) families_inside += sets.count_inside();
    }
    if (families_plus_one > 0) {
        phases.run(2 * families_plus_one,
                   [&](const RunOptions& part) { score_plus_one(score_, plus_one, part); });
    }
    if (families_inside == 0) return;
    for (const bool with_node : {false, true}) {
        std::vector<Walk> walks;
        for (const OwnValues& own : nodes) {
            const ParentSets& sets = sets_of(own.node);
            if (own.inside == nullptr || sets.inside == nullptr) continue;
            walks.push_back(own_walk(score_, sets, own.node, own.inside, with_node));
        }
        phases.run(families_inside, [&](const RunOptions& part) {
            run_walks(score_, walks, families_inside, part);
        });
    }
}

void SetPlan::score_sets(std::size_t first_piece, std::size_t last_piece, double* values,
                         const RunOptions& options) const {
    Walk walk = common_walk(score_, static_cast<int>(of_nodes_.size()), largest_set_);
    walk.out = values;
    std::vector<Piece> pieces = pieces_of(0, walk);
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(last_piece), pieces.end());
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(first_piece));
    const std::uint64_t first_rank = first_ranks_[first_piece];
    for (Piece& piece : pieces) piece.first_rank -= first_rank;
    run_pieces(score_, {walk}, pieces, first_ranks_[last_piece] - first_rank, options);
}

std::vector<double> SetPlan::score(std::size_t first, std::size_t count,
                                   const RunOptions& options) const {
    std::vector<double> result(values(first, count));
    double* out = result.data();
    std::vector<OwnValues> nodes;
    std::size_t unit = first;
    for (; unit < std::min(first + count, walking_.size()); ++unit) {
        nodes.push_back(own_values_at(walking_[unit], out));
        out += own_values(unit);
    }
    const auto sets = static_cast<std::uint64_t>(result.data() + result.size() - out);
    Phases phases(options, work_alone(nodes) + sets);
    if (!nodes.empty()) score_alone(nodes, phases);
    if (sets > 0) {
        phases.run(sets, [&](const RunOptions& part) {
            score_sets(piece(first), piece(first + count), out, part);
        });
    }
    return result;
}

void SetPlan::put(std::size_t first, std::span<const double> values, FamilyValues families) {
    for (std::size_t unit = first; unit < walking_.size() && !values.empty(); ++unit) {
        const int node = walking_[unit];
        const std::span<const double> own = values.first(own_values(unit));
        double* to = families[static_cast<std::size_t>(node)];
        std::copy(own.begin(), own.end(), to + (shares(node) ? sets_of(node).count_inside() : 0));
        values = values.subspan(own.size());
    }
    if (values.empty()) return;
    set_values_.resize(first_ranks_.back());
    std::copy(values.begin(), values.end(),
              set_values_.begin() + static_cast<std::ptrdiff_t>(first_ranks_[piece(first)]));
}

void SetPlan::finish(FamilyValues families, const RunOptions& options) {
    if (largest_set_ > 0) take_differences(set_values_, families, options);
}

void SetPlan::take_differences(std::span<const double> set_values, FamilyValues families,
                               const RunOptions& options) const {
    const SubsetLayout layout(static_cast<int>(of_nodes_.size()), largest_set_);
    if (set_values.size() != layout.count()) {
        throw Error(ErrorKind::argument, "There must be one value for each set.");
    }
    run_tasks(sharing_.size(), families_sharing(), options,
              [&](std::size_t task, TaskContext& context) {
                  const int node = sharing_[task];
                  difference(layout, set_values, places_, sets_of(node), node,
                             families[static_cast<std::size_t>(node)]);
                  context.advance(sets_of(node).count_inside());
              });
}

void SetPlan::score_all(FamilyValues families, const RunOptions& options) const {
    std::vector<OwnValues> nodes;
    for (const int node : walking_) {
        double* first = families[static_cast<std::size_t>(node)];
        nodes.push_back(
            own_values_at(node, first + (shares(node) ? sets_of(node).count_inside() : 0)));
    }
    // In sets: a difference of two known sets costs little beside counting one.
    constexpr std::uint64_t differences_per_set = 16;
    const std::uint64_t sets = first_ranks_.back();
    const std::uint64_t differences = families_sharing() / differences_per_set;
    Phases phases(options, sets + differences + work_alone(nodes));
    if (largest_set_ > 0) {
        std::vector<double> set_values(sets);
        phases.run(sets, [&](const RunOptions& part) {
            score_sets(0, first_ranks_.size() - 1, set_values.data(), part);
        });
        phases.run(differences,
                   [&](const RunOptions& part) { take_differences(set_values, families, part); });
    }
    if (!nodes.empty()) score_alone(nodes, phases);
}

}  // namespace arcwise
