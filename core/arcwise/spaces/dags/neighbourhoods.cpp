// Nearness of nodes from the law of each node's parents without regard for cycles and from where
// windows are needed, and sets that grow by it.
#include "arcwise/spaces/dags/neighbourhoods.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "arcwise/numerics/log_space.hpp"

namespace arcwise {
namespace {

constexpr std::size_t fewest_nodes = 3;
constexpr int sets_for_each_node = 64;  // of each size

// What the candidates of a node share, however improbable; and what is left out of the others.
constexpr double shared_by_candidates = 0.5;
constexpr double least = 1e-3;

// What nearness by the model is worth, as a share of all need for windows.
constexpr double worth_of_model = 0.5;

// Nine of thirteen tables of up to 20 nodes need windows by 5 to 25 steps, and the four whose
// chains disagree by 500 to 1,600.
constexpr double hardly = 32.0;

// What is made of a set of a window takes, in units of 1 microsecond of one processor.
constexpr double of_made = 0.01;

using Amounts = std::vector<std::pair<int, double>>;  // of other nodes, which ascend
using Near = std::vector<Amounts>;                    // by node

Near nearness_of(const ScoreSums& sums) {
    std::vector<std::map<int, double>> near(static_cast<std::size_t>(sums.nodes()));
    const std::vector<std::uint64_t> all(sums.words(), ~std::uint64_t{0});
    for (int node = 0; node < sums.nodes(); ++node) {
        const std::vector<int>& possible = sums.possible_parents(node);
        const double log_factor = -sums[node].log_sum(all.data());
        if (log_factor == -minus_infinity) continue;  // it has no family
        std::vector<double> by_place(possible.size(), 0.0);
        sums[node].add_parent_probabilities(all.data(), {}, &log_factor, by_place.data());
        const std::size_t inside = sums.inside(node);
        for (std::size_t place = 0; place < possible.size(); ++place) {
            double amount = by_place[place];
            if (place < inside) amount += shared_by_candidates / static_cast<double>(inside);
            if (amount < least) continue;
            near[static_cast<std::size_t>(node)][possible[place]] += amount;
            near[static_cast<std::size_t>(possible[place])][node] += amount;
        }
    }
    Near result;
    for (const std::map<int, double>& of_node : near) {
        result.emplace_back(of_node.begin(), of_node.end());
    }
    return result;
}

// Adds amounts to others. Windows are grown by the hundred thousand, so nothing is sought.
void add_to(Amounts& around, const Amounts& more, Amounts& sum) {
    sum.clear();
    auto at = around.begin();
    for (const auto& [node, amount] : more) {
        while (at != around.end() && at->first < node) sum.push_back(*at++);
        const bool both = at != around.end() && at->first == node;
        sum.emplace_back(node, (both ? (at++)->second : 0.0) + amount);
    }
    sum.insert(sum.end(), at, around.end());
    around.swap(sum);
}

double total(const Amounts& amounts) {
    double sum = 0.0;
    for (const auto& [node, amount] : amounts) sum += amount;
    return sum;
}

// Both in units of all that is needed.
void add_need(Near& near, std::span<const double> needed, double all_needed) {
    double by_model = 0.0;
    for (const Amounts& of_node : near) by_model += total(of_node);
    if (by_model > 0.0) {
        for (Amounts& of_node : near) {
            for (auto& [other, amount] : of_node) amount *= worth_of_model / by_model;
        }
    }
    std::vector<Amounts> more(near.size());
    for (std::size_t node = 0; node < near.size(); ++node) {
        for (std::size_t other = 0; other < near.size(); ++other) {
            const auto [low, high] = std::minmax(node, other);
            const double amount = needed[low * near.size() + high] / (2.0 * all_needed);
            if (amount > 0.0) more[node].emplace_back(static_cast<int>(other), amount);
        }
    }
    Amounts sum;
    for (std::size_t node = 0; node < near.size(); ++node) add_to(near[node], more[node], sum);
}

int any_other(std::vector<int> nodes, std::size_t count, Random& random) {
    std::ranges::sort(nodes);
    auto other = static_cast<int>(random.below(count - nodes.size()));
    for (const int node : nodes) other += node <= other;
    return other;
}

// A node, and again and again one that is near to those there are, in proportion; where there is
// none, any.
std::vector<int> grown(const Near& near, int first, std::size_t size, Random& random) {
    std::vector<int> nodes{first};
    Amounts around;
    Amounts sum;
    std::vector<double> weights;
    while (nodes.size() < size) {
        add_to(around, near[static_cast<std::size_t>(nodes.back())], sum);
        std::erase_if(around, [&](const auto& each) {
            return std::ranges::find(nodes, each.first) != nodes.end();
        });
        weights.clear();
        for (const auto& [other, amount] : around) weights.push_back(amount);
        nodes.push_back(around.empty() ? any_other(nodes, near.size(), random)
                                       : around[random.choose(weights)].first);
    }
    std::ranges::sort(nodes);
    return nodes;
}

}  // namespace

Neighbourhoods::Neighbourhoods(const ScoreSums& sums, std::span<const double> needed,
                               WindowSizes sizes) {
    Near near = nearness_of(sums);
    const double need = std::accumulate(needed.begin(), needed.end(), 0.0);
    if (need > 0.0) {
        add_need(near, needed, need);
        most_needed_ = *std::ranges::max_element(needed);
    }
    std::vector<double> firsts;  // how often sets grow from each node
    for (const Amounts& of_node : near) firsts.push_back(total(of_node));
    const bool many = sizes == WindowSizes::many;
    const std::size_t largest = std::min(many ? most_nodes : most_of_few, near.size());
    Random random(0, 0);
    for (std::size_t size = std::min(fewest_nodes, largest); size <= largest; ++size) {
        std::vector<std::vector<int>> sets;
        for (int node = 0; node < sums.nodes(); ++node) {
            for (int i = 0; i < sets_for_each_node; ++i) {
                const int first = need > 0.0 ? static_cast<int>(random.choose(firsts)) : node;
                sets.push_back(grown(near, first, size, random));
            }
        }
        shares_.push_back(many ? 1.0 : std::exp2(-static_cast<double>(size)));
        std::ranges::sort(sets);
        // By the model alone, how often a set was grown tells little of how often it is needed.
        if (need == 0.0) sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
        OfSize& of_size = sizes_.emplace_back(OfSize{size, {}});
        for (const std::vector<int>& set : sets) {
            of_size.members.insert(of_size.members.end(), set.begin(), set.end());
        }
    }
}

bool Neighbourhoods::hardly_needed() const { return most_needed_ > 0.0 && most_needed_ < hardly; }

double Neighbourhoods::work(double of_sum) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
        const auto size = static_cast<double>(sizes_[i].nodes);
        sum += shares_[i] * (of_sum * size * std::exp2(size - 1.0) + of_made * std::pow(3.0, size));
    }
    return sum / std::accumulate(shares_.begin(), shares_.end(), 0.0);
}

std::span<const int> Neighbourhoods::draw(Random& random) const {
    const OfSize& size = sizes_[random.choose(shares_)];
    const std::size_t set = random.below(size.members.size() / size.nodes);
    return std::span(size.members).subspan(set * size.nodes, size.nodes);
}

}  // namespace arcwise
