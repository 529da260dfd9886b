// Groups families by their ordinary parents, and goes back from a group to its members.
#include "arcwise/families/fold_families.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Families that together have less than this share of a folded weight are left out.
constexpr double negligible = 1e-17;

// Shares that are remembered at once.
constexpr std::size_t most_remembered = std::size_t{1} << 20;

// The ordinary ones among node numbers, as numbers among the ordinary nodes.
std::vector<int> folded_numbers(std::span<const int> nodes, std::span<const int> folded_number) {
    std::vector<int> result;
    for (const int node : nodes) {
        const int folded = folded_number[static_cast<std::size_t>(node)];
        if (folded >= 0) result.push_back(folded);
    }
    return result;
}

// How many folded families there are, of those that are not listed.
std::uint64_t folded_count(const NodeFamilies& families, std::span<const int> folded_number) {
    const std::span<const int> candidates(families.candidates());
    const auto inside =
        static_cast<int>(folded_numbers(candidates.first(families.inside()), folded_number).size());
    const std::size_t outside =
        folded_numbers(candidates.subspan(families.inside()), folded_number).size();
    const int most = families.max_free();
    const std::uint64_t alone = SubsetLayout(inside, std::min(most, inside)).count();
    if (outside == 0 || most == 0) return alone;
    return alone + outside * SubsetLayout(inside, std::min(most - 1, inside)).count();
}

}  // namespace

FamilyGroups::FamilyGroups(const NodeFamilies& families, std::span<const int> folded_number) {
    const std::span<const int> candidates(families.candidates());
    std::vector<int> inside = folded_numbers(candidates.first(families.inside()), folded_number);
    const std::vector<int> outside =
        folded_numbers(candidates.subspan(families.inside()), folded_number);
    std::vector<int> required = folded_numbers(families.required(), folded_number);
    int place = 0;
    for (const int candidate : candidates) {
        const bool ordinary = folded_number[static_cast<std::size_t>(candidate)] >= 0;
        folded_place_.push_back(ordinary ? place++ : -1);
    }
    if (!families.listed()) {
        folded_ =
            NodeFamilies(std::move(inside), std::move(required), families.max_free(), outside);
        return;
    }
    std::vector<std::uint16_t> members;
    std::vector<std::uint64_t> offsets{0};
    std::vector<int> ordinary;
    families.for_each([&](std::uint64_t, std::span<const int> all) {
        keep_ordinary(all, ordinary);
        if (!listed_.try_emplace(ordinary, listed_.size()).second) return;
        members.insert(members.end(), ordinary.begin(), ordinary.end());
        offsets.push_back(members.size());
    });
    folded_ = NodeFamilies(std::move(inside), std::move(required), std::move(members),
                           std::move(offsets));
}

void FamilyGroups::keep_ordinary(std::span<const int> members, std::vector<int>& ordinary) const {
    ordinary.clear();
    for (const int member : members) {
        const int place = folded_place_[static_cast<std::size_t>(member)];
        if (place >= 0) ordinary.push_back(place);
    }
}

std::uint64_t FamilyGroups::group_of(std::span<const int> members,
                                     std::vector<int>& ordinary) const {
    keep_ordinary(members, ordinary);
    if (folded_.listed()) return listed_.at(ordinary);
    return static_cast<std::uint64_t>(folded_.index_of(ordinary));
}

std::int64_t FamilyGroups::find(std::span<const int> parents) const {
    if (!folded_.listed()) return folded_.find(parents);
    const std::optional<std::vector<int>> members = folded_.members_of(parents);
    const auto found = members ? listed_.find(*members) : listed_.end();
    return found == listed_.end() ? -1 : static_cast<std::int64_t>(found->second);
}

Unfolding::Unfolding(const FamilyTable& table, std::span<const int> parent_only,
                     const RunOptions& options)
    : nodes_(static_cast<int>(table.size())), parent_only_(parent_only.begin(), parent_only.end()) {
    number_nodes();
    by_node_.resize(ordinary_.size());
    run_tasks(ordinary_.size(), ordinary_.size(), options,
              [&](std::size_t v, TaskContext& context) {
                  by_node_[v] = sorted(table[static_cast<std::size_t>(ordinary_[v])]);
                  context.advance(1);
              });
}

void Unfolding::number_nodes() {
    folded_number_.assign(static_cast<std::size_t>(nodes_), 0);
    for (const int node : parent_only_) folded_number_[static_cast<std::size_t>(node)] = -1;
    for (int node = 0; node < nodes_; ++node) {
        int& number = folded_number_[static_cast<std::size_t>(node)];
        if (number < 0) continue;
        number = static_cast<int>(ordinary_.size());
        ordinary_.push_back(node);
    }
}

// Counts the families of each group, and puts them one group after the other, each by weight.
Unfolding::Node Unfolding::sorted(const NodeFamilies& families) const {
    if (families.count() > std::numeric_limits<std::uint32_t>::max()) {
        throw Error(ErrorKind::capacity, "A node has more than 2^32 families.");
    }
    Node node{families, std::make_shared<const FamilyGroups>(families, folded_number_), {}, {}, {}};
    node.whole.values() = {};
    const std::vector<double>& weights = families.values();
    const std::uint64_t groups = node.groups->folded().count();
    std::vector<std::uint64_t> ends(groups + 1, 0);
    node.groups->for_each(families, [&](std::uint64_t index, std::uint64_t group) {
        if (weights[index] > minus_infinity) ++ends[group + 1];
    });
    for (std::uint64_t group = 0; group < groups; ++group) ends[group + 1] += ends[group];
    std::vector<std::uint64_t> next(ends.begin(), ends.end() - 1);
    std::vector<std::uint32_t> all(ends.back());
    node.groups->for_each(families, [&](std::uint64_t index, std::uint64_t group) {
        if (weights[index] > minus_infinity) {
            all[next[group]++] = static_cast<std::uint32_t>(index);
        }
    });
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::uint32_t> kept;
    std::vector<double> shares;
    std::vector<double> own;
    for (std::uint64_t group = 0; group < groups; ++group) {
        const std::span<std::uint32_t> members =
            std::span(all).subspan(ends[group], ends[group + 1] - ends[group]);
        std::sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
            return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
        });
        own.clear();
        double total = 0.0;
        for (const std::uint32_t family : members) {
            own.push_back(std::exp(weights[family] - weights[members[0]]));
        }
        for (std::size_t i = own.size(); i-- > 0;) total += own[i];
        double light = 0.0;
        while (own.size() > 1 && (light += own.back()) < negligible * total) own.pop_back();
        for (std::size_t i = 0; i < own.size(); ++i) {
            kept.push_back(members[i]);
            shares.push_back(own[i] / total);
        }
        offsets.push_back(kept.size());
    }
    kept.shrink_to_fit();
    shares.shrink_to_fit();
    node.offsets = std::move(offsets);
    node.families = std::move(kept);
    node.shares = std::move(shares);
    return node;
}

void Unfolding::write(ArchiveWriter& writer) const {
    writer.number(static_cast<std::int64_t>(nodes_));
    writer.array(parent_only_);
    for (const Node& node : by_node_) {
        node.whole.write_sets(writer);
        writer.array(node.offsets);
        writer.array(node.families);
        writer.array(node.shares);
    }
}

Unfolding::Unfolding(ArchiveReader& reader) {
    constexpr std::int64_t most_nodes = std::numeric_limits<std::uint16_t>::max();
    std::int64_t nodes = 0;
    reader.number(nodes);
    reader.array(parent_only_);
    reader.expect(nodes > 0 && nodes <= most_nodes);
    nodes_ = static_cast<int>(nodes);
    int before = -1;
    for (const int node : parent_only_) {
        reader.expect(node > before && node < nodes_);
        before = node;
    }
    number_nodes();
    for (const int number : ordinary_) {
        Node& node = by_node_.emplace_back();
        node.whole = NodeFamilies::read_sets(reader, static_cast<std::size_t>(number),
                                             static_cast<std::size_t>(nodes_));
        reader.array(node.offsets);
        reader.array(node.families);
        reader.array(node.shares);
        // Before anything is made that has room for each of them.
        reader.expect(node.whole.listed() ||
                      folded_count(node.whole, folded_number_) + 1 == node.offsets.size());
        node.groups = std::make_shared<const FamilyGroups>(node.whole, folded_number_);
        reader.expect(node.groups->folded().count() + 1 == node.offsets.size() &&
                      node.offsets[0] == 0 &&
                      std::is_sorted(node.offsets.begin(), node.offsets.end()) &&
                      *(node.offsets.end() - 1) == node.families.size() &&
                      node.families.size() == node.shares.size());
        for (const std::uint32_t family : node.families) {
            reader.expect(family < node.whole.count());
        }
        for (const double share : node.shares) reader.expect(share > 0.0 && share <= 1.0);
    }
}

std::span<const std::uint32_t> Unfolding::families(std::size_t v, std::uint64_t folded) const {
    const Node& node = by_node_[v];
    return {node.families.data() + node.offsets[folded],
            node.families.data() + node.offsets[folded + 1]};
}

std::span<const double> Unfolding::shares(std::size_t v, std::uint64_t folded) const {
    const Node& node = by_node_[v];
    return {node.shares.data() + node.offsets[folded],
            node.shares.data() + node.offsets[folded + 1]};
}

std::uint64_t Unfolding::folded_family(std::size_t v, const std::uint64_t* parents) const {
    std::vector<int> numbers;
    for_each_member(parents, words_for(ordinary_.size()), [&](int u) { numbers.push_back(u); });
    const std::int64_t found = by_node_[v].groups->find(numbers);
    if (found < 0 || shares(v, static_cast<std::uint64_t>(found)).empty()) {
        throw Error(ErrorKind::argument, "The DAG has a parent set that is not allowed.");
    }
    return static_cast<std::uint64_t>(found);
}

void Unfolding::put_parents(std::size_t v, std::uint32_t family, std::uint64_t* dag) const {
    std::uint64_t* row =
        dag + static_cast<std::size_t>(ordinary_[v]) * words_for(static_cast<std::size_t>(nodes_));
    for (const int parent : by_node_[v].whole.parents_of(family)) put_member(row, parent);
}

template <class Choose>
void Unfolding::unfold(const std::uint64_t* ordinary_dag, std::uint64_t* dag, Choose choose) const {
    const std::size_t words = words_for(ordinary_.size());
    const auto all = static_cast<std::size_t>(nodes_);
    std::fill(dag, dag + all * words_for(all), std::uint64_t{0});
    for (std::size_t v = 0; v < ordinary_.size(); ++v) {
        const std::uint64_t folded = folded_family(v, ordinary_dag + v * words);
        put_parents(v, families(v, folded)[choose(shares(v, folded))], dag);
    }
}

void Unfolding::draw(const std::uint64_t* ordinary_dag, Random& random, std::uint64_t* dag) const {
    unfold(ordinary_dag, dag, [&](std::span<const double> shares) {
        return shares.size() == 1 ? std::size_t{0} : random.choose(shares);
    });
}

void Unfolding::take_best(const std::uint64_t* ordinary_dag, std::uint64_t* dag) const {
    unfold(ordinary_dag, dag, [](std::span<const double>) { return std::size_t{0}; });
}

void Unfolding::add_shares(const std::uint64_t* ordinary_dag, ShareMemo& memo,
                           double* edges) const {
    const std::size_t words = words_for(ordinary_.size());
    const auto all = static_cast<std::size_t>(nodes_);
    if (memo.size() * parent_only_.size() > most_remembered) memo.clear();
    for (std::size_t v = 0; v < ordinary_.size(); ++v) {
        const std::uint64_t folded = folded_family(v, ordinary_dag + v * words);
        std::vector<double>& by_parent = memo[folded * ordinary_.size() + v];
        if (by_parent.empty()) {
            by_parent.assign(parent_only_.size(), 0.0);
            const std::span<const std::uint32_t> members = families(v, folded);
            const std::span<const double> own = shares(v, folded);
            for (std::size_t i = members.size(); i-- > 0;) {  // the lightest first
                for (const int parent : by_node_[v].whole.parents_of(members[i])) {
                    if (folded_number_[static_cast<std::size_t>(parent)] >= 0) continue;
                    const auto place =
                        std::lower_bound(parent_only_.begin(), parent_only_.end(), parent);
                    by_parent[static_cast<std::size_t>(place - parent_only_.begin())] += own[i];
                }
            }
        }
        for (std::size_t i = 0; i < by_parent.size(); ++i) {
            edges[static_cast<std::size_t>(parent_only_[i]) * all +
                  static_cast<std::size_t>(ordinary_[v])] += std::min(1.0, by_parent[i]);
        }
    }
}

FoldedFamilies fold_families(const FamilyTable& table, std::span<const int> parent_only,
                             const RunOptions& options) {
    FoldedFamilies result;
    const auto unfolding = std::make_shared<const Unfolding>(table, parent_only, options);
    for (std::size_t v = 0; v < unfolding->ordinary().size(); ++v) {
        const NodeFamilies& families = table[static_cast<std::size_t>(unfolding->ordinary()[v])];
        NodeFamilies sums = unfolding->folded(v);
        NodeFamilies maxima = sums;
        for (std::uint64_t folded = 0; folded < sums.count(); ++folded) {
            const std::span<const std::uint32_t> members = unfolding->families(v, folded);
            const double heaviest =
                members.empty() ? minus_infinity : families.values()[members[0]];
            maxima.values()[folded] = heaviest;
            // The heaviest has the share heaviest / sum.
            sums.values()[folded] =
                members.empty() ? heaviest : heaviest - std::log(unfolding->shares(v, folded)[0]);
        }
        result.sums.push_back(std::move(sums));
        result.maxima.push_back(std::move(maxima));
    }
    result.unfolding = unfolding;
    return result;
}

FamilyTable unfold_probabilities(const FamilyTable& weights, const FoldedFamilies& folded,
                                 const FamilyTable& folded_probabilities) {
    FamilyTable result = weights;
    for (const int node : folded.unfolding->parent_only()) {
        NodeFamilies& families = result[static_cast<std::size_t>(node)];
        std::fill(families.values().begin(), families.values().end(), 1.0);
    }
    for (std::size_t v = 0; v < folded.unfolding->ordinary().size(); ++v) {
        const auto node = static_cast<std::size_t>(folded.unfolding->ordinary()[v]);
        const std::vector<double>& total = folded.sums[v].values();
        const std::vector<double>& probabilities = folded_probabilities[v].values();
        std::vector<double>& values = result[node].values();
        folded.unfolding->groups(v).for_each(
            weights[node], [&](std::uint64_t index, std::uint64_t group) {
                values[index] = values[index] == minus_infinity
                                    ? 0.0
                                    : probabilities[group] * std::exp(values[index] - total[group]);
            });
    }
    return result;
}

}  // namespace arcwise
