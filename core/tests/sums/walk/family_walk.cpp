// Walks over the tree of families: every size and bound, weights far apart, what is left out.
#include "arcwise/sums/walk/family_walk.hpp"

#include "arcwise/sums/node_sums.hpp"
#include "check.hpp"
#include "sums/brute_sums.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr double nothing_left_out = 1e-300;

std::vector<int> first_numbers(int count) {
    std::vector<int> result;
    for (int i = 0; i < count; ++i) result.push_back(i);
    return result;
}

// The largest error of a walk relative to the sum, over random sets of candidates 0, 1, ...; no sum
// may be too large.
double largest_error(const NodeFamilies& families, double tolerance, std::uint64_t seed) {
    const NodeSums sums(families, 0, SumMethod::walk, tolerance, Tabulated::sums);
    Random random(seed, 1);
    double largest = 0.0;
    const int questions = families.count() > 10000 ? 10 : 100;
    for (int i = 0; i < questions; ++i) {
        const std::vector<int> allowed =
            subset(random, static_cast<int>(families.candidates().size()), random.uniform());
        const double expected = log_sum(admitted(families, allowed, nullptr));
        const double sum = sums.log_sum(bits(families, sums.words(), allowed).data());
        if (expected == minus_infinity) {
            CHECK(sum == minus_infinity);
            continue;
        }
        const double rounding = 1e-15 * std::abs(expected) + 3e-13;
        CHECK(sum <= expected + rounding);
        largest = std::max(largest, expected - sum - rounding);
    }
    return largest;
}

// As local scores behave: a parent that helps adds to the weight, any other takes from it.
NodeFamilies with_penalties(int candidates, int max_free, double penalty, std::uint64_t seed) {
    NodeFamilies families(first_numbers(candidates), {}, max_free);
    Random random(seed, 0);
    families.for_each([&](std::uint64_t index, std::span<const int> members) {
        double weight = random.uniform();
        for (const int member : members) weight += member % 5 == 0 ? 20.0 : -penalty;
        families.values()[index] = weight;
    });
    return families;
}

}  // namespace

TEST(walks_of_every_number_of_candidates_and_every_bound) {
    for (int candidates = 0; candidates <= 10; ++candidates) {
        for (int max_free = 0; max_free <= candidates; ++max_free) {
            for (const double spread : {3.0, 900.0}) {
                NodeFamilies families(first_numbers(candidates), {}, max_free);
                Random random(static_cast<std::uint64_t>(candidates * 20 + max_free), 0);
                set_weights(families, random, spread, max_free % 2 == 0 ? 0.0 : 0.2);
                CHECK(largest_error(families, nothing_left_out, 3) < 1e-15);
            }
        }
    }
}

TEST(walks_of_numbers_of_candidates_around_a_word) {
    for (const int candidates : {63, 64, 65, 127, 128, 129}) {
        for (int max_free = 0; max_free <= 2; ++max_free) {
            NodeFamilies families(first_numbers(candidates), {}, max_free);
            Random random(static_cast<std::uint64_t>(candidates), 0);
            set_weights(families, random, 5.0);
            CHECK(largest_error(families, nothing_left_out, 4) < 1e-15);
        }
    }
}

TEST(walks_of_long_prefixes_beyond_a_word) {
    NodeFamilies families(first_numbers(66), {}, 3);
    Random random(6, 0);
    set_weights(families, random, 10.0);
    CHECK(largest_error(families, nothing_left_out, 6) < 1e-15);
}

TEST(walks_of_more_than_two_words) {
    // More words than are kept without memory of their own.
    NodeFamilies families(first_numbers(300), {}, 2);
    Random random(5, 0);
    set_weights(families, random, 10.0);
    CHECK(largest_error(families, nothing_left_out, 5) < 1e-15);
}

TEST(light_families_behind_heavy_ones_are_found_in_lower_windows) {
    for (const double step : {150.0, 599.0, 700.0, 1300.0, 2600.0, 40'000.0}) {
        // All subsets of the same size weigh the same, larger ones a step more.
        NodeFamilies families(first_numbers(7), {}, 7);
        families.for_each([&](std::uint64_t index, std::span<const int> members) {
            families.values()[index] = step * static_cast<double>(members.size()) - 90'000.0;
        });
        CHECK(FamilyWalk(families, 1e-12).complete() == (step < 1300.0 + 1.0));
        CHECK(largest_error(families, nothing_left_out, 6) < 1e-15);
        CHECK(largest_error(families, 1e-12, 7) < 1e-12);
    }
}

TEST(a_node_without_a_family_of_positive_weight) {
    NodeFamilies families(first_numbers(5), {}, 3);
    for (double& value : families.values()) value = minus_infinity;
    CHECK(FamilyWalk(families, 1e-12).families_kept() == 0);
    CHECK(largest_error(families, 1e-12, 8) == 0.0);
    // Only one family, and not the empty one.
    families.values()[families.layout().rank(std::vector<int>{4, 2})] = -2000.0;
    CHECK(FamilyWalk(families, 1e-12).families_kept() == 1);
    CHECK(largest_error(families, 1e-12, 9) < 1e-15);
}

TEST(what_a_walk_leaves_out_is_within_its_tolerance) {
    const NodeFamilies families = with_penalties(20, 4, 9.0, 1);
    double error = 0.0;
    std::size_t kept = families.count() + 1;
    for (const double tolerance : {1e-12, 1e-9, 1e-6, 1e-3}) {
        const std::size_t now_kept = FamilyWalk(families, tolerance).families_kept();
        CHECK(now_kept < kept);
        kept = now_kept;
        const double now = largest_error(families, tolerance, 2);
        CHECK(now <= tolerance);
        CHECK(now >= error);
        error = now;
    }
    CHECK(error > 1e-6);  // the tolerance is made use of
    CHECK(kept < families.count() / 20);
    CHECK(FamilyWalk(families, nothing_left_out).families_kept() == families.count());
}

TEST(light_families_are_weighed_together) {
    // Two of the twenty singles may go on account of the empty set, though each alone could.
    constexpr double tolerance = 1e-6;
    NodeFamilies families(first_numbers(20), {}, 1);
    for (double& value : families.values()) value = std::log(0.4 * tolerance);
    families.values()[0] = 0.0;
    CHECK(FamilyWalk(families, tolerance).families_kept() == 19);
}

TEST(a_subset_that_weighs_nothing_keeps_no_family_out) {
    NodeFamilies families(first_numbers(6), {}, 3);
    families.for_each([&](std::uint64_t index, std::span<const int> members) {
        families.values()[index] =
            members.size() < 2 ? minus_infinity : -50.0 * static_cast<double>(members.size());
    });
    const FamilyWalk walk(families, 1e-6);
    CHECK(walk.families_kept() == 15);  // the pairs; each triple is light beside its own
    CHECK(largest_error(families, 1e-6, 3) < 1e-15);
}

TEST(differences_of_walks_keep_the_tolerance) {
    // Families with candidate 1 are one in a hundred by weight, just above where sums are taken
    // anew; what a walk leaves out must not show.
    constexpr double tolerance = 1e-6;
    NodeFamilies families(first_numbers(16), {}, 3);
    Random random(10, 0);
    families.for_each([&](std::uint64_t index, std::span<const int> members) {
        double weight = log_weight(random, 1.0);
        for (const int member : members) weight -= member == 1 ? 4.5 : 10.0;
        families.values()[index] = weight;
    });
    const NodeSums sums(families, 0, SumMethod::walk, tolerance, Tabulated::sums);
    CHECK(sums.families_kept() < families.count() / 2);
    SumMemo memo;
    const std::vector<int> wanted{1};
    const double expected = log_sum(admitted(families, first_numbers(16), &wanted));
    const double whole = log_sum(admitted(families, first_numbers(16), nullptr));
    CHECK(expected - whole > std::log(0x1p-7) && expected - whole < std::log(0.03));
    CHECK_CLOSE(sums.log_sum(bits(families, 1, first_numbers(16)).data(),
                             bits(families, 1, wanted).data(), memo),
                expected, tolerance);
}
