// Sums for all sets of given places, and probabilities of parents, against every family looked at.
#include <bit>

#include "arcwise/sums/node_sums.hpp"
#include "check.hpp"
#include "sums/brute_sums.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr double tolerance = 1e-13;

// A node with candidates 0, 1, .. and then required parents; the place of a parent is its number.
struct Case {
    NodeFamilies families;
    std::vector<int> base;
    std::vector<int> places;

    int parents() const {
        return static_cast<int>(families.candidates().size() + families.required().size());
    }
    std::vector<std::uint64_t> base_bits(const NodeSums& sums) const {
        return bits(families, sums.words(), base);
    }
    std::vector<int> allowed(std::size_t set) const {
        std::vector<int> result = base;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if ((set >> i & 1) != 0 && places[i] >= 0) result.push_back(places[i]);
        }
        return result;
    }
};

Case make_case(Random& random, int candidates, int required, int max_free, double spread,
               int most_places) {
    Case result;
    std::vector<int> all;
    for (int i = 0; i < candidates + required; ++i) all.push_back(i);
    result.families = NodeFamilies(std::vector<int>(all.begin(), all.begin() + candidates),
                                   std::vector<int>(all.begin() + candidates, all.end()), max_free);
    set_weights(result.families, random, spread, 0.1);
    for (std::size_t i = all.size(); i > 1; --i) {
        std::swap(all[i - 1], all[static_cast<std::size_t>(below(random, static_cast<int>(i)))]);
    }
    for (const int parent : all) {
        const bool among = static_cast<int>(result.places.size()) < most_places;
        if (among && random.uniform() < 0.1) result.places.push_back(-1);
        if (static_cast<int>(result.places.size()) < most_places && random.uniform() < 0.5) {
            result.places.push_back(parent);
        } else if (random.uniform() < 0.8 || parent >= candidates) {
            result.base.push_back(parent);
        }
    }
    return result;
}

void check_sums(const Case& each, SumMethod method) {
    const NodeSums sums(each.families, 0, method, tolerance, Tabulated::sums);
    const std::size_t count = std::size_t{1} << each.places.size();
    std::vector<double> found(count, 17.0);
    sums.log_sums_over(each.base_bits(sums).data(), each.places, found.data());
    for (std::size_t set = 0; set < count; ++set) {
        const double expected = log_sum(admitted(each.families, each.allowed(set), nullptr));
        const double rounding =
            expected == minus_infinity ? 0.0 : 1e-12 + 1e-15 * std::abs(expected);
        CHECK_CLOSE(found[set], expected, rounding);
    }
}

// Factors as a sampler's: e^-gains[Y] over the sum for all sets that hold Y, so that all terms are
// probabilities and factors fall with the set.
std::vector<double> make_factors(const Case& each, Random& random) {
    const std::size_t count = std::size_t{1} << each.places.size();
    std::vector<double> factors(count, minus_infinity);
    std::size_t always = 0;  // no family's places are less than these, and no other factor counts
    for (std::size_t i = 0; i < each.places.size(); ++i) {
        if (contains(each.families.required(), each.places[i])) always |= std::size_t{1} << i;
    }
    for (std::size_t set = 0; set < count; ++set) {
        const double sum = log_sum(admitted(each.families, each.allowed(set), nullptr));
        if (sum == minus_infinity) continue;
        const double share = -2.0 * random.uniform() - std::log(static_cast<double>(count));
        for (std::size_t within = 0; within < count; ++within) {
            if ((within & ~set) != 0 || (within & always) != always) continue;
            const double high = std::max(factors[within], share - sum);
            factors[within] =
                high + std::log(std::exp(factors[within] - high) + std::exp(share - sum - high));
        }
    }
    return factors;
}

void check_probabilities(const Case& each, SumMethod method, const std::vector<double>& factors) {
    const NodeSums sums(each.families, 0, method, tolerance, Tabulated::sums);
    const auto size = static_cast<std::size_t>(each.parents());
    std::vector<double> found(size, 0.25);  // it is added to
    sums.add_parent_probabilities(each.base_bits(sums).data(), each.places, factors.data(),
                                  found.data());
    std::vector<double> expected(size, 0.25);
    const std::size_t count = std::size_t{1} << each.places.size();
    for (const WeighedSet& family : admitted(each.families, each.allowed(count - 1), nullptr)) {
        std::size_t set = 0;
        for (std::size_t i = 0; i < each.places.size(); ++i) {
            if (contains(family.parents, each.places[i])) set |= std::size_t{1} << i;
        }
        const double probability = std::exp(family.log_weight + factors[set]);
        for (const int parent : family.parents) {
            expected[static_cast<std::size_t>(parent)] += probability;
        }
    }
    for (std::size_t parent = 0; parent < size; ++parent) {
        CHECK_CLOSE(found[parent], expected[parent], 1e-11);
    }
}

void check_case(const Case& each, std::span<const SumMethod> methods, Random& random) {
    const std::vector<double> factors = make_factors(each, random);
    for (const SumMethod method : methods) {
        check_sums(each, method);
        check_probabilities(each, method, factors);
    }
}

}  // namespace

TEST(sums_over_places_and_probabilities_agree_with_the_definition) {
    constexpr SumMethod methods[] = {SumMethod::table, SumMethod::rows, SumMethod::walk,
                                     SumMethod::scan};
    for (const double spread : {3.0, 500.0, 5000.0, 50'000.0}) {
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            Random random(seed, static_cast<std::uint64_t>(spread));
            const int candidates = below(random, 9);
            const Case each = make_case(random, candidates, seed % 3 == 0 ? below(random, 3) : 0,
                                        below(random, candidates + 1), spread, below(random, 7));
            check_case(each, methods, random);
        }
    }
}

TEST(more_places_than_offsets_made_at_once) {
    constexpr SumMethod methods[] = {SumMethod::table, SumMethod::rows, SumMethod::walk,
                                     SumMethod::scan};
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        Random random(seed, 1);
        const Case each = make_case(random, 12, 1, 3, 40.0, 9);
        check_case(each, methods, random);
    }
}

TEST(places_among_more_candidates_than_bits_in_a_word) {
    constexpr SumMethod methods[] = {SumMethod::walk, SumMethod::scan};
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        Random random(seed, 2);
        const Case each = make_case(random, 60 + 5 * static_cast<int>(seed), seed % 2 == 0 ? 0 : 2,
                                    2, seed < 3 ? 30.0 : 3000.0, 5);
        check_case(each, methods, random);
    }
}

TEST(factors_and_weights_beyond_plain_numbers) {
    // Weights fall by a step with every parent among the places, and the factors undo it. Two of
    // the steps make factors that lie just on either side of the border between two windows.
    constexpr SumMethod methods[] = {SumMethod::table, SumMethod::rows, SumMethod::walk,
                                     SumMethod::scan};
    for (const double level : {-90'000.0, 0.0, 3000.0}) {
        for (const double step : {300.0, 601.5, 603.0, 700.0, 2000.0, 9000.0}) {
            Case each{NodeFamilies({0, 1, 2, 3, 4}, {}, 3), {0, 1}, {2, 3, 4}};
            Random random(5, 0);
            each.families.for_each([&](std::uint64_t index, std::span<const int> members) {
                double weight = level + log_weight(random, 1.0);
                for (const int member : members) weight -= member >= 2 ? step : 0.0;
                each.families.values()[index] = weight;
            });
            std::vector<double> factors;
            for (unsigned set = 0; set < 8; ++set) {
                factors.push_back(step * std::popcount(set) - level - 4.0);
            }
            for (const SumMethod method : methods) {
                check_sums(each, method);
                // Factors that grow: nothing may be left out.
                const NodeSums sums(each.families, 0, method, 1e-300, Tabulated::sums);
                std::vector<double> found(5, 0.0);
                sums.add_parent_probabilities(each.base_bits(sums).data(), each.places,
                                              factors.data(), found.data());
                std::vector<double> expected(5, 0.0);
                each.families.for_each([&](std::uint64_t index, std::span<const int> members) {
                    std::size_t set = 0;
                    for (const int member : members) {
                        if (member >= 2) set |= std::size_t{1} << (member - 2);
                    }
                    for (const int member : members) {
                        expected[static_cast<std::size_t>(member)] +=
                            std::exp(each.families.values()[index] + factors[set]);
                    }
                });
                for (std::size_t i = 0; i < 5; ++i) CHECK_CLOSE(found[i], expected[i], 1e-10);
            }
        }
    }
}
