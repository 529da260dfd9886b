// The PC skeleton against tests whose answers are known from a graph.
#include "arcwise/candidates/pc_skeleton.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"

using namespace arcwise;

namespace {

// Answers for the chain 0 - 1 - 2 - ... : independent given any node in between.
class ChainTest final : public IndependenceTest {
  public:
    explicit ChainTest(int nodes) : nodes_(nodes) {}
    int variables() const override { return nodes_; }
    bool possible(std::size_t) const override { return true; }
    double work(std::size_t) const override { return 10.0; }

    std::unique_ptr<ConditionedTests> tests() const override {
        class Answers final : public ConditionedTests {
          public:
            void condition(int variable, std::span<const int> set) override {
                variable_ = variable;
                set_.assign(set.begin(), set.end());
            }
            double log_p(int other) override {
                const int low = std::min(variable_, other);
                const int high = std::max(variable_, other);
                const bool apart = std::any_of(set_.begin(), set_.end(),
                                               [&](int z) { return low < z && z < high; });
                return apart ? 0.0 : -100.0 + static_cast<double>(high - low);
            }

          private:
            int variable_ = 0;
            std::vector<int> set_;
        };
        return std::make_unique<Answers>();
    }

  private:
    int nodes_;
};

}  // namespace

TEST(pc_finds_a_chain) {
    constexpr std::size_t n = 7;
    std::vector<std::uint8_t> possible(n * n, 1);
    for (std::size_t i = 0; i < n; ++i) possible[i * n + i] = 0;
    std::vector<std::uint8_t> fixed(n * n, 0);
    const auto joined = [&](const PcSettings& settings) {
        PcSkeleton found;
        pc_skeleton(ChainTest(n), possible, fixed, settings, {Processors{2}, nullptr}, found);
        return found;
    };
    const PcSkeleton chain = joined({0.05, -1});
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const bool next = i + 1 == j || j + 1 == i;
            CHECK(chain.joined[i * n + j] == (next ? 1 : 0));
            if (next) CHECK(chain.log_p[i * n + j] == -99.0);
        }
    }
    CHECK(joined({0.05, 0}).joined == possible);  // marginally, all depend on each other

    fixed[0 * n + 5] = fixed[5 * n + 0] = 1;
    possible[2 * n + 3] = possible[3 * n + 2] = 0;
    const PcSkeleton bounded = joined({0.05, -1});
    CHECK(bounded.joined[0 * n + 5] == 1);
    CHECK(bounded.joined[5 * n + 0] == 1);
    CHECK(bounded.joined[2 * n + 3] == 0);
    CHECK(bounded.joined[3 * n + 4] == 1);
}

TEST(pc_leaves_out_levels_that_take_too_long) {
    constexpr std::size_t n = 7;
    std::vector<std::uint8_t> possible(n * n, 1);
    for (std::size_t i = 0; i < n; ++i) possible[i * n + i] = 0;
    const std::vector<std::uint8_t> fixed(n * n, 0);
    // Without a set, 7 variables have 6 neighbours each, and a test more is allowed for each set;
    // with one of 6 neighbours, 6 sets of 6.
    for (const auto& [most_work, conditioned] :
         {std::pair(489.0, -1), {491.0, 0}, {2519.0, 0}, {2521.0, 1}}) {
        PcSkeleton found;
        pc_skeleton(ChainTest(n), possible, fixed, {0.05, 1, most_work}, {Processors{2}, nullptr},
                    found);
        CHECK(found.conditioned == conditioned);
        CHECK(found.complete == (conditioned == 1));
        if (conditioned < 1) CHECK(found.joined == possible);
    }
}

namespace {

// Stops at the first occasion.
class Impatient final : public Monitor {
  public:
    bool proceed(double) override { return false; }
};

}  // namespace

TEST(pc_keeps_what_it_has_found_when_stopped) {
    constexpr std::size_t n = 7;
    std::vector<std::uint8_t> possible(n * n, 1);
    for (std::size_t i = 0; i < n; ++i) possible[i * n + i] = 0;
    const std::vector<std::uint8_t> fixed(n * n, 0);
    Impatient monitor;
    PcSkeleton found;
    CHECK_THROWS_KIND(
        pc_skeleton(ChainTest(n), possible, fixed, {0.05, -1}, {Processors{1}, &monitor}, found),
        interrupted);
    CHECK(!found.complete);
    for (std::size_t i = 0; i + 1 < n; ++i) CHECK(found.joined[i * n + i + 1] == 1);
}
