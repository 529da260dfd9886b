// Walks over parent sets with the children that have them.
#include "arcwise/scores/parent_walk.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>

#include "arcwise/scores/set_plan.hpp"

namespace arcwise {
namespace {

// Families of a unit; small enough to balance threads, large enough that parents share work.
constexpr std::uint64_t families_per_unit = 1 << 12;

std::uint64_t subsets(const SubsetLayout* layout, int elements, int most) {
    return layout == nullptr || most < 0
               ? 0
               : layout->below(elements, std::min(most, layout->max_size()));
}

// Scorers between units, so that only as many are made as there are threads.
class ScorerPool {
  public:
    explicit ScorerPool(const FamilyScore& score) : score_(score) {}

    std::unique_ptr<FamilyScorer> take(int rows_of) {
        {
            const std::lock_guard lock(mutex_);
            // Units with the same rows follow each other.
            std::erase_if(idle_, [&](const auto& each) { return each.first < rows_of; });
            if (!idle_.empty() && idle_.back().first == rows_of) {
                std::unique_ptr<FamilyScorer> found = std::move(idle_.back().second);
                idle_.pop_back();
                return found;
            }
        }
        return score_.scorer(rows_of);
    }

    void give_back(int rows_of, std::unique_ptr<FamilyScorer> scorer) {
        const std::lock_guard lock(mutex_);
        idle_.emplace_back(rows_of, std::move(scorer));
    }

  private:
    const FamilyScore& score_;
    std::mutex mutex_;
    std::vector<std::pair<int, std::unique_ptr<FamilyScorer>>> idle_;
};

}  // namespace

std::unique_ptr<ScoringPlan> FamilyScore::plan(std::vector<ParentSets> of_nodes) const {
    return std::make_unique<ParentWalk>(*this, std::move(of_nodes));
}

ParentWalk::ParentWalk(const FamilyScore& score, std::vector<ParentSets> of_nodes)
    : score_(score), of_nodes_(std::move(of_nodes)) {
    for (const ParentSets& of_node : of_nodes_) {
        Node& own = nodes_.emplace_back();
        const auto add = [&](std::span<const int> parents, Kind kind) {
            for (std::size_t i = 0; i < parents.size(); ++i) {
                own.parents.push_back({parents[i], static_cast<int>(i), kind});
            }
        };
        add(of_node.candidates, Kind::candidate);
        add(of_node.required, Kind::required);
        add(of_node.outside, Kind::outside);
        std::sort(own.parents.begin(), own.parents.end(),
                  [](const Parent& one, const Parent& other) { return one.node < other.node; });
        int candidates = 0;
        int outside = 0;
        int last_required = -1;
        for (std::size_t i = 0; i <= own.parents.size(); ++i) {
            own.candidates_below.push_back(candidates);
            own.outside_below.push_back(outside);
            own.last_required_below.push_back(last_required);
            if (i == own.parents.size()) break;
            candidates += own.parents[i].kind == Kind::candidate;
            outside += own.parents[i].kind == Kind::outside;
            if (own.parents[i].kind == Kind::required) last_required = static_cast<int>(i);
        }
    }
    for (int v = 0; v < static_cast<int>(nodes_.size()); ++v) {
        if (!score.intervened(v)) sharing_.push_back(v);
    }
    add_units(-1);
    for (int v = 0; v < static_cast<int>(nodes_.size()); ++v) {
        if (score.intervened(v)) add_units(v);
    }
}

ParentWalk::Child ParentWalk::start(int v) const {
    return {v, static_cast<int>(node(v).parents.size()), 0, false};
}

// Whether a parent set of the child can go on with the parent at an index: no required one between
// may be left out.
bool ParentWalk::takes(const Child& child, int index) const {
    const Node& own = node(child.node);
    const ParentSets& rule = sets(child.node);
    if (own.last_required_below[static_cast<std::size_t>(child.below)] > index) return false;
    const int most_plus_one = rule.outside.empty() ? -1 : rule.plus_one->max_size();
    switch (own.parents[static_cast<std::size_t>(index)].kind) {
        case Kind::required:
            return true;
        case Kind::outside:
            return !child.outside && child.candidates <= most_plus_one;
        case Kind::candidate:
            break;
    }
    const int most_inside = rule.inside == nullptr || child.outside ? -1 : rule.inside->max_size();
    return child.candidates < std::max(most_inside, most_plus_one);
}

ParentWalk::Child ParentWalk::with(const Child& child, int index) const {
    const Kind kind = node(child.node).parents[static_cast<std::size_t>(index)].kind;
    return {child.node, index, child.candidates + (kind == Kind::candidate),
            child.outside || kind == Kind::outside};
}

bool ParentWalk::is_family(const Child& child) const {
    const ParentSets& rule = sets(child.node);
    return node(child.node).last_required_below[static_cast<std::size_t>(child.below)] < 0 &&
           (child.outside ||
            (rule.inside != nullptr && child.candidates <= rule.inside->max_size()));
}

// The number of parent sets that begin with the present parents.
std::uint64_t ParentWalk::families(const Child& child) const {
    const ParentSets& rule = sets(child.node);
    const auto below = static_cast<std::size_t>(child.below);
    const int candidates = node(child.node).candidates_below[below];
    const auto plus_one = [&] {
        return subsets(rule.plus_one, candidates,
                       rule.outside.empty() ? -1 : rule.plus_one->max_size() - child.candidates);
    };
    if (child.outside) return plus_one();
    const std::uint64_t inside =
        rule.inside == nullptr
            ? 0
            : subsets(rule.inside, candidates, rule.inside->max_size() - child.candidates);
    return inside + static_cast<std::uint64_t>(node(child.node).outside_below[below]) * plus_one();
}

std::uint64_t ParentWalk::families(const Children& children) const {
    std::uint64_t total = 0;
    for (const Child& child : children) total += families(child);
    return total;
}

// Those of the children that can go on with a parent.
ParentWalk::Children ParentWalk::joined(const Children& children, int parent) const {
    Children result;
    for (const Child& child : children) {
        const std::vector<Parent>& own = node(child.node).parents;
        const auto found =
            std::lower_bound(own.begin(), own.begin() + child.below, parent,
                             [](const Parent& one, int number) { return one.node < number; });
        const int index = static_cast<int>(found - own.begin());
        if (index == child.below || found->node != parent || !takes(child, index)) continue;
        const Child next = with(child, index);
        if (families(next) > 0) result.push_back(next);
    }
    return result;
}

ParentWalk::Children ParentWalk::children_of(const Unit& unit) const {
    Children children;
    if (unit.rows_of >= 0) {
        children.push_back(start(unit.rows_of));
    } else {
        for (const int v : sharing_) children.push_back(start(v));
    }
    for (const int parent : unit.prefix) children = joined(children, parent);
    return children;
}

// Cuts the walk over the children that count the same rows into units, in the order of the walk.
void ParentWalk::add_units(int rows_of) {
    const auto add = [&](std::vector<int> prefix, const Children& children, bool may_split) {
        const std::uint64_t all = families(children);
        if (all == 0) return false;
        const bool split = may_split && all > families_per_unit;
        const auto here = static_cast<std::uint64_t>(
            std::count_if(children.begin(), children.end(),
                          [&](const Child& child) { return is_family(child); }));
        units_.push_back({rows_of, std::move(prefix), !split, split ? here : all});
        return split;
    };
    const Children all = children_of({rows_of, {}, true, 0});
    if (!add({}, all, true)) return;
    for (int first = 0; first < static_cast<int>(nodes_.size()); ++first) {
        const Children of_first = joined(all, first);
        if (!add({first}, of_first, true)) continue;
        for (int second = 0; second < first; ++second) {
            add({first, second}, joined(of_first, second), false);
        }
    }
}

// Where the value of a family is among those of its child.
std::uint64_t ParentWalk::rank(int child, std::span<const int> parents) const {
    const std::vector<Parent>& own = node(child).parents;
    const ParentSets& rule = sets(child);
    std::vector<int> members;
    int outside = -1;
    for (const int parent : parents) {
        const auto found =
            std::lower_bound(own.begin(), own.end(), parent,
                             [](const Parent& one, int number) { return one.node < number; });
        if (found->kind == Kind::candidate) members.push_back(found->place);
        if (found->kind == Kind::outside) outside = found->place;
    }
    std::sort(members.begin(), members.end(), std::greater<>());
    if (outside < 0) return rule.inside->rank(members);
    return rule.count_inside() + rule.plus_one->rank(members) * rule.outside.size() +
           static_cast<std::uint64_t>(outside);
}

template <class Visit>
void ParentWalk::walk(const Unit& unit, Visit&& visit) const {
    const Children here = children_of(unit);
    std::vector<int> parents(unit.prefix);
    std::vector<int> families;
    const auto visit_here = [&](const Children& children) {
        families.clear();
        for (const Child& child : children) {
            if (is_family(child)) families.push_back(child.node);
        }
        if (!families.empty()) visit(std::span<const int>(parents), std::span<const int>(families));
    };
    if (unit.with_all_below) {
        descend(here, parents, visit_here);
    } else {
        visit_here(here);
    }
}

template <class Visit>
void ParentWalk::descend(const Children& here, std::vector<int>& parents, Visit& visit) const {
    visit(here);
    std::vector<std::pair<int, Child>> steps;
    for (const Child& child : here) {
        const Node& own = node(child.node);
        const int last_required = own.last_required_below[static_cast<std::size_t>(child.below)];
        for (int index = std::max(0, last_required); index < child.below; ++index) {
            if (!takes(child, index)) continue;
            const Child next = with(child, index);
            if (families(next) == 0) continue;
            steps.emplace_back(own.parents[static_cast<std::size_t>(index)].node, next);
        }
    }
    std::sort(steps.begin(), steps.end(), [](const auto& one, const auto& other) {
        return std::pair(one.first, one.second.node) < std::pair(other.first, other.second.node);
    });
    Children next;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        next.push_back(steps[i].second);
        if (i + 1 < steps.size() && steps[i + 1].first == steps[i].first) continue;
        parents.push_back(steps[i].first);
        descend(next, parents, visit);
        parents.pop_back();
        next.clear();
    }
}

std::uint64_t ParentWalk::values(std::size_t first, std::size_t count) const {
    std::uint64_t total = 0;
    for (std::size_t unit = first; unit < first + count; ++unit) total += units_[unit].families;
    return total;
}

// Scores a unit into a place of its own, in the order of the walk, or else each family into its
// place.
void ParentWalk::score_unit(const Unit& unit, FamilyScorer& scorer, double* packed,
                            FamilyValues families, TaskContext& context) const {
    std::vector<double> scores;
    walk(unit, [&](std::span<const int> parents, std::span<const int> children) {
        scores.resize(children.size());
        scorer.children(parents, children, scores.data());
        if (packed != nullptr) {
            packed = std::copy(scores.begin(), scores.end(), packed);
        } else {
            for (std::size_t i = 0; i < children.size(); ++i) {
                families[static_cast<std::size_t>(children[i])][rank(children[i], parents)] =
                    scores[i];
            }
        }
        context.advance(children.size());
    });
}

void ParentWalk::score_units(std::size_t first, std::size_t count, double* packed,
                             FamilyValues families, const RunOptions& options) const {
    std::vector<std::uint64_t> starts{0};
    for (std::size_t i = 0; i < count; ++i) {
        starts.push_back(starts.back() + units_[first + i].families);
    }
    ScorerPool pool(score_);
    const RunOptions here{score_.concurrent() ? options.device : Processors{1}, options.monitor};
    run_tasks(count, starts.back(), here, [&](std::size_t task, TaskContext& context) {
        const Unit& unit = units_[first + task];
        std::unique_ptr<FamilyScorer> scorer = pool.take(unit.rows_of);
        score_unit(unit, *scorer, packed == nullptr ? nullptr : packed + starts[task], families,
                   context);
        pool.give_back(unit.rows_of, std::move(scorer));
    });
}

std::vector<double> ParentWalk::score(std::size_t first, std::size_t count,
                                      const RunOptions& options) const {
    std::vector<double> result(values(first, count));
    score_units(first, count, result.data(), {}, options);
    return result;
}

void ParentWalk::put(std::size_t first, std::span<const double> values, FamilyValues families) {
    auto value = values.begin();
    for (std::size_t unit = first; value != values.end(); ++unit) {
        walk(units_[unit], [&](std::span<const int> parents, std::span<const int> children) {
            for (const int child : children) {
                families[static_cast<std::size_t>(child)][rank(child, parents)] = *value++;
            }
        });
    }
}

void ParentWalk::score_all(FamilyValues families, const RunOptions& options) const {
    score_units(0, units(), nullptr, families, options);
}

// Scores families with one outside parent: a walk over the subsets of the candidates, in which the
// outside parents are the leaves of every set, all evaluated at once.

namespace {

// Positions of the prepared variables: outside parents first, as leaves lie below what is pushed;
// then candidates, required parents, and the node.
class PlusOneWalk {
  public:
    PlusOneWalk(SubsetWalker& walker, const ParentSets& sets, double* values, TaskContext& context)
        : walker_(walker),
          sets_(sets),
          values_(values),
          context_(context),
          outside_(static_cast<int>(sets.outside.size())),
          buffer_(sets.outside.size()) {}

    // Writes M(P) for every family, or with the node among the variables M(P + v) less what is
    // there.
    void run(bool with_node) {
        const int node =
            outside_ + static_cast<int>(sets_.candidates.size() + sets_.required.size());
        const int first_base = outside_ + static_cast<int>(sets_.candidates.size());
        with_node_ = with_node;
        out_ = values_;
        if (with_node) walker_.push(node, false);
        for (int position = node - 1; position >= first_base; --position) {
            walker_.push(position, false);
        }
        visit(static_cast<int>(sets_.candidates.size()), sets_.plus_one->max_size());
        for (int position = node - 1; position >= first_base; --position) walker_.pop();
        if (with_node) walker_.pop();
    }

  private:
    void visit(int limit, int room) {
        walker_.leaves(outside_, buffer_.data());
        for (const double value : buffer_) {
            *out_ = with_node_ ? value - *out_ : value;
            ++out_;
        }
        context_.advance(buffer_.size());
        if (room == 0) return;
        for (int member = 0; member < limit; ++member) {
            walker_.push(outside_ + member, room == 1 || member == 0);
            visit(member, room - 1);
            walker_.pop();
        }
    }

    SubsetWalker& walker_;
    const ParentSets& sets_;
    double* values_;
    TaskContext& context_;
    int outside_;
    std::vector<double> buffer_;
    bool with_node_ = false;
    double* out_ = nullptr;
};

}  // namespace

void score_plus_one(const SetFunction& score, std::span<const PlusOneValues> of_nodes,
                    const RunOptions& options) {
    std::uint64_t families = 0;
    for (const PlusOneValues& each : of_nodes) families += each.sets.count_plus_one();
    run_tasks(of_nodes.size(), 2 * families, options, [&](std::size_t task, TaskContext& context) {
        const ParentSets& sets = of_nodes[task].sets;
        if (sets.outside.empty()) return;
        const int node = static_cast<int>(task);
        std::vector<int> variables(sets.outside.begin(), sets.outside.end());
        variables.insert(variables.end(), sets.candidates.begin(), sets.candidates.end());
        variables.insert(variables.end(), sets.required.begin(), sets.required.end());
        variables.push_back(node);
        const auto prepared = score.prepare(variables, score.intervened(node) ? node : -1);
        const auto walker = prepared->walker();
        PlusOneWalk walk(*walker, sets, of_nodes[task].values, context);
        for (const bool with_node : {false, true}) walk.run(with_node);
    });
}

}  // namespace arcwise
