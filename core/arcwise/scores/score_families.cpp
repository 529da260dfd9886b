// Plans which sets to evaluate for the families asked for, and evaluates them in parallel.
//
// Nodes that share their rows can also share their sets: M is then tabulated once for all sets up
// to the largest family, and families are differences of that table. Nodes with interventions, or
// with so few candidates that the common table would be the longer way, get a walk over P and one
// over P + v of their own.
#include "arcwise/scores/score_families.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <numeric>
#include <vector>

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

// The two walks of a node on its own: M(P) into the table, then M(P + v) - M(P). They run one after
// the other, since the second reads what the first wrote.
Walk own_walk(const SetFunction& score, NodeFamilies& families, int node, bool with_node) {
    Walk walk;
    walk.pool = static_cast<int>(families.inside());
    const auto candidate = [&](int i) {
        return families.candidates()[static_cast<std::size_t>(i)];
    };
    walk.numbers =
        walking_order(walk.pool, [&](int i) { return score.pushed_first(candidate(i)); });
    for (const int i : walk.numbers) walk.variables.push_back(candidate(i));
    walk.layout = &families.layout();
    if (std::is_sorted(walk.numbers.begin(), walk.numbers.end())) walk.numbers.clear();
    walk.max_size = families.layout().max_size();
    walk.variables.push_back(node);
    walk.variables.insert(walk.variables.end(), families.required().begin(),
                          families.required().end());
    for (int position = static_cast<int>(walk.variables.size()) - 1; position > walk.pool;
         --position) {
        walk.base.push_back(position);
    }
    if (with_node) walk.base.push_back(walk.pool);
    walk.node = score.intervened(node) ? node : -1;
    walk.subtract = with_node;
    walk.out = families.values().data();
    return walk;
}

// Families as differences of a table of M over all sets of all variables; those with an outside
// parent are left alone.
void difference(const SubsetLayout& layout, std::span<const double> set_values,
                std::span<const int> places, NodeFamilies& families, int node) {
    std::vector<int> set;
    const auto place = [&](int u) { return places[static_cast<std::size_t>(u)]; };
    const bool moved = !std::is_sorted(places.begin(), places.end());
    const int own = place(node);
    std::vector<double>& values = families.values();
    const std::vector<int>& required = families.required();
    families.layout().for_each([&](std::uint64_t index, std::span<const int> members) {
        set.clear();
        for (const int member : members) {
            set.push_back(place(families.candidates()[static_cast<std::size_t>(member)]));
        }
        for (const int parent : required) set.push_back(place(parent));
        if (moved || !required.empty()) std::sort(set.begin(), set.end(), std::greater<>());
        const double without = set_values[layout.rank(set)];
        set.insert(std::find_if(set.begin(), set.end(), [&](int u) { return u < own; }), own);
        values[index] = set_values[layout.rank(set)] - without;
    });
}

// Scores the families of the nodes that have walks of their own, and all with an outside parent.
void score_alone(const SetFunction& score, std::span<const int> alone, FamilyTable& table,
                 Phases& phases) {
    std::uint64_t families_plus_one = 0;
    std::vector<PlusOneBlock> plus_one;
    for (NodeFamilies& families : table) {
        plus_one.push_back(families.plus_one_block());
        families_plus_one += plus_one.back().count();
    }
    if (families_plus_one > 0) {
        phases.run(2 * families_plus_one,
                   [&](const RunOptions& part) { score_plus_one(score, plus_one, part); });
    }
    if (alone.empty()) return;
    std::uint64_t families_alone = 0;
    for (const int node : alone) {
        families_alone += table[static_cast<std::size_t>(node)].layout().count();
    }
    for (const bool with_node : {false, true}) {
        std::vector<Walk> walks;
        for (const int node : alone) {
            walks.push_back(
                own_walk(score, table[static_cast<std::size_t>(node)], node, with_node));
        }
        phases.run(families_alone,
                   [&](const RunOptions& part) { run_walks(score, walks, families_alone, part); });
    }
}

// The sets that score_alone evaluates.
std::uint64_t sets_alone(std::span<const int> alone, const FamilyTable& table) {
    std::uint64_t sets = 0;
    for (const int node : alone) sets += 2 * table[static_cast<std::size_t>(node)].layout().count();
    for (const NodeFamilies& families : table) {
        sets += 2 * (families.count() - families.layout().count());
    }
    return sets;
}

std::uint64_t families_of(std::span<const int> nodes, const FamilyTable& table) {
    std::uint64_t families = 0;
    for (const int node : nodes) families += table[static_cast<std::size_t>(node)].layout().count();
    return families;
}

}  // namespace

ScoringPlan plan_scoring(const FamilyTable& table, std::span<const std::uint8_t> intervened,
                         std::span<const std::uint8_t> pushed_first) {
    const int nodes = static_cast<int>(table.size());
    ScoringPlan plan;
    const std::vector<int> order = walking_order(
        nodes, [&](int node) { return pushed_first[static_cast<std::size_t>(node)] != 0; });
    plan.places.resize(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
        plan.places[static_cast<std::size_t>(order[place])] = static_cast<int>(place);
    }
    int largest_family = 0;
    for (int node = 0; node < nodes; ++node) {
        const auto index = static_cast<std::size_t>(node);
        if (intervened[index] != 0) {
            plan.alone.push_back(node);
            continue;
        }
        plan.sharing.push_back(node);
        largest_family =
            std::max(largest_family, 1 + table[index].layout().max_size() +
                                         static_cast<int>(table[index].required().size()));
    }
    // The common table pays (and stays smaller than the families) only if it has fewer sets.
    bool common = !plan.sharing.empty();
    if (common) {
        try {
            common =
                SubsetLayout(nodes, largest_family).count() <= families_of(plan.sharing, table);
        } catch (const Error&) {
            common = false;
        }
    }
    if (common) {
        plan.largest_set = largest_family;
    } else {
        plan.alone.insert(plan.alone.end(), plan.sharing.begin(), plan.sharing.end());
        plan.sharing.clear();
    }
    return plan;
}

std::vector<std::uint64_t> set_pieces(int nodes, int largest_set) {
    std::vector<std::uint64_t> ranks;
    Walk walk;
    walk.pool = nodes;
    walk.max_size = std::min(nodes, largest_set);
    for (const Piece& piece : pieces_of(0, walk)) {
        ranks.push_back(piece.first_rank);
    }
    ranks.push_back(SubsetLayout(nodes, largest_set).count());
    return ranks;
}

SetBlock::SetBlock(int of_nodes, int largest, std::size_t first, std::size_t last)
    : nodes(of_nodes), largest_set(largest), first_piece(first), last_piece(last) {
    const std::vector<std::uint64_t> ranks = set_pieces(nodes, largest_set);
    if (first > last || last >= ranks.size()) {
        throw Error(ErrorKind::argument, "There are no such pieces of the sets.");
    }
    values.resize(ranks[last] - ranks[first]);
}

void score_families(const SetFunction& score, SetBlock& block, const RunOptions& options) {
    Walk walk = common_walk(score, block.nodes, block.largest_set);
    std::vector<Piece> pieces = pieces_of(0, walk);
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(block.last_piece), pieces.end());
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(block.first_piece));
    if (pieces.empty()) return;
    const std::uint64_t first_rank = pieces.front().first_rank;
    for (Piece& piece : pieces) piece.first_rank -= first_rank;
    walk.out = block.values.data();
    run_pieces(score, {walk}, pieces, block.values.size(), options);
}

void score_families(const SetFunction& score, LoneTable& table, const RunOptions& options) {
    std::vector<int> all;
    for (std::size_t node = 0; node < table.size(); ++node) all.push_back(static_cast<int>(node));
    Phases phases(options, sets_alone(all, table.families));
    score_alone(score, all, table.families, phases);
}

void take_differences(const ScoringPlan& plan, std::span<const double> set_values,
                      FamilyTable& table, const RunOptions& options) {
    const SubsetLayout layout(static_cast<int>(table.size()), plan.largest_set);
    if (set_values.size() != layout.count()) {
        throw Error(ErrorKind::argument, "There must be one value for each set.");
    }
    run_tasks(plan.sharing.size(), families_of(plan.sharing, table), options,
              [&](std::size_t task, TaskContext& context) {
                  NodeFamilies& families = table[static_cast<std::size_t>(plan.sharing[task])];
                  difference(layout, set_values, plan.places, families, plan.sharing[task]);
                  context.advance(families.layout().count());
              });
}

void score_families(const SetFunction& score, FamilyTable& table, const RunOptions& options) {
    std::vector<std::uint8_t> intervened;
    std::vector<std::uint8_t> pushed_first;
    for (std::size_t node = 0; node < table.size(); ++node) {
        intervened.push_back(score.intervened(static_cast<int>(node)) ? 1 : 0);
        pushed_first.push_back(score.pushed_first(static_cast<int>(node)) ? 1 : 0);
    }
    const ScoringPlan plan = plan_scoring(table, intervened, pushed_first);
    const int nodes = static_cast<int>(table.size());

    // In sets: a difference of two known sets costs little beside counting one.
    constexpr std::uint64_t differences_per_set = 16;
    const bool common = plan.largest_set > 0;
    const std::uint64_t common_sets = common ? SubsetLayout(nodes, plan.largest_set).count() : 0;
    const std::uint64_t differences = families_of(plan.sharing, table) / differences_per_set;
    Phases phases(options, common_sets + differences + sets_alone(plan.alone, table));
    if (common) {
        std::vector<double> set_values(common_sets);
        Walk walk = common_walk(score, nodes, plan.largest_set);
        walk.out = set_values.data();
        phases.run(common_sets,
                   [&](const RunOptions& part) { run_walks(score, {walk}, common_sets, part); });
        phases.run(differences, [&](const RunOptions& part) {
            take_differences(plan, set_values, table, part);
        });
    }
    score_alone(score, plan.alone, table, phases);
}

}  // namespace arcwise
