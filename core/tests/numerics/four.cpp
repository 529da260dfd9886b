// Four numbers side by side against the same arithmetic one by one, to the last bit.
#include "arcwise/numerics/four.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "arcwise/support/random.hpp"
#include "check.hpp"

using namespace arcwise;

namespace {

using Numbers = std::array<double, 4>;

constexpr double infinity = std::numeric_limits<double>::infinity();

Numbers drawn(Random& random) {
    Numbers result;
    for (double& number : result) number = std::ldexp(random.uniform() - 0.5, 20);
    return result;
}

void check_same(const Four& four, const Numbers& expected) {
    Numbers found;
    store(found.data(), four);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(std::bit_cast<std::uint64_t>(found[i]) == std::bit_cast<std::uint64_t>(expected[i]));
    }
}

}  // namespace

TEST(lanes_are_computed_one_by_one) {
    Random random(3, 1);
    for (int i = 0; i < 50; ++i) {
        const Numbers a = drawn(random);
        const Numbers b = i == 0 ? Numbers{-infinity, infinity, 0.0, -0.0} : drawn(random);
        Four first;
        Four second;
        load(first, a.data());
        load(second, b.data());
        check_same(first + second, {a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]});
        check_same(first - second, {a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]});
        check_same(first * second, {a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]});
        Four highest = first;
        raise_to(highest, second);
        check_same(highest, {std::fmax(a[0], b[0]), std::fmax(a[1], b[1]), std::fmax(a[2], b[2]),
                             std::fmax(a[3], b[3])});
        Four sums = first;
        add_absolute(sums, second);
        check_same(sums, {a[0] + std::abs(b[0]), a[1] + std::abs(b[1]), a[2] + std::abs(b[2]),
                          a[3] + std::abs(b[3])});
    }
}

TEST(lanes_are_picked_from_two) {
    const Four first = {0.0, 1.0, 2.0, 3.0};
    const Four second = {4.0, 5.0, 6.0, 7.0};
    Four picked;
    pick<4, 0, 4, 1>(picked, first, second);
    check_same(picked, {4.0, 0.0, 4.0, 1.0});
    pick<2, 3, 6, 7>(picked, first, second);
    check_same(picked, {2.0, 3.0, 6.0, 7.0});
    pick<3, 2, 1, 0>(picked, first, first);
    check_same(picked, {3.0, 2.0, 1.0, 0.0});
}

TEST(powers_of_two_end_at_the_lowest) {
    constexpr std::int64_t exponents[4] = {1023, 1024, 600, 599};
    constexpr std::int64_t scales[4] = {0, 2, 100, 100};
    Four powers;
    load_powers(powers, 3.0, exponents, 0, scales, 500);
    check_same(powers, {3.0, 1.5, std::ldexp(3.0, 500 - 1023), 0.0});
    load_powers(powers, -1.0, exponents, 1, scales, 500);
    check_same(powers, {-2.0, -1.0, -std::ldexp(1.0, 501 - 1023), -std::ldexp(1.0, 500 - 1023)});
}
