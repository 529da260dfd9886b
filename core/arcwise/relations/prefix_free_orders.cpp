#include "arcwise/relations/prefix_free_orders.hpp"

#include <cmath>

#include "arcwise/numerics/special.hpp"

namespace arcwise {

PrefixFreeOrders::PrefixFreeOrders(std::span<const std::size_t> sizes, std::size_t elements)
    : sizes_(sizes.begin(), sizes.end()) {
    sizes_.push_back(elements);
    const std::size_t levels = sizes_.size();
    shares_.assign((elements + 1) * levels, 0.0);
    shares_.back() = 1.0;
    for (std::size_t placed = elements; placed-- > 0;) {
        double higher = 0.0;  // summed over the levels above
        for (std::size_t level = levels; level-- > 0;) {
            const double at_level = share(placed + 1, level);
            if (placed < sizes_[level]) {
                const double same = left(placed, level, level) * at_level;
                shares_[placed * levels + level] =
                    (same + higher) / static_cast<double>(elements - placed);
            }
            if (level > 0) higher += left(placed, level - 1, level) * at_level;
        }
    }
}

double PrefixFreeOrders::left(std::size_t placed, std::size_t highest, std::size_t level) const {
    const std::size_t below = level > highest ? sizes_[level - 1] : placed;
    return static_cast<double>(sizes_[level] - below);
}

double PrefixFreeOrders::log_count() const {
    return log_gamma(static_cast<double>(sizes_.back()) + 1.0) + std::log(share(0, 0));
}

std::vector<int> PrefixFreeOrders::draw(std::span<const int> elements,
                                        std::span<const std::size_t> levels, Random& random) const {
    std::vector<std::vector<int>> unplaced(sizes_.size());  // those up to the highest in the first
    for (std::size_t i = 0; i < elements.size(); ++i) unplaced[levels[i]].push_back(elements[i]);
    std::vector<int>& lower = unplaced[0];
    std::vector<int> order;
    std::vector<double> weights;
    std::size_t highest = 0;
    while (order.size() < elements.size()) {
        const std::size_t placed = order.size();
        weights.clear();
        for (std::size_t level = highest; level < sizes_.size(); ++level) {
            weights.push_back(left(placed, highest, level) * share(placed + 1, level));
        }
        const std::size_t level = highest + (weights.size() == 1 ? 0 : random.choose(weights));
        std::vector<int>& from = level == highest ? lower : unplaced[level];
        const std::size_t at = from.size() == 1 ? 0 : random.below(from.size());
        order.push_back(from[at]);
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(at));
        for (; highest < level; ++highest) {
            std::vector<int>& passed = unplaced[highest + 1];
            lower.insert(lower.end(), passed.begin(), passed.end());
        }
    }
    return order;
}

}  // namespace arcwise
