// Cutting nodes of degree one off the graph of covers until none is left.
#include "arcwise/linear_extensions/hanging_trees.hpp"

namespace arcwise {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void HangingTrees::begin(int nodes) {
    covers_.clear();
    cuts_.clear();
    degrees_.assign(at(nodes), 0);
    neighbours_.assign(at(nodes), 0);
}

void HangingTrees::add_cover(int lower, int upper) {
    covers_.push_back({lower, upper});
    ++degrees_[at(lower)];
    ++degrees_[at(upper)];
    neighbours_[at(lower)] ^= upper;
    neighbours_[at(upper)] ^= lower;
}

void HangingTrees::finish(std::size_t most_cuts) {
    const int nodes = whole_size();
    numbers_.assign(at(nodes), 0);
    for (int start = 0; start < nodes; ++start) {
        // Along a path as long as each cut makes the next node hang.
        int v = start;
        while (degrees_[at(v)] == 1 && numbers_[at(v)] == 0 && cuts_.size() < most_cuts) {
            const int from = neighbours_[at(v)];
            // Numbers grow upwards along covers.
            cuts_.push_back({v, from, v < from});
            numbers_[at(v)] = -1;
            neighbours_[at(from)] ^= v;
            --degrees_[at(from)];
            v = from;
        }
    }
    kept_.clear();
    for (int v = 0; v < nodes; ++v) {
        if (numbers_[at(v)] < 0) continue;
        numbers_[at(v)] = size();
        kept_.push_back(v);
    }
    parent_starts_.assign(kept_.size() + 1, 0);
    roots_ = size();
    leaves_ = size();
    int last_lower = -1;
    for (const Cover& cover : covers_) {
        if (numbers_[at(cover.lower)] < 0 || numbers_[at(cover.upper)] < 0) continue;
        if (++parent_starts_[at(numbers_[at(cover.upper)])] == 1) --roots_;
        if (cover.lower != last_lower) --leaves_;
        last_lower = cover.lower;
    }
    // Counts become ends, and filling backwards turns ends into starts.
    for (std::size_t i = 1; i < parent_starts_.size(); ++i)
        parent_starts_[i] += parent_starts_[i - 1];
    parents_.resize(parent_starts_.back());
    for (std::size_t i = covers_.size(); i-- > 0;) {
        const int lower = numbers_[at(covers_[i].lower)];
        const int upper = numbers_[at(covers_[i].upper)];
        if (lower < 0 || upper < 0) continue;
        parents_[--parent_starts_[at(upper)]] = lower;
    }
}

}  // namespace arcwise
