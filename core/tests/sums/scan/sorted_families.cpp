// The early stop of the scan: what it leaves out stays within the stated tolerance.
#include "arcwise/sums/scan/sorted_families.hpp"

#include "check.hpp"
#include "sums/brute_sums.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

std::vector<int> everyone(int nodes) {
    std::vector<int> result;
    for (int node = 0; node < nodes; ++node) result.push_back(node);
    return result;
}

}  // namespace

TEST(families_come_by_falling_weight_and_zeros_are_dropped) {
    NodeFamilies families(everyone(10), {}, 3);
    Random random(1, 0);
    set_weights(families, random, 100.0, 0.25);
    const SortedFamilies sorted(families, 1e-12);
    CHECK(sorted.words() == 1);
    CHECK(sorted.count() == admitted(families, everyone(10), nullptr).size());
    for (std::size_t place = 1; place < sorted.count(); ++place) {
        CHECK(sorted.weight(place) <= sorted.weight(place - 1));
    }
    for (std::size_t place = 0; place < sorted.count(); ++place) {
        std::vector<int> parents;
        for (int node = 0; node < 10; ++node) {
            if ((*sorted.parents(place) >> node & 1) != 0) parents.push_back(node);
        }
        const auto index = static_cast<std::size_t>(families.find(parents));
        CHECK(families.values()[index] == sorted.weight(place));
    }
}

TEST(equal_weights_keep_the_order_of_the_families) {
    NodeFamilies families(everyone(8), {}, 8);
    Random random(2, 0);
    const double weights[] = {0.0, -0.0, 2.5, -2.5, 1e-300, -1e-300, 1e5, -1e5, minus_infinity};
    for (double& value : families.values()) value = weights[below(random, 9)];
    const SortedFamilies sorted(families, 1e-12);
    CHECK(sorted.count() == admitted(families, everyone(8), nullptr).size());
    for (std::size_t place = 1; place < sorted.count(); ++place) {
        // Without a bound on the size, the bits of a family are its index.
        CHECK(sorted.weight(place) < sorted.weight(place - 1) ||
              (sorted.weight(place) == sorted.weight(place - 1) &&
               *sorted.parents(place) > *sorted.parents(place - 1)));
    }
}

TEST(a_scan_leaves_out_no_more_than_its_tolerance) {
    constexpr int nodes = 30;
    for (const double spread : {5.0, 40.0, 400.0}) {
        NodeFamilies families(everyone(nodes), {}, 3);
        Random random(static_cast<std::uint64_t>(spread), 0);
        set_weights(families, random, spread);
        for (const double tolerance : {1e-2, 1e-6, 1e-12}) {
            const SortedFamilies sorted(families, tolerance);
            for (int i = 0; i < 20; ++i) {
                const std::vector<int> allowed = subset(random, nodes, 0.5);
                const auto inside = bits(families, sorted.words(), allowed);
                const double expected = log_sum(admitted(families, allowed, nullptr));
                const double found = sorted.log_sum(inside.data(), nullptr);
                CHECK(found <= expected + 1e-12);
                CHECK(expected - found <= -std::log1p(-tolerance) + 1e-12);
            }
        }
    }
}

TEST(nothing_allowed_gives_minus_infinity_and_no_family) {
    NodeFamilies families({0, 1, 2}, {3}, 3);
    const SortedFamilies sorted(families, 1e-12);
    const std::uint64_t none = 0;
    Random random(1, 1);
    CHECK(sorted.log_sum(&none, nullptr) == minus_infinity);
    CHECK(sorted.best(&none, nullptr) == -1);
    CHECK(sorted.place_at(&none, nullptr, minus_infinity, 0.5) == -1);
}

TEST(the_best_family_is_the_heaviest_admitted_one) {
    constexpr int nodes = 90;
    NodeFamilies families(everyone(nodes), {}, 2);
    Random random(9, 9);
    set_weights(families, random, 10'000.0);
    const SortedFamilies sorted(families, 1e-12);
    CHECK(sorted.words() == 2);
    for (int i = 0; i < 30; ++i) {
        const std::vector<int> allowed = subset(random, nodes, 0.4);
        const std::vector<int> required = subset(random, nodes, 0.05);
        const auto inside = bits(families, sorted.words(), allowed);
        const auto meeting = bits(families, sorted.words(), required);
        const auto sets = admitted(families, allowed, &required);
        const std::int64_t place = sorted.best(inside.data(), meeting.data());
        CHECK(place >= 0 ? sorted.weight(static_cast<std::size_t>(place)) == max_weight(sets)
                         : sets.empty());
    }
}
