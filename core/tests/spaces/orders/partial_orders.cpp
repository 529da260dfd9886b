// The space of partial orders: exact covers by enumeration, moves, weights and what is refused.
#include "arcwise/spaces/orders/partial_orders.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "arcwise/spaces/orders/bucket_orders.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

using Order = std::vector<std::uint64_t>;  // by element: those before it
using Code = std::vector<std::uint16_t>;

// All families of n nodes, with random weights; node 0 requires node n - 1 if so wished.
std::shared_ptr<const ScoreSums> random_sums(int n, double spread, bool with_required) {
    Random random(1, static_cast<std::uint64_t>(n));
    FamilyTable table;
    for (int node = 0; node < n; ++node) {
        std::vector<int> others;
        for (int other = 0; other < n; ++other) {
            const bool required = with_required && node == 0 && other == n - 1;
            if (other != node && !required) others.push_back(other);
        }
        std::vector<int> required;
        if (with_required && node == 0 && n > 1) required.push_back(n - 1);
        const int most = static_cast<int>(others.size());
        table.emplace_back(std::move(others), std::move(required), most);
        table.back().values().resize(table.back().count());
        set_weights(table.back(), random, spread);
    }
    return std::make_shared<const ScoreSums>(table,
                                             std::vector<SumMethod>(table.size(), SumMethod::table),
                                             1e-12, Tabulated::sums, RunOptions{});
}

// Parallel bucket orders.
const std::vector<Order>& covers() {
    static const std::vector<Order> orders = {
        {0},              // one element
        {0, 1},           // a chain
        {0, 0, 3},        // 01 | 2
        {0, 1, 1, 7},     // 0 | 12 | 3
        {0, 1, 0, 4},     // 0 | 1 and 2 | 3
        {0, 0, 3, 3, 0},  // 01 | 23 and 4
        {0, 1, 2, 4, 0},  // a chain of four, told by its steps, and 4
    };
    return orders;
}

std::vector<Code> all_states(const PartialOrders& space) {
    std::set<Code> found;
    Code code(static_cast<std::size_t>(space.nodes()));
    std::iota(code.begin(), code.end(), std::uint16_t{0});
    const auto state = space.make_state();
    std::vector<int> part_of(code.size());
    for (std::size_t part = 0; part < space.parts().size(); ++part) {
        for (const auto& bucket : space.parts()[part]) {
            for (const int position : bucket) {
                part_of[static_cast<std::size_t>(position)] = static_cast<int>(part);
            }
        }
    }
    do {
        bool stays = true;
        for (std::size_t i = 0; i < code.size(); ++i) stays &= part_of[i] == part_of[code[i]];
        if (!stays) continue;
        state->decode(code);
        found.insert(state->encode());
    } while (std::next_permutation(code.begin(), code.end()));
    return {found.begin(), found.end()};
}

// Always the choice with a given number, and how many choices there were.
class FixedChoice final : public Random::Script {
  public:
    explicit FixedChoice(std::uint64_t choice) : choice_(choice) {}
    std::uint64_t one_of(std::uint64_t count) override {
        count_ = count;
        return choice_;
    }
    std::size_t choose(std::span<const double>) override { return 0; }
    bool event(double) override { return false; }
    std::uint64_t count() const { return count_; }

  private:
    std::uint64_t choice_;
    std::uint64_t count_ = 0;
};

bool is_before(const Order& order, std::size_t first, std::size_t second) {
    return (order[second] >> first & 1) != 0;
}

// Whether every linear order extends exactly one of what the order becomes by permuting the
// elements within its connected components; the order is transitively closed.
bool reorderings_cover_exactly(const Order& order) {
    const std::size_t n = order.size();
    std::vector<std::size_t> component(n);
    std::iota(component.begin(), component.end(), std::size_t{0});
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (!is_before(order, i, j)) continue;
            const std::size_t merged = component[i];
            const std::size_t old = component[j];
            for (std::size_t& c : component) c = c == old ? merged : c;
        }
    }
    std::vector<std::size_t> renamed(n);
    std::iota(renamed.begin(), renamed.end(), std::size_t{0});
    std::set<Order> reorderings;
    std::vector<std::vector<std::size_t>> permutations;
    do {
        permutations.push_back(renamed);
        Order moved(n, 0);
        bool stays = true;
        for (std::size_t i = 0; i < n; ++i) {
            stays &= component[i] == component[renamed[i]];
            for (std::size_t j = 0; j < n; ++j) {
                if (is_before(order, i, j)) moved[renamed[j]] |= std::uint64_t{1} << renamed[i];
            }
        }
        if (stays) reorderings.insert(moved);
    } while (std::next_permutation(renamed.begin(), renamed.end()));
    for (const auto& place : permutations) {
        int extended = 0;
        for (const Order& candidate : reorderings) {
            bool extends = true;
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                    extends &= !is_before(candidate, i, j) || place[i] < place[j];
                }
            }
            extended += extends;
        }
        if (extended != 1) return false;
    }
    return true;
}

}  // namespace

TEST(partial_orders_take_exactly_the_exact_covers) {
    // All transitively closed orders of four elements, element i before j or not for each pair.
    const auto sums = random_sums(4, 1.0, false);
    int taken = 0;
    int refused = 0;
    for (std::uint64_t pairs = 0; pairs < 1 << 12; ++pairs) {
        Order order(4, 0);
        std::uint64_t next = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < 4; ++j) {
                if (i != j && (pairs >> next++ & 1) != 0) order[j] |= std::uint64_t{1} << i;
            }
        }
        bool is_order = true;
        for (std::size_t j = 0; j < 4; ++j) {
            for (std::size_t i = 0; i < 4; ++i) {
                is_order &= !is_before(order, i, j) || (order[i] & ~order[j]) == 0;
                is_order &= !is_before(order, i, j) || !is_before(order, j, i);
            }
        }
        if (!is_order) continue;
        if (reorderings_cover_exactly(order)) {
            const PartialOrders space(sums, order);
            CHECK_CLOSE(std::exp(space.log_size()), static_cast<double>(all_states(space).size()),
                        1e-9);
            ++taken;
        } else {
            CHECK_THROWS_KIND(PartialOrders(sums, order), argument);
            ++refused;
        }
    }
    CHECK(taken + refused == 219);  // the number of partial orders of four labelled elements
    CHECK(refused > 0);
}

TEST(partial_orders_together_have_the_weight_of_all_orders) {
    for (const Order& order : covers()) {
        const auto n = static_cast<int>(order.size());
        for (const bool with_required : {false, true}) {
            const auto sums = random_sums(n, 5.0, with_required);
            const PartialOrders space(sums, order);
            const auto state = space.make_state();
            long double total = 0.0L;
            for (const Code& code : all_states(space)) {
                state->decode(code);
                CHECK(state->encode() == code);
                const LogWeight weight = state->log_weight();
                CHECK(std::isfinite(weight.value));
                const GivenPartialOrder given(*sums, std::make_shared<const DownsetLattice>(order),
                                              std::vector<int>(code.begin(), code.end()));
                if (weight.zero_factors == 0) {
                    total += std::exp(static_cast<long double>(weight.value));
                    CHECK_CLOSE(given.log_weight(), weight.value, 1e-12);
                } else {
                    CHECK(weight.zero_factors == 1 && given.log_weight() == minus_infinity);
                }
            }
            std::vector<int> all(order.size());
            std::iota(all.begin(), all.end(), 0);
            const GivenBuckets one_bucket(*sums, {all});
            CHECK_CLOSE(static_cast<double>(std::log(total)), one_bucket.log_weight(), 1e-12);
        }
    }
}

TEST(partial_order_swaps_are_symmetric_and_reach_all_states) {
    for (const Order& order : covers()) {
        const auto sums = random_sums(static_cast<int>(order.size()), 300.0, true);
        const PartialOrders space(sums, order);
        const std::vector<Code> states = all_states(space);
        const auto state = space.make_state();
        std::map<std::pair<Code, Code>, int> ways;
        for (const Code& from : states) {
            std::uint64_t choices = 1;
            for (std::uint64_t choice = 0; choice < choices; ++choice) {
                state->decode(from);
                const LogWeight before = state->log_weight();
                FixedChoice script(choice);
                Random random(script);
                const Proposal proposal = state->propose(Temperature{}, random);
                CHECK(proposal.possible == (states.size() > 1));
                if (!proposal.possible) continue;
                choices = script.count();
                CHECK(state->encode() == from);
                CHECK(state->log_weight().value == before.value);
                CHECK(state->recomputed_weight().value == before.value);
                CHECK(proposal.log_ratio == 0.0);
                state->accept();
                CHECK(state->log_weight().value == proposal.weight.value);
                const LogWeight recomputed = state->recomputed_weight();
                CHECK(recomputed.value == proposal.weight.value);
                CHECK(recomputed.zero_factors == proposal.weight.zero_factors);
                CHECK(state->encode() != from);
                ++ways[{from, state->encode()}];
            }
        }
        std::set<Code> reached{states.front()};
        for (std::size_t size = 0; size != reached.size();) {
            size = reached.size();
            for (const auto& [pair, count] : ways) {
                CHECK(count == ways[std::pair(pair.second, pair.first)]);
                if (reached.contains(pair.first)) reached.insert(pair.second);
            }
        }
        CHECK(reached.size() == states.size());
    }
}

TEST(partial_orders_are_drawn_uniformly) {
    // Twelve states, 24,000 draws: a count is off by 6 standard deviations less than once in forty
    // million times.
    const auto sums = random_sums(4, 5.0, false);
    const PartialOrders space(sums, {0, 1, 1, 7});
    const auto state = space.make_state();
    std::map<Code, int> counts;
    Random random(5, 0);
    for (int i = 0; i < 24'000; ++i) {
        // From the same state each time: what it was must not matter.
        state->decode(Code{0, 1, 2, 3});
        state->draw_uniform(random);
        ++counts[state->encode()];
    }
    CHECK(counts.size() == 12);
    CHECK_CLOSE(space.log_size(), std::log(12.0), 1e-12);
    for (const auto& [code, count] : counts) CHECK_CLOSE(count, 2000.0, 6.0 * std::sqrt(2000.0));
    CHECK(state->log_weight().value == state->recomputed_weight().value);
}

TEST(partial_order_states_refuse_codes_of_other_spaces) {
    const auto sums = random_sums(4, 5.0, false);
    const PartialOrders space(sums, {0, 1, 0, 4});
    const auto state = space.make_state();
    CHECK_THROWS_KIND(state->decode(Code{0, 2, 1, 3}), argument);
    CHECK_THROWS_KIND(state->decode(Code{0, 0, 2, 3}), argument);
    CHECK_THROWS_KIND(state->decode(Code{0, 1, 2}), argument);
}
