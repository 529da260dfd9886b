// The chain over families and unknown values: counts against formulas, and the law of its moves,
// tabulated over all that can happen.
#include "arcwise/imputation/collapsed_chain.hpp"

#include <cmath>
#include <map>
#include <vector>

#include "all_branches.hpp"
#include "check.hpp"

using namespace arcwise;

namespace {

using Codes = std::vector<std::uint16_t>;
using Structure = std::vector<std::vector<int>>;  // the parents of each variable

const std::vector<int> levels{2, 2, 3};
const Codes table{0, 0, 2, 1, 1, 0, 0, 1, 1, 1, 1, 2, 1, 0, 0};
// One row lacks two values, another one.
const std::vector<std::int64_t> alone{-1, -1, -1, 0, 1, -1, -1, -1, -1, -1, -1, 2, -1, -1, -1};
// The value of the second column in the third row stands in the first column of the fourth.
const std::vector<std::int64_t> copied{-1, -1, -1, -1, -1, -1, -1, 0, -1, 0, -1, 1, -1, -1, -1};

const Structure apart{{}, {}, {}};
const Structure forward{{}, {0}, {1}};
const Structure backward{{1}, {}, {0, 1}};

CountedFamily family(const Structure& structure, int node) {
    const std::vector<int>& parents = structure[static_cast<std::size_t>(node)];
    int cells = levels[static_cast<std::size_t>(node)];
    for (const int parent : parents) cells *= levels[static_cast<std::size_t>(parent)];
    return {node, parents, std::vector<double>(static_cast<std::size_t>(cells), 2.0 / cells),
            levels};
}

std::vector<CountedFamily> families(const Structure& structure) {
    return {family(structure, 0), family(structure, 1), family(structure, 2)};
}

CollapsedChain chain(const Structure& structure, const Codes& codes,
                     const std::vector<std::int64_t>& cells, std::size_t most_completions = 64) {
    // The first variable of the last row was set.
    std::vector<std::uint8_t> intervened(codes.size(), 0);
    intervened[12] = 1;
    return {IncompleteRows(codes, cells, levels, {{}, {}, {}}, intervened), families(structure),
            most_completions};
}

double log_weight(const Structure& structure, const Codes& codes) {
    const CollapsedChain there = chain(structure, codes, alone);
    double result = 0.0;
    for (int node = 0; node < 3; ++node) result += there.family(node).log_likelihood();
    return result;
}

// All completions of the table.
std::vector<Codes> completions(const std::vector<std::int64_t>& cells) {
    std::vector<Codes> result{table};
    for (std::int64_t cell = 0; cell < 3; ++cell) {
        std::vector<Codes> more;
        for (const Codes& codes : result) {
            int count = 0;
            for (std::size_t i = 0; i < cells.size(); ++i) {
                if (cells[i] == cell) count = levels[i % 3];
            }
            for (int level = 0; level < count; ++level) {
                Codes next = codes;
                for (std::size_t i = 0; i < cells.size(); ++i) {
                    if (cells[i] == cell) next[i] = static_cast<std::uint16_t>(level);
                }
                more.push_back(next);
            }
            if (count == 0) more.push_back(codes);
        }
        result = more;
    }
    return result;
}

using Law = std::map<Codes, double>;

// Where a move of families from these values leads, with those that are accepted alone.
Law law_of_move(const Structure& from, const Structure& to, const Codes& codes,
                const std::vector<std::int64_t>& cells, std::size_t most_completions, int steps) {
    Law result;
    AllBranches branches;
    branches.for_each([&] {
        Random random(branches);
        CollapsedChain here = chain(from, codes, cells, most_completions);
        std::vector<CountedFamily> proposed;
        for (int node = 0; node < 3; ++node) {
            if (from[static_cast<std::size_t>(node)] != to[static_cast<std::size_t>(node)]) {
                proposed.push_back(family(to, node));
            }
        }
        if (here.move(proposed, 0.0, steps, random)) {
            result[here.rows().codes] += branches.probability();
        } else {
            CHECK(here.rows().codes == codes);
        }
    });
    return result;
}

void check_detailed_balance(const Structure& from, const Structure& to,
                            const std::vector<std::int64_t>& cells, std::size_t most_completions,
                            int steps) {
    std::map<Codes, Law> back;
    for (const Codes& codes : completions(cells)) {
        back[codes] = law_of_move(to, from, codes, cells, most_completions, steps);
    }
    double accepted = 0.0;
    for (const Codes& codes : completions(cells)) {
        for (const auto& [reached, share] :
             law_of_move(from, to, codes, cells, most_completions, steps)) {
            const double there = std::exp(log_weight(from, codes)) * share;
            const double again = std::exp(log_weight(to, reached)) * back[reached][codes];
            CHECK_CLOSE(again / there, 1.0, 1e-10);
            accepted += share;
        }
    }
    CHECK(accepted > 0.1);
}

}  // namespace

TEST(counts_of_a_family_give_its_marginal_likelihood) {
    CountedFamily counted = family(forward, 2);
    const auto row = [](std::size_t number) { return &table[3 * number]; };
    for (std::size_t number = 0; number < 5; ++number) counted.add(counted.cell_of(row(number)));
    // Levels 2, 0 given 0 once each in five rows; 0, 1, 2 given 1.
    const double a = 1.0 / 3.0;
    const double expected = 2.0 * std::lgamma(1.0) - std::lgamma(3.0) - std::lgamma(4.0) +
                            5.0 * (std::lgamma(1.0 + a) - std::lgamma(a));
    CHECK_CLOSE(counted.log_likelihood(), expected, 1e-12);
    for (std::size_t number = 0; number < 5; ++number) counted.remove(counted.cell_of(row(number)));
    CHECK_CLOSE(counted.log_likelihood(), 0.0, 1e-12);
}

TEST(logarithms_that_are_looked_up_are_the_same) {
    LogCounts known(5);
    // All pseudo-counts alike, and not.
    for (const double other : {0.25, 0.5}) {
        CountedFamily plain(1, {0}, {0.25, 0.25, 0.25, other}, levels);
        CountedFamily quick(1, {0}, {0.25, 0.25, 0.25, other}, levels);
        quick.look_up(known);
        for (std::size_t row = 0; row < 5; ++row) {
            const FamilyCell at = plain.cell_of(&table[3 * row]);
            plain.add(at);
            quick.add(at);
            CHECK(quick.log_likelihood() == plain.log_likelihood());
        }
        for (std::size_t row = 0; row < 5; row += 2) {
            const FamilyCell at = plain.cell_of(&table[3 * row]);
            plain.remove(at);
            quick.remove(at);
            CHECK(quick.log_likelihood() == plain.log_likelihood());
        }
    }
}

TEST(moves_of_families_have_detailed_balance) {
    for (const int steps : {1, 2, 3}) {
        check_detailed_balance(apart, forward, alone, 64, steps);
        check_detailed_balance(forward, backward, alone, 64, steps);
    }
    check_detailed_balance(forward, backward, alone, 2, 2);
}

TEST(moves_of_families_have_detailed_balance_where_values_have_copies) {
    for (const int steps : {1, 2, 3}) check_detailed_balance(forward, backward, copied, 64, steps);
}

TEST(a_sweep_draws_values_given_all_others) {
    for (const std::vector<std::int64_t>& cells : {alone, copied}) {
        double total = 0.0;
        std::map<Codes, double> before, after;
        for (const Codes& codes : completions(cells)) {
            before[codes] = std::exp(log_weight(backward, codes));
            total += before[codes];
        }
        for (const auto& from : before) {
            AllBranches branches;
            branches.for_each([&] {
                Random random(branches);
                CollapsedChain here = chain(backward, from.first, cells);
                here.sweep(random);
                after[here.rows().codes] += from.second * branches.probability();
            });
        }
        for (const auto& [codes, weight] : before) {
            CHECK_CLOSE(after[codes] / total, weight / total, 1e-12);
        }
    }
}

TEST(values_that_nothing_in_the_model_explains_follow_their_law) {
    const std::vector<double> law{std::log(0.25), std::log(0.75)};
    const IncompleteRows rows({0, 1, 1, 0}, std::vector<std::int64_t>{-1, -1, 0, -1}, {2, 2},
                              {law, {}}, {});
    Law found;
    AllBranches branches;
    branches.for_each([&] {
        Random random(branches);
        CollapsedChain here(rows, {CountedFamily(1, {}, {1.0, 1.0}, std::vector<int>{2, 2})});
        here.sweep(random);
        found[here.rows().codes] += branches.probability();
    });
    CHECK_CLOSE((found[Codes{0, 1, 0, 0}]), 0.25, 1e-12);
    CHECK_CLOSE((found[Codes{0, 1, 1, 0}]), 0.75, 1e-12);
}

TEST(tables_and_families_that_do_not_go_together_are_refused) {
    const std::vector<std::int64_t> none(4, -1);
    CHECK_THROWS_KIND((IncompleteRows({0, 2, 0, 0}, none, {2, 2}, {{}, {}}, {})), argument);
    CHECK_THROWS_KIND((IncompleteRows({0, 0, 0, 0}, none, {2, 2}, {{}}, {})), argument);
    const std::vector<int> binary{2, 2};
    CHECK_THROWS_KIND((CountedFamily(0, {}, {1.0}, binary)), argument);
    CHECK_THROWS_KIND((CountedFamily(0, {}, {1.0, 0.0}, binary)), argument);
    const IncompleteRows rows({0, 0, 0, 0}, none, {2, 2}, {{}, {}}, {});
    CHECK_THROWS_KIND((CollapsedChain(rows, {})), argument);
    CollapsedChain here = chain(apart, table, alone);
    Random random(1, 1);
    CHECK_THROWS_KIND((here.move({family(forward, 1)}, 0.0, 0, random)), argument);
    CHECK_THROWS_KIND((here.move({family(forward, 1), family(apart, 1)}, 0.0, 1, random)),
                      argument);
}
