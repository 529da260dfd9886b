// Partitions of many kinds of nodes never lose track of their weight, every move is reversible, and
// neither what is remembered nor what is forgotten changes a sum or a draw.
#include "arcwise/spaces/partitions/partitions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "all_branches.hpp"
#include "all_families.hpp"
#include "arcwise/spaces/partitions/partition.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/family_draws.hpp"
#include "check.hpp"
#include "generated.hpp"
#include "laws.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

struct Kind {
    int nodes = 5;
    int candidates = 1000;
    int most_parents = 2;
    double spread = 4.0;
    double impossible = 0.0;  // families
    bool required_edges = false;
    SumMethod method = SumMethod::table;  // with rows, one parent besides the candidates
};

std::shared_ptr<const ScoreSums> sums_of(const Kind& kind) {
    Random random(17, static_cast<std::uint64_t>(kind.nodes));
    FamilyTable table;
    for (int node = 0; node < kind.nodes; ++node) {
        std::vector<int> required;
        std::vector<int> candidates;
        std::vector<int> outside;
        for (int step = 1; step < kind.nodes; ++step) {
            const int other = (node * step + step) % kind.nodes;
            const auto known = [&](const std::vector<int>& nodes) {
                return std::ranges::find(nodes, other) != nodes.end();
            };
            if (other == node || known(required) || known(candidates) || known(outside)) continue;
            const bool must = kind.required_edges && node > 0 && node % 4 == 0 && other < node;
            if (must && required.empty()) {
                required.push_back(other);
            } else if (static_cast<int>(candidates.size()) < kind.candidates) {
                candidates.push_back(other);
            } else if (kind.method == SumMethod::rows) {
                outside.push_back(other);
            }
        }
        std::ranges::sort(candidates);
        std::ranges::sort(outside);
        table.emplace_back(candidates, required, kind.most_parents, outside);
        table.back().values().resize(table.back().count());
        set_weights(table.back(), random, kind.spread, kind.impossible);
        if (!required.empty()) continue;
        table.back().values()[0] = -1.0;  // so that there is a DAG
    }
    return std::make_shared<const ScoreSums>(table,
                                             std::vector<SumMethod>(table.size(), kind.method),
                                             1e-12, Tabulated::sums, RunOptions{});
}

// Random sets of one node of a partition: `needed` lies within `allowed` and may be empty.
std::vector<std::uint64_t> random_sets(const ScoreSums& sums, int node, Random& random) {
    const std::size_t words = sums.words();
    std::vector<std::uint64_t> sets(2 * words, 0);
    const double share = random.uniform();
    const double share_needed = random.uniform();
    for (std::size_t place = 0; place < sums.possible_parents(node).size(); ++place) {
        if (random.uniform() > share) continue;
        sets[place / 64] |= std::uint64_t{1} << (place % 64);
        if (random.uniform() > share_needed) continue;
        sets[words + place / 64] |= std::uint64_t{1} << (place % 64);
    }
    return sets;
}

double plain_sum(const ScoreSums& sums, int node, PartSets sets, SumMemo& memo) {
    return needs_parent(sets, sums.words()) ? sums[node].log_sum(sets, sets + sums.words(), memo)
                                            : sums[node].log_sum(sets);
}

// Calls visit(place, weight) for the families within `allowed` that meet `needed` (null: all).
template <class Visit>
void for_each_within(const NodeSums& sums, ParentBits allowed, ParentBits needed, Visit visit) {
    std::vector<std::uint64_t> parents(sums.words());
    sums.for_each([&](std::int64_t place, double weight) {
        sums.copy_parents(place, parents.data());
        bool within = true;
        bool met = needed == nullptr;
        for (std::size_t word = 0; word < parents.size(); ++word) {
            within = within && (parents[word] & ~allowed[word]) == 0;
            met = met || (parents[word] & needed[word]) != 0;
        }
        if (within && met) visit(place, weight);
    });
}

const Kind kinds[] = {
    {.nodes = 9, .spread = 300.0, .required_edges = true},
    {.nodes = 9, .candidates = 3, .spread = 30.0, .impossible = 0.3},
    {.nodes = 130, .candidates = 6, .spread = 50.0, .required_edges = true},
    {.nodes = 80, .candidates = 4, .spread = 50.0, .method = SumMethod::rows},
    {.nodes = 80, .candidates = 4, .required_edges = true, .method = SumMethod::rows},
    // More than one word of possible parents.
    {.nodes = sanitized ? 70 : 100,
     .spread = 50.0,
     .required_edges = true,
     .method = SumMethod::walk},
    {.nodes = 70, .spread = 5.0, .method = SumMethod::scan},
};

// Six standard deviations: fewer than one in 10^8 fail, and the seeds are fixed.
constexpr double most_deviations = 6.0;

// How far counts are from those expected, in standard deviations of the normal that Wilson and
// Hilferty bring a chi-square to; rare ones are counted together. Nothing where there is one kind.
template <class Key>
std::optional<double> deviation_of(std::map<Key, double>& found,
                                   const std::map<Key, double>& expected) {
    double chi_square = 0.0;
    double rare = 0.0;
    double rare_found = 0.0;
    int counted = 0;
    for (const auto& [key, often] : expected) {
        if (often < 10.0) {
            rare += often;
            rare_found += found[key];
            continue;
        }
        chi_square += (found[key] - often) * (found[key] - often) / often;
        ++counted;
    }
    if (rare >= 10.0) {
        chi_square += (rare_found - rare) * (rare_found - rare) / rare;
        ++counted;
    }
    if (counted < 2) return std::nullopt;
    const double freedom = counted - 1;
    return (std::cbrt(chi_square / freedom) - (1 - 2 / (9 * freedom))) /
           std::sqrt(2 / (9 * freedom));
}

// The law of every step from every state, as a flow of probability from one to the other.
double largest_imbalance(const Partitions& space, const Temperature& temperature) {
    const auto state = space.make_state();
    std::map<Code, double> target;
    double total = 0.0;
    for (const auto& [code, probability] : uniform_law(space)) {
        state->decode(code);
        const double density = std::exp(temperature.log_density(state->log_weight()));
        if (density > 0.0) total += target[code] = density;
    }
    std::map<std::pair<Code, Code>, double> flow;
    double largest = 0.0;
    for (const auto& [code, density] : target) {
        double sum = 0.0;
        for (const auto& [to, share] : step_law(space, code, temperature)) {
            flow[{code, to}] += density / total * share;
            sum += share;
        }
        largest = std::max(largest, std::abs(sum - 1.0));
    }
    for (const auto& [ends, there] : flow) {
        const auto back = flow.find({ends.second, ends.first});
        largest = std::max(largest, std::abs(there - (back == flow.end() ? 0.0 : back->second)));
    }
    return largest;
}

}  // namespace

TEST(every_move_of_five_nodes_in_parts_is_reversible) {
    const Kind small[] = {{},
                          {.candidates = 2, .most_parents = 1, .required_edges = true},
                          {.candidates = 2, .impossible = 0.3},
                          {.candidates = 2, .required_edges = true, .method = SumMethod::rows}};
    for (const Kind& kind : small) {
        const auto sums = sums_of(kind);
        const MoveTable moves = Partitions(sums).moves();
        for (const MoveTable::Kind& of_moves : moves.kinds()) {
            const Partitions space(sums, moves.shares_of_only(of_moves.name));
            // At the posterior fewer states are visited, and no others.
            if (!sanitized) CHECK(largest_imbalance(space, Temperature{}) < 1e-12);
            CHECK(largest_imbalance(space, Temperature::at(0.3)) < 1e-12);
        }
    }
}

// The example of relocation.cpp, where every set is a family of weight 1: from {a} {x} {b}, with
// each of the three taken out in turn. Some partitions can be reached by moving either of two
// nodes.
TEST(relocation_has_the_law_of_its_worked_example) {
    const std::map<Code, double> thirtieths = {{{0, 1, 2}, 6.0},  // each of the three stays
                                               {{1, 0, 2}, 4.0}, {{0, 0, 1}, 6.0}, {{0, 1, 1}, 2.0},
                                               {{0, 2, 1}, 4.0}, {{1, 0, 1}, 1.0}, {{2, 0, 1}, 2.0},
                                               {{1, 2, 0}, 2.0}, {{0, 1, 0}, 3.0}};
    Random random(1, 0);
    const FamilyTable table = all_families(3, 2, random, 0.0);
    for (const SumMethod method :
         {SumMethod::table, SumMethod::rows, SumMethod::walk, SumMethod::scan}) {
        const auto sums = std::make_shared<const ScoreSums>(
            table, std::vector<SumMethod>(3, method), 1e-12, Tabulated::sums, RunOptions{});
        const Partitions space(sums, Partitions(sums).moves().shares_of_only("relocate"));
        double found = 0.0;
        for (const auto& [to, share] : step_law(space, {0, 1, 2}, Temperature{})) {
            const auto expected = thirtieths.find(to);
            CHECK(expected != thirtieths.end());
            if (expected == thirtieths.end()) continue;
            CHECK_CLOSE(30.0 * share, expected->second, 1e-12);
            found += share;
        }
        CHECK_CLOSE(found, 1.0, 1e-12);
    }
}

TEST(partitions_keep_track_through_thousands_of_moves) {
    std::optional<MoveCounts> of_all_kinds;
    for (const Kind& kind : kinds) {
        const auto sums = sums_of(kind);
        const Partitions space(sums);
        const auto state = space.make_state();
        Random random(3, 1);
        const int steps = sanitized ? 240 : kind.method == SumMethod::table ? 3000 : 800;
        const int together = sanitized ? 60 : 200;
        MoveCounts counts(space.moves());
        state->draw_uniform(random);
        const Temperature temperatures[] = {Temperature::at(0.0), Temperature::at(0.5),
                                            Temperature::at(0.999)};
        for (int step = 0; step < steps; ++step) {
            counts.add(metropolis_step(*state, temperatures[step / together % 3], random));
            if (step % 50 != 0) continue;
            const LogWeight fresh = state->recomputed_weight();
            CHECK_CLOSE(state->log_weight().value, fresh.value, 1e-9);
            CHECK(state->log_weight().zero_factors == fresh.zero_factors);
        }
        settle(*state, random);
        for (int step = 0; step < steps; ++step) {
            counts.add(metropolis_step(*state, Temperature{}, random));
            if (step % 50 != 0) continue;
            CHECK_CLOSE(state->log_weight().value, state->recomputed_weight().value, 1e-9);
            CHECK(state->log_weight().zero_factors == 0);
        }
        if (!of_all_kinds) of_all_kinds.emplace(space.moves());
        of_all_kinds->add(counts);
    }
    const std::uint64_t fewest = sanitized ? 20 : 100;
    for (const std::uint64_t accepted : of_all_kinds->accepted) CHECK(accepted > fewest);
}

TEST(sums_of_parts_are_the_same_remembered_or_forgotten) {
    for (const Kind& kind : kinds) {
        const auto sums = sums_of(kind);
        const NodeWeights weights(sums);
        PartSums few(weights, 2);
        PartSums many(weights);
        SumMemo memo;
        Random random(5, 0);
        std::vector<std::vector<std::uint64_t>> seen;
        std::vector<int> nodes;
        std::vector<LogWeight> answers(3000);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            // Every other time something that was asked before.
            const std::size_t old = i % 2 == 1 ? random.below(i) : i;
            nodes.push_back(old < i ? nodes[old] : below(random, kind.nodes));
            seen.push_back(old < i ? seen[old] : random_sets(*sums, nodes[i], random));
        }
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const double expected = plain_sum(*sums, nodes[i], seen[i].data(), memo);
            CHECK(few.log_sum(nodes[i], seen[i].data()) == expected);
            CHECK(many.log_sum(nodes[i], seen[i].data()) == expected);
        }
        CHECK(few.entries() == 2);
        CHECK(many.entries() >= 1024);
        // All are asked for at a time, while the memory grows or forgets.
        PartSums growing(weights);
        for (PartSums* asked : {&few, &growing}) {
            for (std::size_t i = 0; i < answers.size(); ++i) {
                asked->ask(nodes[i], seen[i].data(), i % 3 == 0, answers[i]);
            }
            asked->answer();
            for (std::size_t i = 0; i < answers.size(); ++i) {
                const bool lacks_parent =
                    i % 3 != 0 && !needs_parent(seen[i].data(), sums->words());
                const double sum = plain_sum(*sums, nodes[i], seen[i].data(), memo);
                const bool possible = !lacks_parent && sum > minus_infinity;
                CHECK(answers[i].zero_factors == (possible ? 0 : 1));
                CHECK(answers[i].value == (possible ? sum : weights.stand_in(nodes[i])));
            }
        }
    }
}

TEST(remembered_families_are_drawn_like_scanned_ones) {
    for (const Kind& kind : kinds) {
        if (kind.method == SumMethod::rows) continue;  // theirs is a law of its own; see below
        const auto sums = sums_of(kind);
        FamilyDraws draws(*sums);
        SumMemo memo;
        Random random(6, 0);
        for (int i = 0; i < 2000; ++i) {
            const int node = below(random, kind.nodes);
            const auto sets = random_sets(*sums, node, random);
            const double sum = plain_sum(*sums, node, sets.data(), memo);
            if (sum == minus_infinity) continue;
            const PartSets needed =
                needs_parent(sets.data(), sums->words()) ? sets.data() + sums->words() : nullptr;
            for (int draw = 0; draw < 4; ++draw) {
                Random same = random;
                const std::int64_t expected =
                    needed != nullptr ? (*sums)[node].draw(sets.data(), needed, memo, same)
                                      : (*sums)[node].draw(sets.data(), same);
                CHECK(draws.draw(node, sets.data(), needed, sum, random) == expected);
            }
        }
    }
}

// The very code that draws goes through all its branches: the probability of each family must be
// its share of the sum, remembered or not, by the heaviest ones or beyond them.
TEST(families_are_drawn_from_rows_by_their_weights) {
    const Kind of_rows[] = {
        {.nodes = 14, .candidates = 7, .most_parents = 7, .method = SumMethod::rows},
        {.nodes = 12, .candidates = 6, .most_parents = 6, .spread = 0.3, .method = SumMethod::rows},
        {.nodes = 12,
         .candidates = 5,
         .most_parents = 5,
         .spread = 30.0,
         .impossible = 0.3,
         .required_edges = true,
         .method = SumMethod::rows},
        {.nodes = 9,
         .candidates = 5,
         .most_parents = 5,
         .spread = 3000.0,
         .method = SumMethod::rows},
    };
    int beyond = 0;  // laws with more families than are remembered
    for (const Kind& kind : of_rows) {
        const auto sums = sums_of(kind);
        FamilyDraws draws(*sums);
        SumMemo memo;
        Random random(8, static_cast<std::uint64_t>(kind.nodes));
        for (int i = 0; i < 60; ++i) {
            const int node = below(random, kind.nodes);
            const NodeSums& of_node = (*sums)[node];
            const auto sets = random_sets(*sums, node, random);
            const double sum = plain_sum(*sums, node, sets.data(), memo);
            if (sum == minus_infinity) continue;
            const PartSets needed =
                needs_parent(sets.data(), sums->words()) ? sets.data() + sums->words() : nullptr;
            const bool met = needed == nullptr || of_node.meets_required_parents(needed);
            std::map<std::int64_t, double> expected;
            for_each_within(of_node, sets.data(), met ? nullptr : needed,
                            [&](std::int64_t place, double weight) {
                                expected[place] = std::exp(weight - sum);
                            });
            beyond += expected.size() > 30 ? 1 : 0;
            const auto check_law = [&](auto draw) {
                std::map<std::int64_t, double> drawn;
                AllBranches branches;
                branches.for_each([&] {
                    Random scripted(branches);
                    const std::int64_t place = draw(scripted);
                    drawn[place] += branches.probability();
                });
                double largest = 0.0;
                for (const auto& [place, share] : expected) {
                    largest = std::max(largest, std::abs(share - drawn[place]));
                }
                for (const auto& [place, share] : drawn) {
                    if (!expected.contains(place)) largest = std::max(largest, share);
                }
                CHECK(largest < 1e-11);
            };
            check_law([&](Random& scripted) {
                return draws.draw(node, sets.data(), needed, sum, scripted);
            });
            check_law([&](Random& scripted) {
                return needed != nullptr ? of_node.draw(sets.data(), needed, memo, scripted)
                                         : of_node.draw(sets.data(), scripted);
            });
        }
    }
    CHECK(beyond > 20);
}

// Draws by chance take other ways than scripted ones, some of them shorter.
TEST(families_drawn_from_rows_by_chance_have_the_same_law) {
    const Kind kind{
        .nodes = 14, .candidates = 6, .most_parents = 6, .spread = 2.0, .method = SumMethod::rows};
    const auto sums = sums_of(kind);
    FamilyDraws draws(*sums);
    SumMemo memo;
    Random random(9, 0);
    constexpr int count = 20'000;
    int compared = 0;
    for (int node = 0; node < kind.nodes; ++node) {
        const NodeSums& of_node = (*sums)[node];
        const auto sets = random_sets(*sums, node, random);
        const double sum = plain_sum(*sums, node, sets.data(), memo);
        if (sum == minus_infinity) continue;
        const PartSets needed = needs_parent(sets.data(), 1) ? sets.data() + 1 : nullptr;
        const IncrementalSums::Known known =
            IncrementalSums(of_node, Semiring::sum).known(sets.data(), needed);
        std::map<std::int64_t, double> expected;
        for_each_within(of_node, sets.data(), needed, [&](std::int64_t place, double weight) {
            expected[place] = count * std::exp(weight - sum);
        });
        for (int way = 0; way < 3; ++way) {
            std::map<std::int64_t, double> found;
            for (int i = 0; i < count; ++i) {
                std::int64_t place = -1;
                if (way == 0) {
                    place = draws.draw(node, sets.data(), needed, sum, random);
                } else if (way == 1) {
                    place = draws.draw(node, known, sets.data(), needed, random);
                } else {
                    place = needed != nullptr ? of_node.draw(sets.data(), needed, memo, random)
                                              : of_node.draw(sets.data(), random);
                }
                ++found[place];
            }
            for (const auto& [place, drawn] : found) CHECK(expected.contains(place));
            const std::optional<double> deviation = deviation_of(found, expected);
            if (!deviation) continue;
            ++compared;
            CHECK(*deviation < most_deviations);
        }
    }
    CHECK(compared > 16);
}

// A reversal by chance only decides for most families whether they have a parent below the edge,
// and draws those that do; a scripted one draws them all.
TEST(reversals_by_chance_have_the_law_of_scripted_ones) {
    const Kind kind{
        .nodes = 6, .candidates = 2, .most_parents = 2, .spread = 1.0, .method = SumMethod::rows};
    const auto sums = sums_of(kind);
    const Partitions space(sums, Partitions(sums).moves().shares_of_only(Partitions::reversal));
    constexpr int count = sanitized ? 20'000 : 100'000;
    const Temperature temperature{};
    Random random(10, 0);
    int compared = 0;
    const Partitions all_moves(sums);
    const auto walker = all_moves.make_state();
    walker->draw_uniform(random);
    settle(*walker, random);
    for (int i = 0; i < 8; ++i) {
        for (int step = 0; step < 50; ++step) metropolis_step(*walker, temperature, random);
        const Code code = walker->encode();
        std::map<Code, double> expected;
        for (const auto& [to, share] : step_law(space, code, temperature)) {
            expected[to] += count * share;
        }
        std::map<Code, double> found;
        const auto state = space.make_state();
        for (int draw = 0; draw < count; ++draw) {
            state->decode(code);
            metropolis_step(*state, temperature, random);
            ++found[state->encode()];
        }
        for (const auto& [to, often] : found) CHECK(expected.contains(to));
        const std::optional<double> deviation = deviation_of(found, expected);
        if (!deviation) continue;
        ++compared;
        CHECK(*deviation < most_deviations);
    }
    CHECK(compared >= 3);
}
