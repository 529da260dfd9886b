// Several chains at once: the same on any number of threads, and saved and restored to the last
// bit.
#include "arcwise/chains/chains.hpp"

#include <memory>

#include "arcwise/spaces/partitions/partitions.hpp"
#include "check.hpp"
#include "generated.hpp"

namespace arcwise::tests {
namespace {

std::shared_ptr<const Space> small_space() {
    Random random(5, 0);
    FamilyTable table;
    for (int node = 0; node < 5; ++node) {
        std::vector<int> others;
        for (int other = 0; other < 5; ++other) {
            if (other != node) others.push_back(other);
        }
        table.emplace_back(std::move(others), std::vector<int>{}, 2);
        table.back().values().resize(table.back().count());
        set_weights(table.back(), random, 5.0);
    }
    const auto sums = std::make_shared<const ScoreSums>(
        table, std::vector<SumMethod>(table.size(), SumMethod::table), 1e-12, Tabulated::sums,
        RunOptions{});
    return std::make_shared<const Partitions>(sums);
}

Chains chains_of(const std::shared_ptr<const Space>& space, std::uint64_t first,
                 std::size_t count) {
    TemperingOptions options;
    options.temperatures = {Temperature::at(0.0), Temperature{}};
    options.steps_between_exchanges = 2;
    options.adapt = true;
    options.most_temperatures = 5;
    options.thinning = 2;
    options.record.dags_per_state = 1;
    options.record.edges = true;
    return Chains(space, options, 9, first, count);
}

bool same_records(const TemperedChain& a, const TemperedChain& b) {
    return a.record().codes == b.record().codes && a.record().parents == b.record().parents &&
           a.record().log_weights == b.record().log_weights &&
           a.record().edges.total() == b.record().edges.total() &&
           a.moves().accepted == b.moves().accepted && a.levels() == b.levels() &&
           a.replicas().round_trips() == b.replicas().round_trips();
}

RunOptions on_threads(int threads) {
    RunOptions options;
    options.device = Processors{threads};
    return options;
}

}  // namespace

TEST(chains_are_the_same_on_any_number_of_threads) {
    const auto space = small_space();
    Chains one = chains_of(space, 0, 3);
    Chains many = chains_of(space, 0, 3);
    one.start(20, on_threads(1));
    many.start(20, on_threads(3));
    one.sample(50, on_threads(1));
    many.sample(50, on_threads(3));
    for (std::size_t chain = 0; chain < 3; ++chain) {
        CHECK(one.chain(chain).record().states() == 50);
        CHECK(same_records(one.chain(chain), many.chain(chain)));
    }
    CHECK(!same_records(one.chain(0), one.chain(1)));
}

TEST(the_temperatures_of_a_chain_share_threads_and_stay_the_same) {
    const auto space = small_space();
    Chains one = chains_of(space, 0, 1);
    Chains many = chains_of(space, 0, 1);
    one.start(1000, on_threads(1));
    many.start(1000, on_threads(4));
    CHECK(one.chain(0).levels() > 2);
    one.sample(50, on_threads(1));
    many.sample(50, on_threads(3));
    CHECK(one.chain(0).replicas().round_trips() > 0);
    CHECK(one.save() == many.save());
}

TEST(chains_go_on_from_their_bytes_to_the_last_bit) {
    const auto space = small_space();
    const RunOptions options = on_threads(1);
    Chains whole = chains_of(space, 0, 2);
    whole.start(500, options);
    CHECK(whole.chain(0).levels() > 2);
    whole.sample(30, options);
    const std::vector<unsigned char> saved = whole.save();
    const std::vector<unsigned char> second = whole.save_chain(1);
    whole.sample(40, options);

    Chains restored = chains_of(space, 0, 2);
    restored.restore(saved);
    restored.sample(40, options);
    for (std::size_t chain = 0; chain < 2; ++chain) {
        CHECK(same_records(whole.chain(chain), restored.chain(chain)));
    }
    // One chain alone, as another machine would make it.
    Chains alone = chains_of(space, 1, 1);
    alone.restore_chain(0, second);
    alone.sample(40, options);
    CHECK(same_records(whole.chain(1), alone.chain(0)));
    CHECK_THROWS_KIND(alone.restore(saved), file_format);
}

TEST(a_burn_in_by_pieces_is_one_burn_in) {
    const auto space = small_space();
    const RunOptions options = on_threads(1);
    Chains whole = chains_of(space, 0, 2);
    Chains pieces = chains_of(space, 0, 2);
    whole.start(0, options);
    pieces.start(0, options);
    whole.burn_in(64, options);
    for (const std::uint64_t piece : {10, 40, 14}) pieces.burn_in(piece, options);
    whole.sample(20, options);
    pieces.sample(20, options);
    for (std::size_t chain = 0; chain < 2; ++chain) {
        CHECK(same_records(whole.chain(chain), pieces.chain(chain)));
    }
}

}  // namespace arcwise::tests
