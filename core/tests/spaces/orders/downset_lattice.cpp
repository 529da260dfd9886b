// Down-sets against all subsets looked at one by one, and the recursion over them against all
// linear extensions.
#include "arcwise/spaces/orders/downset_lattice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

// Each pair i < j is related with the given probability, the positions then shuffled.
std::vector<std::uint64_t> random_order(int positions, double probability, Random& random) {
    std::vector<std::size_t> name(static_cast<std::size_t>(positions));
    std::iota(name.begin(), name.end(), std::size_t{0});
    for (std::size_t left = name.size(); left > 1; --left) {
        std::swap(name[left - 1], name[random.below(left)]);
    }
    std::vector<std::uint64_t> predecessors(name.size(), 0);
    for (std::size_t i = 0; i < name.size(); ++i) {
        for (std::size_t j = i + 1; j < name.size(); ++j) {
            if (random.uniform() < probability) {
                predecessors[name[j]] |= std::uint64_t{1} << name[i];
            }
        }
    }
    return predecessors;
}

bool is_downset(std::uint64_t set, const std::vector<std::uint64_t>& predecessors) {
    for (std::size_t i = 0; i < predecessors.size(); ++i) {
        if ((set >> i & 1) != 0 && (predecessors[i] & ~set) != 0) return false;
    }
    return true;
}

std::vector<std::uint64_t> chain(int positions) {
    std::vector<std::uint64_t> predecessors(static_cast<std::size_t>(positions), 0);
    for (std::size_t i = 1; i < predecessors.size(); ++i) {
        predecessors[i] = std::uint64_t{1} << (i - 1);
    }
    return predecessors;
}

}  // namespace

TEST(downset_lattice_has_all_downsets_and_all_steps_between_them) {
    Random random(1, 0);
    for (int positions = 0; positions <= 8; ++positions) {
        for (const double probability : {0.0, 0.15, 0.4, 1.0}) {
            const auto predecessors = random_order(positions, probability, random);
            const DownsetLattice lattice(predecessors);
            std::vector<std::uint64_t> expected;
            std::size_t steps = 0;
            for (std::uint64_t set = 0; set < std::uint64_t{1} << positions; ++set) {
                if (!is_downset(set, predecessors)) continue;
                expected.push_back(set);
                for (int i = 0; i < positions; ++i) {
                    const std::uint64_t more = set | std::uint64_t{1} << i;
                    steps += more != set && is_downset(more, predecessors);
                }
            }
            std::vector<std::uint64_t> found;
            for (std::size_t i = 0; i < lattice.size(); ++i) {
                found.push_back(lattice.set(i));
                CHECK(i == 0 || std::popcount(lattice.set(i - 1)) <= std::popcount(lattice.set(i)));
            }
            std::sort(found.begin(), found.end());
            CHECK(found == expected);
            CHECK(lattice.transitions().size() == steps);
            std::size_t leading = 0;
            for (std::size_t i = 0; i < lattice.size(); ++i) {
                for (const std::uint32_t number : lattice.leading_to(i)) {
                    const auto& [from, to, element] = lattice.transitions()[number];
                    CHECK(to == i && (lattice.set(from) >> element & 1) == 0);
                    CHECK((lattice.set(from) | std::uint64_t{1} << element) == lattice.set(to));
                    ++leading;
                }
            }
            CHECK(leading == steps);
            CHECK(std::ranges::is_sorted(lattice.transitions(), {},
                                         &DownsetLattice::Transition::from));
        }
    }
}

TEST(downset_lattice_of_a_long_chain_has_one_set_of_each_size) {
    const DownsetLattice lattice(chain(64));
    CHECK(lattice.size() == 65);
    CHECK(lattice.set(64) == ~std::uint64_t{0});
    CHECK(lattice.predecessors(63) == ~std::uint64_t{0} >> 1);
}

TEST(downset_lattice_refuses_cycles_and_what_is_too_large) {
    CHECK_THROWS_KIND(DownsetLattice({2, 4, 1}), argument);
    CHECK_THROWS_KIND(DownsetLattice({1}), argument);
    CHECK_THROWS_KIND(DownsetLattice(chain(65)), capacity);
    CHECK_THROWS_KIND(DownsetLattice(std::vector<std::uint64_t>(21, 0)), capacity);
    CHECK_THROWS_KIND(DownsetLattice(std::vector<std::uint64_t>(4, 0), 15), capacity);
    CHECK(DownsetLattice(std::vector<std::uint64_t>(4, 0), 16).size() == 16);
}

TEST(lattice_recursion_adds_up_all_linear_extensions) {
    Random random(2, 0);
    for (int positions = 1; positions <= 6; ++positions) {
        for (const double spread : {4.0, 5000.0}) {
            const DownsetLattice lattice(random_order(positions, 0.25, random));
            std::vector<double> log_sums;
            std::map<std::pair<std::uint64_t, std::size_t>, double> by_step;
            for (const auto& [from, to, element] : lattice.transitions()) {
                log_sums.push_back(log_weight(random, spread, 0.15));
                by_step[{lattice.set(from), element}] = log_sums.back();
            }
            std::vector<long double> weights;
            std::vector<std::size_t> order(static_cast<std::size_t>(positions));
            std::iota(order.begin(), order.end(), std::size_t{0});
            do {
                long double weight = 0.0L;
                std::uint64_t set = 0;
                for (const std::size_t element : order) {
                    const auto step = by_step.find({set, element});
                    weight += step == by_step.end() ? minus_infinity : step->second;
                    set |= std::uint64_t{1} << element;
                }
                weights.push_back(weight);
            } while (std::next_permutation(order.begin(), order.end()));
            const long double largest = *std::max_element(weights.begin(), weights.end());
            long double sum = 0.0L;
            if (!std::isinf(largest)) {
                for (const long double weight : weights) sum += std::exp(weight - largest);
            }
            const auto expected = static_cast<double>(largest + std::log(sum));
            LatticeRecursion recursion(lattice);
            const double close_to = 1e-13 + 1e-15 * spread;
            CHECK_CLOSE(recursion.log_score(log_sums.data()), expected, close_to);
            CHECK_CLOSE(recursion.log_forward(log_sums.data()).back(), expected, close_to);
            CHECK_CLOSE(recursion.log_backward(log_sums.data()).front(), expected, close_to);
        }
    }
}

TEST(lattice_recursion_is_the_same_before_and_after_every_set_size) {
    // Every linear extension passes one set of each size: the sum of F B over them is F(full).
    Random random(3, 0);
    const DownsetLattice lattice(random_order(9, 0.2, random));
    std::vector<double> log_sums;
    for (std::size_t i = 0; i < lattice.transitions().size(); ++i) {
        log_sums.push_back(log_weight(random, 900.0));
    }
    LatticeRecursion recursion(lattice);
    const auto forward = recursion.log_forward(log_sums.data());
    const auto backward = recursion.log_backward(log_sums.data());
    std::vector<double> by_size(10, 0.0);
    for (std::size_t i = 0; i < lattice.size(); ++i) {
        by_size[static_cast<std::size_t>(std::popcount(lattice.set(i)))] +=
            std::exp(forward[i] + backward[i] - forward.back());
    }
    for (const double share : by_size) CHECK_CLOSE(share, 1.0, 1e-11);
}
