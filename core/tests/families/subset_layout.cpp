// Subset ranks against an enumeration of all bit masks.
#include "arcwise/families/subset_layout.hpp"

#include <bit>

#include "check.hpp"

using namespace arcwise;

namespace {

std::vector<int> descending_members(std::uint64_t mask) {
    std::vector<int> members;
    for (int element = 63; element >= 0; --element) {
        if ((mask >> element & 1) != 0) members.push_back(element);
    }
    return members;
}

}  // namespace

TEST(ranks_follow_the_masks_without_gaps) {
    for (int elements = 0; elements <= 9; ++elements) {
        for (int max_size = 0; max_size <= elements + 1; ++max_size) {
            const SubsetLayout layout(elements, max_size);
            std::vector<std::vector<int>> expected;
            for (std::uint64_t mask = 0; mask < std::uint64_t{1} << elements; ++mask) {
                if (std::popcount(mask) <= max_size) expected.push_back(descending_members(mask));
            }
            CHECK(layout.count() == expected.size());
            std::uint64_t visited = 0;
            layout.for_each([&](std::uint64_t rank, std::span<const int> members) {
                CHECK(rank == visited);
                CHECK(std::vector<int>(members.begin(), members.end()) == expected[visited]);
                CHECK(layout.rank(members) == rank);
                ++visited;
            });
            CHECK(visited == expected.size());
        }
    }
}

TEST(without_a_bound_the_rank_is_the_mask) {
    const SubsetLayout layout(50, 50);
    for (const std::uint64_t mask :
         {0x1ULL, 0x2AAAAAAAAAAAAULL, 0x3FFFFFFFFFFFFULL, 0x8000000001ULL}) {
        CHECK(layout.rank(descending_members(mask)) == mask);
    }
}

TEST(layouts_of_many_elements_count_right) {
    const std::uint64_t n = 1000;
    CHECK(SubsetLayout(1000, 3).count() == 1 + n + n * (n - 1) / 2 + n * (n - 1) * (n - 2) / 6);
    CHECK(SubsetLayout(61, 61).count() == std::uint64_t{1} << 61);
}

TEST(layouts_that_cannot_be_numbered_are_refused) {
    CHECK_THROWS_KIND(SubsetLayout(62, 62), capacity);
    CHECK_THROWS_KIND(SubsetLayout(1000, 500), capacity);
    CHECK_THROWS_KIND(SubsetLayout(-1, 2), argument);
    CHECK_THROWS_KIND(SubsetLayout(3, -1), argument);
}
