// Looking around and moving, each from what it changes.
#include "arcwise/search/order_of_maxima.hpp"

#include <algorithm>
#include <numeric>

namespace arcwise {
namespace {

// The total is summed up anew after this many moves, so that rounding does not build up.
constexpr unsigned moves_between_sums = 1024;

}  // namespace

Neighbours::Neighbours(const NodeWeights& weights) {
    const int nodes = weights.nodes();
    const auto n = static_cast<std::size_t>(nodes);
    of_.resize(n);
    pairs_.assign(n * n, 0);
    near_.resize(n);
    const ScoreSums& sums = weights.sums();
    std::vector<char> near(n * n, 0);
    for (int node = 0; node < nodes; ++node) {
        const std::vector<int>& possible = sums.possible_parents(node);
        for (std::size_t place = 0; place < possible.size(); ++place) {
            const auto v = static_cast<std::size_t>(node);
            const auto u = static_cast<std::size_t>(possible[place]);
            pairs_[v * n + u] = pairs_[u * n + v] = 1;
            if (place < sums.inside(node)) near[v * n + u] = near[u * n + v] = 1;
        }
    }
    for (std::size_t node = 0; node < n; ++node) {
        for (std::size_t other = 0; other < n; ++other) {
            if (pairs_[node * n + other] != 0) of_[node].push_back(static_cast<int>(other));
            if (near[node * n + other] != 0) near_[node].push_back(static_cast<int>(other));
        }
    }
}

OrderOfMaxima::OrderOfMaxima(const NodeWeights& weights, const Neighbours& neighbours)
    : weights_(weights),
      neighbours_(neighbours),
      nodes_(static_cast<std::size_t>(weights.nodes())),
      words_(weights.words()),
      order_(nodes_),
      place_of_(nodes_),
      predecessors_(nodes_ * words_),
      node_weights_(nodes_),
      scratch_(words_) {
    std::iota(order_.begin(), order_.end(), 0);
    sum_up();
}

void OrderOfMaxima::shuffle(Random& random) {
    random.shuffle(std::span(order_));
    sum_up();
}

void OrderOfMaxima::become(const std::vector<int>& order) {
    order_ = order;
    sum_up();
}

void OrderOfMaxima::sum_up() {
    for (std::size_t place = 0; place < nodes_; ++place) {
        place_of_[static_cast<std::size_t>(order_[place])] = static_cast<int>(place);
    }
    std::fill(predecessors_.begin(), predecessors_.end(), 0);
    weight_ = {};
    for (std::size_t v = 0; v < nodes_; ++v) {
        const int node = static_cast<int>(v);
        for (const int other : neighbours_.of(node)) {
            if (place_of_[static_cast<std::size_t>(other)] < place_of_[v]) {
                weights_.flip(predecessors(node), node, other);
            }
        }
        node_weights_[v] = weights_.at(node, predecessors(node));
        weight_ = weight_ + node_weights_[v];
    }
}

// Their places by sorting them, or by going through all places where that is quicker.
void OrderOfMaxima::find_neighbours(int node) {
    const std::vector<int>& neighbours = neighbours_.of(node);
    neighbour_places_.clear();
    if (neighbours.size() * 8 > nodes_) {
        for (std::size_t place = 0; place < nodes_; ++place) {
            if (neighbours_.are(node, order_[place])) {
                neighbour_places_.push_back(static_cast<int>(place));
            }
        }
    } else {
        for (const int other : neighbours) {
            neighbour_places_.push_back(place_of_[static_cast<std::size_t>(other)]);
        }
        std::sort(neighbour_places_.begin(), neighbour_places_.end());
    }
    const int place = place_of_[static_cast<std::size_t>(node)];
    present_ = static_cast<std::size_t>(
        std::lower_bound(neighbour_places_.begin(), neighbour_places_.end(), place) -
        neighbour_places_.begin());
}

const std::vector<LogWeight>& OrderOfMaxima::look_around(int node) {
    moved_ = node;
    find_neighbours(node);
    const std::size_t count = neighbour_places_.size();
    passed_weights_.resize(count);
    own_weights_.resize(count + 1);
    changes_.resize(count + 1);
    const LogWeight own = node_weights_[static_cast<std::size_t>(node)];
    own_weights_[present_] = own;
    changes_[present_] = {};
    for (const bool later : {true, false}) {
        std::copy_n(predecessors(node), words_, scratch_.begin());
        LogWeight others;
        LogWeight here = own;
        std::size_t gap = present_;
        while (later ? gap < count : gap > 0) {
            const std::size_t index = later ? gap : gap - 1;
            gap = later ? gap + 1 : gap - 1;
            const int passed = order_[static_cast<std::size_t>(neighbour_places_[index])];
            LogWeight& of_passed = passed_weights_[index];
            of_passed = node_weights_[static_cast<std::size_t>(passed)];
            if (weights_.flip(predecessors(passed), passed, node)) {
                const LogWeight before = of_passed;
                of_passed = weights_.at(passed, predecessors(passed));
                weights_.flip(predecessors(passed), passed, node);
                others = others + (of_passed - before);
            }
            if (weights_.flip(scratch_.data(), node, passed)) {
                here = weights_.at(node, scratch_.data());
            }
            own_weights_[gap] = here;
            changes_[gap] = others + (here - own);
        }
    }
    return changes_;
}

void OrderOfMaxima::move_to(std::size_t gap, Random& random) {
    // Taking the node out moves all behind it one place forward; then it may stand anywhere after
    // the neighbour before the gap, up to the place of the one behind it.
    const int from = place_of_[static_cast<std::size_t>(moved_)];
    const int before = gap == 0 ? -1 : neighbour_places_[gap - 1];
    const int behind =
        gap == neighbour_places_.size() ? static_cast<int>(nodes_) : neighbour_places_[gap];
    const int first = before > from ? before : before + 1;
    const int last = behind > from ? behind - 1 : behind;
    const int to =
        first + static_cast<int>(random.below(static_cast<std::uint64_t>(last - first + 1)));

    for (std::size_t index = std::min(gap, present_); index < std::max(gap, present_); ++index) {
        const int passed = order_[static_cast<std::size_t>(neighbour_places_[index])];
        weights_.flip(predecessors(passed), passed, moved_);
        weights_.flip(predecessors(moved_), moved_, passed);
        node_weights_[static_cast<std::size_t>(passed)] = passed_weights_[index];
    }
    node_weights_[static_cast<std::size_t>(moved_)] = own_weights_[gap];
    weight_ = weight_ + changes_[gap];
    const int step = to > from ? 1 : -1;
    for (int place = from; place != to; place += step) {
        const int passed = order_[static_cast<std::size_t>(place + step)];
        order_[static_cast<std::size_t>(place)] = passed;
        place_of_[static_cast<std::size_t>(passed)] = place;
    }
    order_[static_cast<std::size_t>(to)] = moved_;
    place_of_[static_cast<std::size_t>(moved_)] = to;
    if (++moves_ % moves_between_sums == 0) {
        weight_ = {};
        for (const LogWeight& weight : node_weights_) weight_ = weight_ + weight;
    }
}

}  // namespace arcwise
