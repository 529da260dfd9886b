// Edges averaged between two kept states: the mean over states of the path, which stays the same.
#include <atomic>
#include <memory>

#include "arcwise/chains/tempering.hpp"
#include "arcwise/spaces/dags/dags.hpp"
#include "arcwise/spaces/layerings/layerings.hpp"
#include "arcwise/spaces/orders/bucket_orders.hpp"
#include "arcwise/spaces/orders/canonical_orders.hpp"
#include "arcwise/spaces/orders/linear_orders.hpp"
#include "arcwise/spaces/partitions/partitions.hpp"
#include "check.hpp"
#include "generated.hpp"

namespace arcwise::tests {
namespace {

constexpr int nodes = 5;
constexpr std::size_t edges = nodes * nodes;

std::shared_ptr<const ScoreSums> small_sums(SumMethod method) {
    Random random(11, 0);
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> others;
        for (int other = 0; other < nodes; ++other) {
            if (other != node) others.push_back(other);
        }
        table.emplace_back(std::move(others), std::vector<int>{}, 3);
        table.back().values().resize(table.back().count());
        set_weights(table.back(), random, 4.0);
    }
    return std::make_shared<const ScoreSums>(table, std::vector<SumMethod>(nodes, method), 1e-12,
                                             Tabulated::sums, RunOptions{});
}

std::vector<std::shared_ptr<const Space>> spaces() {
    const auto sums = small_sums(SumMethod::table);
    return {std::make_shared<const Dags>(sums),
            std::make_shared<const Dags>(small_sums(SumMethod::walk)),
            std::make_shared<const Partitions>(sums),
            std::make_shared<const CanonicalOrders>(sums),
            std::make_shared<const LinearOrders>(sums),
            std::make_shared<const BucketOrders>(sums, 2),
            std::make_shared<const Layerings>(sums, 2)};
}

struct Run {
    std::atomic<bool> stop = false;
    std::atomic<std::uint64_t> work = 0;
    TaskContext context{stop, work};
};

TemperingOptions options_of(const Space& space, std::size_t levels) {
    TemperingOptions options;
    if (levels > 1) options.temperatures = {Temperature::at(0.4), Temperature{}};
    options.steps_between_exchanges = 3;
    options.thinning = 3 * space.steps_between_averages() + 2;
    options.record.edges = true;
    return options;
}

TemperedChain chain_of(const Space& space, const TemperingOptions& options) {
    TemperedChain chain(space, options, Random(3, 0), Random(3, 1));
    Run run;
    chain.start(run.context);
    return chain;
}

// The same by hand: so many steps, and the mean of the edges after each part of them.
void add_by_hand(TemperedChain& chain, std::uint64_t thinning, std::uint64_t parts,
                 BatchMeans& means) {
    std::vector<double> matrix(edges, 0.0);
    for (std::uint64_t part = 0; part < parts; ++part) {
        const std::uint64_t steps = thinning / parts + (part < thinning % parts ? 1 : 0);
        for (std::uint64_t i = 0; i < steps; ++i) chain.step();
        const State& state = chain.state(chain.levels() - 1);
        state.given()->add_edge_probabilities(1.0, matrix.data());
    }
    for (double& each : matrix) each /= static_cast<double>(parts);
    means.add(matrix);
}

bool same(const BatchMeans& a, const BatchMeans& b) {
    if (a.count() != b.count() || a.batches() != b.batches()) return false;
    for (std::size_t batch = 0; batch < a.batches(); ++batch) {
        if (!std::ranges::equal(a.batch(batch), b.batch(batch))) return false;
    }
    return a.total() == b.total();
}

// A state that raises a flag with its next proposal but so many.
class StoppingState final : public State {
  public:
    StoppingState(std::unique_ptr<State> state, std::atomic<bool>& stop, std::uint64_t& proposals)
        : state_(std::move(state)), stop_(stop), proposals_(proposals) {
        weight_ = state_->log_weight();
    }
    void draw_uniform(Random& random) override {
        state_->draw_uniform(random);
        weight_ = state_->log_weight();
    }
    Proposal propose(const Temperature& temperature, Random& random) override {
        if (proposals_-- == 0) stop_ = true;
        return state_->propose(temperature, random);
    }
    void accept() override {
        state_->accept();
        weight_ = state_->log_weight();
    }
    std::vector<std::uint16_t> encode() const override { return state_->encode(); }
    void decode(std::span<const std::uint16_t> code) override { state_->decode(code); }
    LogWeight recomputed_weight() const override { return state_->recomputed_weight(); }
    std::unique_ptr<GivenState> given() const override { return state_->given(); }

  private:
    std::unique_ptr<State> state_;
    std::atomic<bool>& stop_;
    std::uint64_t& proposals_;
};

class StoppingSpace final : public Space {
  public:
    StoppingSpace(const Space& space, std::atomic<bool>& stop, std::uint64_t& proposals)
        : Space(space.moves()), space_(space), stop_(stop), proposals_(proposals) {}
    int nodes() const override { return space_.nodes(); }
    std::unique_ptr<State> make_state() const override {
        return std::make_unique<StoppingState>(space_.make_state(), stop_, proposals_);
    }
    double log_size() const override { return space_.log_size(); }
    std::uint64_t steps_between_averages() const override {
        return space_.steps_between_averages();
    }

  private:
    const Space& space_;
    std::atomic<bool>& stop_;
    std::uint64_t& proposals_;
};

}  // namespace

TEST(edges_are_means_over_states_between_those_kept) {
    for (const auto& space : spaces()) {
        CHECK(space->steps_between_averages() >= (nodes + 1) / 2);
        for (const std::size_t levels : {1, 2}) {
            const TemperingOptions options = options_of(*space, levels);
            const std::uint64_t between =
                std::max<std::uint64_t>((nodes + 1) / 2, space->steps_between_averages() / levels);
            const std::uint64_t parts = options.thinning / between;
            CHECK(parts >= 3);
            Run run;
            TemperedChain chain = chain_of(*space, options);
            chain.sample(40, run.context);
            TemperedChain by_hand = chain_of(*space, options);
            BatchMeans means(edges, options.record.edge_batches);
            for (int draw = 0; draw < 40; ++draw) {
                add_by_hand(by_hand, options.thinning, parts, means);
            }
            CHECK(same(chain.record().edges, means));
        }
    }
}

TEST(averages_leave_the_path_and_the_draws_as_they_are) {
    for (const auto& space : spaces()) {
        TemperingOptions options = options_of(*space, 2);
        Run run;
        TemperedChain with = chain_of(*space, options);
        with.sample(30, run.context);
        options.record.edges = false;
        TemperedChain without = chain_of(*space, options);
        without.sample(30, run.context);
        CHECK(with.record().codes == without.record().codes);
        CHECK(with.record().parents == without.record().parents);
        CHECK(with.record().log_weights == without.record().log_weights);
        CHECK(with.moves().accepted == without.moves().accepted);
        CHECK(with.record().edges.count() == 30);
        CHECK(without.record().edges.count() == 0);
    }
}

TEST(a_draw_cut_short_leaves_nothing_in_the_averages) {
    const auto sums = small_sums(SumMethod::table);
    const Partitions partitions(sums);
    Run run;
    std::uint64_t proposals = 1'000'000;
    const StoppingSpace space(partitions, run.stop, proposals);
    const TemperingOptions options = options_of(space, 1);
    TemperedChain chain = chain_of(space, options);
    TemperedChain by_hand = chain_of(partitions, options);
    BatchMeans means(edges, options.record.edge_batches);
    chain.sample(3, run.context);
    for (int draw = 0; draw < 3; ++draw) add_by_hand(by_hand, options.thinning, 3, means);

    proposals = options.thinning - 2;  // the interval has two averages by then
    CHECK_THROWS_KIND(chain.sample(1, run.context), interrupted);
    CHECK(chain.record().states() == 3);
    CHECK(same(chain.record().edges, means));
    const std::uint64_t lost = options.thinning - 2 - proposals;  // counted below zero
    CHECK(lost > 2 * options.thinning / 3);
    for (std::uint64_t i = 0; i < lost; ++i) by_hand.step();

    run.stop = false;
    proposals = 1'000'000;
    chain.sample(3, run.context);
    for (int draw = 0; draw < 3; ++draw) add_by_hand(by_hand, options.thinning, 3, means);
    CHECK(same(chain.record().edges, means));
}

}  // namespace arcwise::tests
