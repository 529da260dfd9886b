// Spaces by name, their tables of moves, and a space that only this file knows.
#include "arcwise/spaces/registry.hpp"

#include <algorithm>
#include <cmath>

#include "all_families.hpp"
#include "check.hpp"
#include "laws.hpp"

namespace arcwise::tests {
namespace {

std::shared_ptr<const ScoreSums> sums_of(int nodes) {
    Random random(3, 0);
    return tabulated(all_families(nodes, nodes - 1, random, 3.0));
}

// Which node comes first; its weight falls with its number, and the moves go round in a circle.
class FirstNode final : public State {
  public:
    explicit FirstNode(const Space& space);

    void draw_uniform(Random& random) override { become(static_cast<int>(random.below(nodes()))); }
    Proposal propose(const Temperature& temperature, Random& random) override {
        return moves_.propose(space_.moves().choose(random), temperature, random);
    }
    void accept() override { become(proposed_); }
    std::vector<std::uint16_t> encode() const override {
        return {static_cast<std::uint16_t>(node_)};
    }
    void decode(std::span<const std::uint16_t> code) override { become(code[0]); }
    LogWeight recomputed_weight() const override { return weigh(node_); }
    std::unique_ptr<GivenState> given() const override { return nullptr; }

    Proposal step(int by) {
        proposed_ = static_cast<int>((static_cast<std::size_t>(node_ + by) + nodes()) % nodes());
        return {.weight = weigh(proposed_)};
    }

  private:
    std::size_t nodes() const { return static_cast<std::size_t>(space_.nodes()); }
    LogWeight weigh(int node) const { return {-0.7 * node, 0}; }
    void become(int node) {
        node_ = node;
        weight_ = weigh(node);
    }

    const Space& space_;
    int node_ = 0;
    int proposed_ = 0;
    Moves moves_;
};

template <int by>
class Step final : public Move {
  public:
    explicit Step(FirstNode& state) : state_(state) {}
    Proposal propose(const Temperature&, Random&) override { return state_.step(by); }

  private:
    FirstNode& state_;
};

std::vector<MoveRow<FirstNode>> first_node_moves() {
    return {{"up", 0.5, make_move<Step<1>>, "step"},
            {"down", 0.5, make_move<Step<-1>>, "step"},
            {"far", 1.0, make_move<Step<2>>}};
}

FirstNode::FirstNode(const Space& space) : space_(space), moves_(first_node_moves(), *this) {
    become(0);
}

class FirstNodes final : public Space {
  public:
    FirstNodes(std::shared_ptr<const ScoreSums> sums, const MoveShares& shares)
        : Space(MoveTable(first_node_moves(), shares)), sums_(std::move(sums)) {}

    int nodes() const override { return sums_->nodes(); }
    std::unique_ptr<State> make_state() const override {
        return std::make_unique<FirstNode>(*this);
    }
    double log_size() const override { return std::log(nodes()); }

  private:
    std::shared_ptr<const ScoreSums> sums_;
};

const SpaceRegistration registration({
    .name = "first nodes",
    .moves = [](int) { return MoveTable(first_node_moves()); },
    .build = [](std::shared_ptr<const ScoreSums> sums, const SpaceSettings&,
                const MoveShares& shares) -> std::shared_ptr<const Space> {
        return std::make_shared<FirstNodes>(std::move(sums), shares);
    },
});

}  // namespace

TEST(every_space_is_built_by_its_name) {
    const auto sums = sums_of(4);
    const SpaceSettings settings{.numbers = {{"size", 2}}, .orders = {{"order", {0, 1, 0, 4}}}};
    const std::vector<std::string> names = space_names();
    for (const char* name :
         {"buckets", "dags", "layerings", "linear", "partial orders", "partitions"}) {
        CHECK(std::ranges::find(names, name) != names.end());
    }
    for (const std::string& name : names) {
        const auto space = build_space(name, sums, settings);
        CHECK(space->nodes() == 4);
        CHECK(space->moves().names() == space_entry(name).moves(4).names());
        const MoveTable& table = space->moves();
        std::size_t moves = 0;
        double shares = 0.0;  // that of a kind made only if asked for is 0
        for (const MoveTable::Kind& kind : table.kinds()) {
            CHECK(kind.share >= 0.0);
            shares += kind.share;
            CHECK(kind.first == moves);
            moves += kind.moves;
        }
        CHECK(moves == table.names().size());
        CHECK(shares > 0.0);
    }
}

TEST(settings_that_a_space_does_not_have_are_refused) {
    const auto sums = sums_of(3);
    CHECK_THROWS_KIND(build_space("trees", sums, {}), argument);
    CHECK_THROWS_KIND(build_space("partitions", sums, {.moves = {{"jump", 1.0}}}), argument);
    CHECK_THROWS_KIND(build_space("partitions", sums, {.moves = {{"swap", -1.0}}}), argument);
    CHECK_THROWS_KIND(build_space("partitions", sums, {.moves = {{"swap", 0.0}}}), argument);
    CHECK_THROWS_KIND(build_space("buckets", sums, {}), argument);
    CHECK_THROWS_KIND(build_space("partial orders", sums, {}), argument);
}

TEST(only_the_moves_asked_for_are_made) {
    const auto space = build_space("first nodes", sums_of(5), {.moves = {{"far", 2.0}}});
    const auto law = step_law(*space, {3}, Temperature::at(0.0));
    CHECK(law.size() == 1 && law.begin()->first == std::vector<std::uint16_t>{0});
}

TEST(a_space_of_ones_own_keeps_its_target) {
    const auto space = build_space("first nodes", sums_of(4), {.moves = {{"step", 1.0}}});
    const Temperature temperature = Temperature::at(0.5);
    const auto state = space->make_state();
    std::map<std::vector<std::uint16_t>, double> target;
    std::map<std::vector<std::uint16_t>, double> after;
    for (const auto& [code, probability] : uniform_law(*space)) {
        CHECK_CLOSE(probability, 0.25, 1e-15);
        state->decode(code);
        target[code] = std::exp(temperature.log_density(state->log_weight()));
        for (const auto& [to, share] : step_law(*space, code, temperature)) {
            after[to] += target[code] * share;
        }
    }
    CHECK(target.size() == 4);
    for (const auto& [code, density] : target) CHECK_CLOSE(after[code], density, 1e-14);
}

}  // namespace arcwise::tests
