// Shares of moves that adapt while a chain burns in: what loses its share, when they stay, and that
// chains go on from their bytes in the middle of it.
#include "arcwise/chains/move_credits.hpp"

#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "all_families.hpp"
#include "arcwise/chains/chains.hpp"
#include "arcwise/spaces/registry.hpp"
#include "check.hpp"

namespace arcwise::tests {
namespace {

constexpr int nodes = 6;

std::shared_ptr<const Space> space_named(const std::string& name,
                                         std::map<std::string, std::int64_t> numbers = {}) {
    Random random(11, 0);
    const auto sums = tabulated(all_families(nodes, 2, random, 5.0));
    return build_space(name, sums, {.numbers = std::move(numbers)});
}

std::size_t kind_named(const Space& space, const std::string& name) {
    const auto& kinds = space.moves().kinds();
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        if (kinds[kind].name == name) return kind;
    }
    CHECK(false);
    return 0;
}

// The shares after so many steps by the first ones, where tries take so much work.
MoveShares shares_by(const Space& space, const MoveShares& usual, const std::vector<double>& work) {
    MoveCredits credits(space.moves(), usual, work, nodes);
    const auto trying = space.with_shares(credits.first_shares());
    const std::unique_ptr<State> state = trying->make_state();
    Random random(4, 0);
    state->draw_uniform(random);
    settle(*state, random);
    credits.begin(*state);
    for (int step = 0; step < 6000; ++step) {
        credits.count(metropolis_step(*state, {}, random), *state);
    }
    const MoveShares shares = credits.shares();
    CHECK(std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1.0) < 1e-12);
    return shares;
}

Chains adapting(const std::shared_ptr<const Space>& space, bool adapt = true) {
    TemperingOptions options;
    options.thinning = 3;
    options.record.edges = true;
    options.adapt_moves = adapt;
    return Chains(space, options, 7, 0, 2);
}

}  // namespace

TEST(a_move_that_takes_much_work_loses_its_share) {
    const auto space = space_named("dags");
    const std::size_t window = kind_named(*space, "window");
    const UsualMoves usual = space->tuner()->usual_moves(0, nullptr);
    std::vector<double> work(usual.work.size(), 1.0);
    const double cheap = shares_by(*space, usual.shares, work)[window];
    work[window] = 1000.0;
    const double dear = shares_by(*space, usual.shares, work)[window];
    const double total = std::accumulate(usual.shares.begin(), usual.shares.end(), 0.0);
    const double usually = usual.shares[window] / total;
    CHECK(dear < cheap);
    CHECK(dear < 0.3 * usually);
    CHECK(dear >= 0.25 * usually);
}

TEST(a_move_that_brings_nothing_loses_its_share) {
    const auto space = space_named("layerings", {{"max_size", 3}});
    const std::size_t stay = kind_named(*space, "stay");
    // As if it were usual, and cost nothing more than others.
    const std::size_t kinds = space->moves().kinds().size();
    const MoveShares even(kinds, 1.0);
    const MoveShares shares = shares_by(*space, even, std::vector<double>(kinds, 1.0));
    CHECK(shares[stay] < 0.5 / static_cast<double>(kinds));
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        CHECK(shares[kind] > 0.0);
        CHECK(kind == stay || shares[kind] >= shares[stay]);
    }
}

TEST(shares_adapt_in_burn_in_and_then_stay) {
    const RunOptions options;
    for (const char* name : {"dags", "linear", "partitions", "canonical"}) {
        const auto space = space_named(name);
        Chains chains = adapting(space);
        chains.start(128 * nodes - 1, options);
        const MoveShares first = chains.chain(0).adapted_shares();
        chains.burn_in(1, options);
        const MoveShares adapted = chains.chain(0).adapted_shares();
        CHECK(adapted != first);
        chains.burn_in(256 * nodes, options);
        const MoveShares later = chains.chain(0).adapted_shares();
        chains.sample(400, options);
        chains.burn_in(2000, options);
        chains.sample(400, options);
        CHECK(chains.chain(0).adapted_shares() == later);
        // What every kind keeps makes each law that of a table with other shares.
        const auto& kinds = space->moves().kinds();
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            CHECK(kinds[kind].share == 0.0 || later[kind] > 0.0);
        }
    }
}

TEST(too_short_a_burn_in_leaves_shares_as_they_are) {
    const auto space = space_named("dags");
    const RunOptions options;
    Chains chains = adapting(space);
    chains.start(60, options);
    CHECK(!chains.chain(0).adapted_shares().empty());
    chains.sample(10, options);
    CHECK(chains.chain(0).adapted_shares().empty());
}

TEST(chains_whose_shares_adapt_go_on_from_their_bytes) {
    const RunOptions options;
    for (const char* name : {"dags", "linear", "partitions", "canonical"}) {
        const auto space = space_named(name);
        for (const std::uint64_t burnt : {300, 1000, 3000}) {
            Chains whole = adapting(space);
            whole.start(burnt, options);
            const std::vector<unsigned char> saved = whole.save();
            whole.burn_in(1500, options);
            whole.sample(100, options);
            const std::vector<unsigned char> later = whole.save();
            whole.sample(100, options);

            Chains pieces = adapting(space);
            pieces.restore(saved);
            CHECK(pieces.save() == saved);
            for (const std::uint64_t piece : {700, 800}) pieces.burn_in(piece, options);
            pieces.sample(100, options);
            CHECK(pieces.save() == later);
            Chains sampled = adapting(space);
            sampled.restore(later);
            sampled.sample(100, options);
            CHECK(sampled.save() == whole.save());
        }
    }
}

TEST(shares_adapt_only_if_asked_for_and_where_a_space_can_be_made_again) {
    const RunOptions options;
    Chains usual = adapting(space_named("dags"), false);
    usual.start(2000, options);
    CHECK(usual.chain(0).adapted_shares().empty());
    const auto space = space_named("linear");
    space->set_make_again({});
    Chains chains = adapting(space);
    CHECK_THROWS_KIND(chains.start(2000, options), argument);
}

}  // namespace arcwise::tests
