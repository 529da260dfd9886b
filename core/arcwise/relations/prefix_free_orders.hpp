// Orders of a set that begin with none of certain subsets, each of which is one of the next: how
// many there are, and uniformly random ones of them.
//
// Elements have levels: how many of the subsets they are not in. An order begins with a subset if
// as many elements as it has come before all that are not in it. So while t elements are placed and
// the highest level so far is m, all that counts for the rest is (t, m), and with sizes s_0 < s_1 <
// .. < s_l, the last that of the set itself, the share of the orders of the rest that are allowed
// is
//   share(t, m) = 0 if t = s_m and m < l, 1 if t = s_l, and otherwise
//     ((s_m - t) share(t + 1, m) + sum over k > m of (s_k - s_(k-1)) share(t + 1, k)) / (s_l - t).
// No term is negative, so nothing cancels.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "arcwise/support/random.hpp"

namespace arcwise {

class PrefixFreeOrders {
  public:
    // By the sizes of the subsets, ascending, and that of the set.
    PrefixFreeOrders(std::span<const std::size_t> sizes, std::size_t elements);

    // ln of the number of allowed orders.
    double log_count() const;

    // One of them, of elements with levels from 0 on: those of the smallest subset have level 0,
    // those of no subset the highest.
    std::vector<int> draw(std::span<const int> elements, std::span<const std::size_t> levels,
                          Random& random) const;

  private:
    double share(std::size_t placed, std::size_t level) const {
        return shares_[placed * sizes_.size() + level];
    }
    // How many of a level that is higher than all that are placed there are; at the level itself
    // and below it, all that are left.
    double left(std::size_t placed, std::size_t highest, std::size_t level) const;

    std::vector<std::size_t> sizes_;  // that of the set last
    std::vector<double> shares_;      // by the number placed and the highest level
};

}  // namespace arcwise
