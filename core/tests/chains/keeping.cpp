// What is kept of a chain: whole states only, batches that add up, and means of logarithms.
#include <cmath>

#include "arcwise/chains/batch_means.hpp"
#include "arcwise/chains/record.hpp"
#include "arcwise/spaces/orders/partial_orders.hpp"
#include "arcwise/spaces/space.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr int nodes = 3;

// DAGs without edges, until a draw that is cut short.
class BreakingGiven final : public GivenState {
  public:
    BreakingGiven(int& draws_left) : draws_left_(draws_left) {}
    void add_edge_probabilities(double scale, double* edges) override { edges[1] += scale * 0.5; }
    void draw(Random&, std::uint64_t* parents) override {
        if (draws_left_-- == 0) throw Error(ErrorKind::interrupted, "Enough.");
        for (int node = 0; node < nodes; ++node) parents[node] = 0;
    }

  private:
    int& draws_left_;
};

class BreakingState final : public State {
  public:
    explicit BreakingState(int& draws_left) : draws_left_(draws_left) {}
    void draw_uniform(Random&) override {}
    Proposal propose(const Temperature&, Random&) override { return {.possible = false}; }
    void accept() override {}
    std::vector<std::uint16_t> encode() const override { return {0, 1, 2}; }
    void decode(std::span<const std::uint16_t>) override {}
    LogWeight recomputed_weight() const override { return {}; }
    std::unique_ptr<GivenState> given() const override {
        return std::make_unique<BreakingGiven>(draws_left_);
    }

  private:
    int& draws_left_;
};

void check_whole(const Record& record, std::size_t states, std::size_t dags) {
    CHECK(record.states() == states);
    CHECK(record.codes.size() == states * nodes);
    CHECK(record.dag_counts.size() == states);
    CHECK(record.edges.count() == states);
    CHECK(record.dags() == dags);
    CHECK(record.extension_errors.size() == dags);
    CHECK(record.parents.size() == dags * nodes);
}

}  // namespace

TEST(a_state_is_kept_whole_or_not_at_all) {
    for (const double share : {0.0, 0.5}) {
        RecordOptions options;
        options.dags_per_state = 4;
        options.dag_time_share = share;
        options.count_extensions = true;
        options.edges = true;
        Record record(nodes, options);
        int draws_left = share > 0.0 ? 1'000'000'000 : 6;
        const BreakingState state(draws_left);
        Random random(1, 0);
        LinearExtensions counter;
        const std::atomic<bool> stop = false;
        std::atomic<std::uint64_t> work = 0;
        TaskContext context(stop, work);
        record.keep(state, random, 1e-5, counter, context);
        const std::size_t dags = record.dags();
        CHECK(dags == record.dag_counts[0]);
        check_whole(record, 1, dags);
        for (const int more : {2, 0}) {
            draws_left = more;
            CHECK_THROWS_KIND(record.keep(state, random, 1e-2, counter, context), interrupted);
            check_whole(record, 1, dags);
        }
        draws_left = 1'000'000'000;
        record.keep(state, random, 1e-5, counter, context);
        check_whole(record, 2, dags + record.dag_counts[1]);
    }
}

TEST(batches_add_up_however_often_they_are_merged) {
    for (const std::size_t most : {std::size_t{2}, std::size_t{8}, std::size_t{64}}) {
        BatchMeans batches(2, most);
        Random random(2, most);
        std::vector<double> values;
        for (std::size_t count = 1; count <= 300; ++count) {
            values.push_back(random.uniform());
            const double both[] = {values.back(), -2.0 * values.back()};
            batches.add(both);
            CHECK(batches.count() == count);
            CHECK(batches.batches() <= most);
            CHECK(count < most || batches.batches() >= most / 2);
            const auto size = static_cast<std::size_t>(batches.batch_size());
            for (std::size_t batch = 0; batch < batches.batches(); ++batch) {
                double sum = 0.0;
                for (std::size_t i = 0; i < size; ++i) sum += values[batch * size + i];
                CHECK_CLOSE(batches.batch(batch)[0], sum, 1e-12);
                CHECK_CLOSE(batches.batch(batch)[1], -2.0 * sum, 1e-12);
            }
            double total = 0.0;
            for (const double value : values) total += value;
            CHECK_CLOSE(batches.total()[0], total, 1e-11);
        }
    }
}

TEST(log_batches_add_up_over_thousands_of_nats_and_zeros) {
    LogMeanBatches batches;
    Random random(3, 0);
    std::vector<double> logs;
    for (int i = 0; i < 1000; ++i) {
        logs.push_back(log_weight(random, 2000.0, 0.2));
        batches.add(logs.back());
    }
    CHECK(batches.count() == 1000);
    CHECK(batches.batch_size() == 16);
    const auto size = static_cast<std::size_t>(batches.batch_size());
    CHECK(batches.log_sums().size() == 63);  // the last is not finished
    for (std::size_t batch = 0; batch < batches.log_sums().size(); ++batch) {
        double sum = minus_infinity;
        for (std::size_t i = batch * size; i < std::min(logs.size(), (batch + 1) * size); ++i) {
            sum = log_add(sum, logs[i]);
        }
        CHECK_CLOSE(batches.log_sums()[batch], sum, 1e-9);
    }
}

TEST(chains_of_partial_orders_find_a_start_among_many_impossible_states) {
    // Ten nodes that must come one after the other, on the positions of a chain: one state of ten
    // factorial is possible, and steps that count impossible nodes find it.
    constexpr int length = 10;
    FamilyTable table;
    for (int node = 0; node < length; ++node) {
        std::vector<int> required;
        if (node > 0) required.push_back(node - 1);
        table.emplace_back(std::vector<int>{}, std::move(required), 0);
        table.back().values().assign(1, 0.0);
    }
    const auto sums =
        std::make_shared<const ScoreSums>(table, std::vector<SumMethod>(length, SumMethod::table),
                                          1e-12, Tabulated::sums, RunOptions{});
    std::vector<std::uint64_t> order(length, 0);
    for (std::size_t i = 1; i < length; ++i) order[i] = std::uint64_t{1} << (i - 1);
    const PartialOrders space(sums, order);
    const auto state = space.make_state();
    Random random(4, 0);
    state->draw_uniform(random);
    CHECK(state->log_weight().zero_factors > 1);
    settle(*state, random);
    CHECK(state->log_weight().zero_factors == 0);
    for (std::uint16_t i = 0; i < length; ++i) CHECK(state->encode()[i] == i);
}
