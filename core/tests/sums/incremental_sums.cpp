// Known sums give those of other sets as precisely as sums that are added up anew.
#include "arcwise/sums/incremental_sums.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "arcwise/support/bits.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr double close_enough = 1e-10;

struct Kind {
    int inside;
    int outside;
    double spread;
    double impossible = 0.0;
};

const Kind kinds[] = {
    {4, 3, 3.0},  {0, 9, 5.0},   {5, 70, 5.0},   {3, 140, 1.0},
    {5, 8, 40.0}, {4, 9, 400.0}, {5, 9, 3000.0}, {4, 8, 5.0, 0.4},
};

NodeFamilies families_of(const Kind& kind, Random& random) {
    std::vector<int> inside;
    std::vector<int> outside;
    for (int i = 1; i <= kind.inside; ++i) inside.push_back(i);
    for (int i = 1; i <= kind.outside; ++i) outside.push_back(kind.inside + i);
    NodeFamilies families(inside, {}, std::max(kind.inside, 1), outside);
    families.values().resize(families.count());
    set_weights(families, random, kind.spread, kind.impossible);
    return families;
}

using Bits = std::vector<std::uint64_t>;

struct Sets {
    Bits allowed;
    Bits required;
    bool any_needed;  // or none, whatever `required` is
    ParentBits needed() const { return any_needed ? required.data() : nullptr; }
};

Sets random_sets(const Kind& kind, std::size_t words, Random& random) {
    Sets sets{Bits(words), Bits(words), random.uniform() < 0.8};
    const double share = random.uniform();
    const double share_needed = 0.7 * random.uniform();
    for (int place = 0; place < kind.inside + kind.outside; ++place) {
        if (random.uniform() > share) continue;
        put_member(sets.allowed.data(), static_cast<std::size_t>(place));
        if (random.uniform() < share_needed) {
            put_member(sets.required.data(), static_cast<std::size_t>(place));
        }
    }
    return sets;
}

double added_up(const NodeSums& sums, const Sets& sets) {
    SumMemo memo;
    return sets.any_needed ? sums.log_sum(sets.allowed.data(), sets.required.data(), memo)
                           : sums.log_sum(sets.allowed.data());
}

void flip(Bits& bits, int place) {
    bits[static_cast<std::size_t>(place) / 64] ^= std::uint64_t{1} << (place % 64);
}

bool holds(const Bits& bits, int place) {
    return (bits[static_cast<std::size_t>(place) / 64] >> (place % 64) & 1) != 0;
}

double log_of(double number, double unit) { return std::log(number) + unit; }

}  // namespace

TEST(known_sums_give_those_of_other_sets) {
    int compared = 0;
    for (const Kind& kind : kinds) {
        Random random(3, static_cast<std::uint64_t>(kind.outside));
        const NodeSums sums(families_of(kind, random), 0, SumMethod::rows, 1e-12, Tabulated::sums);
        const IncrementalSums incremental(sums, Semiring::sum);
        CHECK(incremental.by_rows());
        const int places = kind.inside + kind.outside;
        for (int i = 0; i < 400; ++i) {
            const Sets now = random_sets(kind, sums.words(), random);
            const IncrementalSums::Known known =
                incremental.known(now.allowed.data(), now.needed());
            if (known.digits) {
                CHECK_CLOSE(log_of(known.met, known.unit), added_up(sums, now), close_enough);
            }
            Sets then = now;
            for (int change = below(random, 4); change >= 0; --change) {
                const int place = below(random, places);
                flip(then.allowed, place);
                const bool required = holds(then.allowed, place) && random.uniform() < 0.5;
                if (required != holds(then.required, place)) flip(then.required, place);
            }
            const IncrementalSums::Known changed = incremental.changed(
                known, now.allowed.data(), now.needed(), then.allowed.data(), then.needed());
            if (!changed.digits) continue;
            ++compared;
            CHECK_CLOSE(log_of(changed.met, changed.unit), added_up(sums, then), close_enough);
        }
    }
    CHECK(compared > 1000);
}

TEST(sums_for_each_role_of_one_parent) {
    int compared = 0;
    for (const Kind& kind : kinds) {
        Random random(4, static_cast<std::uint64_t>(kind.outside));
        const NodeSums sums(families_of(kind, random), 0, SumMethod::rows, 1e-12, Tabulated::sums);
        const IncrementalSums incremental(sums, Semiring::sum);
        CHECK(incremental.by_rows());
        for (int i = 0; i < 400; ++i) {
            const int place = below(random, kind.inside + kind.outside);
            Sets without = random_sets(kind, sums.words(), random);
            if (holds(without.allowed, place)) flip(without.allowed, place);
            if (holds(without.required, place)) flip(without.required, place);
            Sets with = without;
            flip(with.allowed, place);
            Sets either = with;
            flip(either.required, place);
            Sets alone = with;
            alone.required.assign(alone.required.size(), 0);
            alone.any_needed = true;
            flip(alone.required, place);
            const auto known = [&](const Sets& sets) {
                return incremental.known(sets.allowed.data(), sets.needed());
            };
            const auto check = [&](const RoleSums& passed) {
                ++compared;
                CHECK_CLOSE(log_of(passed.numbers[Role::absent], passed.unit_absent),
                            added_up(sums, without), close_enough);
                CHECK_CLOSE(log_of(passed.numbers[Role::sole], passed.unit_present),
                            added_up(sums, alone), close_enough);
                if (!without.any_needed) return;  // nothing comes before the first part but it
                CHECK_CLOSE(log_of(passed.numbers[Role::allowed], passed.unit_present),
                            added_up(sums, with), close_enough);
                CHECK_CLOSE(log_of(passed.numbers[Role::sufficient], passed.unit_present),
                            added_up(sums, either), close_enough);
            };
            RoleSums passed;
            const std::uint32_t entry = incremental.outside_entry(place);
            CHECK((entry != 0) == (place >= kind.inside));
            if (entry == 0) {
                if (incremental.pass_inside(known(without), known(with), passed)) check(passed);
                continue;
            }
            const std::pair<const Sets*, Role> places[] = {
                {&without, Role::absent}, {&with, Role::allowed}, {&either, Role::sufficient}};
            for (const auto& [sets, role] : places) {
                if (!without.any_needed && role != Role::absent) continue;
                const IncrementalSums::Known now = known(*sets);
                if (now.digits && incremental.pass_outside(now, entry, role, passed)) check(passed);
            }
        }
    }
    CHECK(compared > 1000);
}

TEST(one_outside_parent_takes_the_place_of_another) {
    int compared = 0;
    for (const Kind& kind : kinds) {
        Random random(5, static_cast<std::uint64_t>(kind.outside));
        const NodeSums sums(families_of(kind, random), 0, SumMethod::rows, 1e-12, Tabulated::sums);
        const IncrementalSums incremental(sums, Semiring::sum);
        CHECK(incremental.by_rows());
        for (int i = 0; i < 200; ++i) {
            Sets now = random_sets(kind, sums.words(), random);
            now.any_needed = false;
            const IncrementalSums::Known known = incremental.known(now.allowed.data(), nullptr);
            int gone = kind.inside + below(random, kind.outside);
            int come = kind.inside + below(random, kind.outside);
            Sets then = now;
            if (holds(now.allowed, gone))
                flip(then.allowed, gone);
            else
                gone = -1;
            if (!holds(now.allowed, come))
                flip(then.allowed, come);
            else
                come = -1;
            if (!known.digits) continue;
            const double sum = incremental.exchanged(known, gone, come);
            CHECK(incremental.can_exchange(gone, come));
            if (!(sum > 0.0)) continue;
            ++compared;
            CHECK_CLOSE(log_of(sum, known.unit), added_up(sums, then), close_enough);
        }
    }
    CHECK(compared > 500);
}

TEST(sums_of_sets_that_grow) {
    int compared = 0;
    for (const Kind& kind : kinds) {
        Random random(6, static_cast<std::uint64_t>(kind.outside));
        const NodeSums sums(families_of(kind, random), 0, SumMethod::rows, 1e-12, Tabulated::sums);
        const IncrementalSums incremental(sums, Semiring::sum);
        const std::size_t words = sums.words();
        for (int i = 0; i < 50; ++i) {
            const int steps = 2 + below(random, 6);
            const std::size_t stride = 2 * words;
            std::vector<std::uint64_t> sets(static_cast<std::size_t>(steps) * stride, 0);
            for (int place = 0; place < kind.inside + kind.outside; ++place) {
                const int from = 1 + below(random, steps);
                for (int step = from; step < steps; ++step) {
                    std::uint64_t* at = sets.data() + static_cast<std::size_t>(step) * stride;
                    put_member(at, static_cast<std::size_t>(place));
                    if (step == from) put_member(at + words, static_cast<std::size_t>(place));
                }
            }
            std::vector<double> numbers(static_cast<std::size_t>(steps));
            std::vector<double> units(numbers);
            if (!incremental.growing_sums(sets.data(), stride, numbers.size(), numbers.data(),
                                          units.data())) {
                continue;
            }
            ++compared;
            SumMemo memo;
            for (std::size_t step = 0; step < numbers.size(); ++step) {
                const ParentBits at = sets.data() + step * stride;
                const double expected =
                    step == 0 ? sums.log_sum(at) : sums.log_sum(at, at + words, memo);
                if (expected == minus_infinity) {
                    CHECK(numbers[step] == 0.0);
                } else {
                    CHECK_CLOSE(log_of(numbers[step], units[step]), expected, close_enough);
                }
            }
        }
    }
    CHECK(compared > 100);
}

// Where there are no rows nothing is known, and every sum is the one NodeSums gives.
TEST(without_rows_every_sum_is_asked_for) {
    for (const SumMethod method : {SumMethod::table, SumMethod::walk, SumMethod::scan}) {
        for (const bool has_required : {false, true}) {
            const std::vector<int> required(has_required ? 1 : 0, 9);
            NodeFamilies families({1, 2, 3, 4, 5, 6, 7, 8}, required, 3);
            families.values().resize(families.count());
            Random random(7, 0);
            set_weights(families, random, 5.0, 0.2);
            const NodeSums sums(families, 0, method, 1e-12, Tabulated::both);
            const IncrementalSums of_sums(sums, Semiring::sum);
            const IncrementalSums of_maxima(sums, Semiring::maximum);
            CHECK(!of_sums.by_rows() && of_sums.outside_entry(3) == 0);
            for (std::uint64_t allowed = 0; allowed < 512; ++allowed) {
                CHECK(!of_sums.known(&allowed, nullptr).digits);
                CHECK(of_sums.log_weight(&allowed) == sums.log_sum(&allowed));
                CHECK(of_sums.relative_log_sum(&allowed) == sums.relative_log_sum(&allowed));
                CHECK(of_maxima.log_weight(&allowed) == sums.max(&allowed));
                of_sums.fetch(&allowed, &allowed);  // changes nothing
                CHECK(of_sums.log_weight(&allowed) == sums.log_sum(&allowed));
            }
        }
    }
}
