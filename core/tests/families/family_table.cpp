// Families by number and by parents: each must lead to the other.
#include "arcwise/families/family_table.hpp"

#include <algorithm>
#include <set>

#include "check.hpp"

using namespace arcwise;

TEST(implied_families_are_found_by_their_parents) {
    const NodeFamilies families({1, 4, 6, 9}, {2, 7}, 2);
    CHECK(!families.listed());
    CHECK(families.count() == 1 + 4 + 6);
    CHECK(families.values().size() == families.count());
    std::set<std::vector<int>> seen;
    families.for_each([&](std::uint64_t index, std::span<const int> members) {
        std::vector<int> parents = families.parents(members);
        CHECK(std::is_sorted(parents.begin(), parents.end()));
        seen.insert(parents);
        CHECK(families.find(parents) == static_cast<std::int64_t>(index));
        std::reverse(parents.begin(), parents.end());
        CHECK(families.find(parents) == static_cast<std::int64_t>(index));
    });
    CHECK(seen.size() == families.count());
}

TEST(parent_sets_that_are_no_families_are_not_found) {
    const NodeFamilies families({1, 4, 6, 9}, {2, 7}, 2);
    const auto found = [&](std::vector<int> parents) { return families.find(parents); };
    CHECK(found({1, 4}) == -1);           // without the required parents
    CHECK(found({1, 2}) == -1);           // without one of them
    CHECK(found({2, 2, 1}) == -1);        // the same one twice is not both
    CHECK(found({2, 7, 5}) == -1);        // no candidate
    CHECK(found({2, 7, 1, 4, 6}) == -1);  // too many
    CHECK(found({2, 7, 4, 4}) == found({2, 4, 7}));
}

TEST(a_node_without_candidates_has_one_family) {
    const NodeFamilies families({}, {}, 0);
    CHECK(families.count() == 1);
    CHECK(families.find({}) == 0);
}

TEST(listed_families_keep_their_order) {
    const std::vector<std::vector<int>> sets{{}, {2, 0}, {1}, {2, 1, 0}};
    std::vector<std::uint16_t> members;
    std::vector<std::uint64_t> offsets{0};
    for (const std::vector<int>& set : sets) {
        for (const int member : set) members.push_back(static_cast<std::uint16_t>(member));
        offsets.push_back(members.size());
    }
    const NodeFamilies families({3, 5, 8}, {}, members, offsets);
    CHECK(families.listed());
    CHECK(families.count() == sets.size());
    families.for_each([&](std::uint64_t index, std::span<const int> set) {
        CHECK(std::vector<int>(set.begin(), set.end()) == sets[index]);
        CHECK(families.find(families.parents(set)) == static_cast<std::int64_t>(index));
    });
    CHECK(families.find(std::vector<int>{3}) == -1);
}

TEST(listed_families_with_loose_ends_are_refused) {
    const std::vector<std::uint16_t> members{0, 1};
    CHECK_THROWS_KIND(NodeFamilies({3, 5}, {}, members, std::vector<std::uint64_t>{}), argument);
    CHECK_THROWS_KIND(NodeFamilies({3, 5}, {}, members, std::vector<std::uint64_t>{0, 1}),
                      argument);
}
