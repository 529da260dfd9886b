// Counting by the last node of ever larger sets closed under parents.
#include "arcwise/dags/linear_extensions.hpp"

#include <bit>
#include <cmath>
#include <unordered_map>

#include "arcwise/support/special.hpp"

namespace arcwise {
namespace {

// Nodes connected to `seed`, whatever the direction of the edges.
std::uint32_t component(std::span<const std::uint32_t> parents, std::uint32_t seed) {
    std::uint32_t reached = seed;
    while (true) {
        std::uint32_t grown = reached;
        for (std::size_t v = 0; v < parents.size(); ++v) {
            const std::uint32_t bit = std::uint32_t{1} << v;
            if ((reached & bit) != 0) grown |= parents[v];
            if ((reached & parents[v]) != 0) grown |= bit;
        }
        if (grown == reached) return reached;
        reached = grown;
    }
}

double count_in_component(std::span<const std::uint32_t> parents, std::uint32_t members) {
    std::unordered_map<std::uint32_t, double> level{{0, 1.0}};
    for (int size = 0; size < std::popcount(members); ++size) {
        std::unordered_map<std::uint32_t, double> next;
        for (const auto& [set, count] : level) {
            for (std::uint32_t left = members & ~set; left != 0; left &= left - 1) {
                const int v = std::countr_zero(left);
                if ((parents[static_cast<std::size_t>(v)] & ~set) == 0) {
                    next[set | std::uint32_t{1} << v] += count;
                }
            }
        }
        level = std::move(next);
    }
    return std::log(level.begin()->second);
}

}  // namespace

double log_linear_extensions(std::span<const std::uint32_t> parents) {
    const auto nodes = static_cast<std::uint32_t>(parents.size());
    std::uint32_t left = nodes == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << nodes) - 1;
    // Orders of the components can be interleaved at will: a multinomial coefficient.
    double result = log_gamma(static_cast<double>(nodes) + 1.0);
    while (left != 0) {
        const std::uint32_t members = component(parents, left & (~left + 1));
        result += count_in_component(parents, members) -
                  log_gamma(static_cast<double>(std::popcount(members)) + 1.0);
        left &= ~members;
    }
    return result;
}

}  // namespace arcwise
