// Sums of rows that are known tell what comes of other sets as well as sums added up anew.
#include <algorithm>
#include <cmath>
#include <vector>

#include "arcwise/sums/node_sums.hpp"
#include "arcwise/sums/rows/plus_one_sums.hpp"
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

TEST(known_sums_tell_those_of_other_sets) {
    int told = 0;
    for (const Kind& kind : kinds) {
        Random random(3, static_cast<std::uint64_t>(kind.outside));
        const NodeSums sums(families_of(kind, random), 0, SumMethod::rows, 1e-12, Tabulated::sums);
        const PlusOneSums& rows = *sums.rows();
        const int places = kind.inside + kind.outside;
        for (int i = 0; i < 400; ++i) {
            const Sets now = random_sets(kind, sums.words(), random);
            const PlusOneSums::RowSums known = rows.row_sums(now.allowed.data(), now.needed());
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
            const PlusOneSums::RowSums changed = rows.changed_sums(
                known, now.allowed.data(), now.needed(), then.allowed.data(), then.needed());
            if (!changed.digits) continue;
            ++told;
            CHECK_CLOSE(log_of(changed.met, changed.unit), added_up(sums, then), close_enough);
            if (!known.digits) continue;
            const double share = added_up(sums, then) - added_up(sums, now);
            if (std::abs(share) < 300.0) {
                CHECK_CLOSE(std::log(rows.share(changed, known)), share, close_enough);
            }
        }
    }
    CHECK(told > 1000);
}

TEST(a_parent_that_comes_is_told_from_where_it_was_seen) {
    int told = 0;
    for (const Kind& kind : kinds) {
        Random random(4, static_cast<std::uint64_t>(kind.outside));
        const NodeSums sums(families_of(kind, random), 0, SumMethod::rows, 1e-12, Tabulated::sums);
        const PlusOneSums& rows = *sums.rows();
        for (int i = 0; i < 400; ++i) {
            const int place = below(random, kind.inside + kind.outside);
            const auto parent = static_cast<std::size_t>(place);
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
                return rows.row_sums(sets.allowed.data(), sets.needed());
            };
            const auto check = [&](const PlusOneSums::PassedSums& passed) {
                ++told;
                CHECK_CLOSE(log_of(passed.without, passed.unit), added_up(sums, without),
                            close_enough);
                CHECK_CLOSE(log_of(passed.alone, passed.unit_with), added_up(sums, alone),
                            close_enough);
                if (!without.any_needed) return;  // nothing comes before the first part but it
                CHECK_CLOSE(log_of(passed.with, passed.unit_with), added_up(sums, with),
                            close_enough);
                CHECK_CLOSE(log_of(passed.either, passed.unit_with), added_up(sums, either),
                            close_enough);
            };
            PlusOneSums::PassedSums passed;
            if (!rows.is_outside(parent)) {
                if (rows.pass_inside(known(without), known(with), passed)) check(passed);
                continue;
            }
            using Seen = PlusOneSums::Seen;
            const std::pair<const Sets*, Seen> places[] = {
                {&without, Seen::nowhere}, {&with, Seen::allowed}, {&either, Seen::required}};
            for (const auto& [sets, seen] : places) {
                if (!without.any_needed && seen != Seen::nowhere) continue;
                const PlusOneSums::RowSums now = known(*sets);
                if (now.digits && rows.pass_outside(now, parent, seen, passed)) check(passed);
            }
        }
    }
    CHECK(told > 1000);
}

TEST(one_outside_parent_takes_the_place_of_another) {
    int told = 0;
    for (const Kind& kind : kinds) {
        Random random(5, static_cast<std::uint64_t>(kind.outside));
        const NodeSums sums(families_of(kind, random), 0, SumMethod::rows, 1e-12, Tabulated::sums);
        const PlusOneSums& rows = *sums.rows();
        for (int i = 0; i < 200; ++i) {
            Sets now = random_sets(kind, sums.words(), random);
            now.any_needed = false;
            const PlusOneSums::RowSums known = rows.row_sums(now.allowed.data(), nullptr);
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
            const double sum = rows.exchanged(known, gone, come);
            if (!(sum > 0.0)) continue;
            ++told;
            CHECK_CLOSE(log_of(sum, known.unit), added_up(sums, then), close_enough);
        }
    }
    CHECK(told > 500);
}

TEST(sums_of_sets_that_grow) {
    int told = 0;
    for (const Kind& kind : kinds) {
        Random random(6, static_cast<std::uint64_t>(kind.outside));
        const NodeSums sums(families_of(kind, random), 0, SumMethod::rows, 1e-12, Tabulated::sums);
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
            if (!sums.rows()->growing_sums(sets.data(), stride, numbers.size(), numbers.data(),
                                           units.data())) {
                continue;
            }
            ++told;
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
    CHECK(told > 100);
}
