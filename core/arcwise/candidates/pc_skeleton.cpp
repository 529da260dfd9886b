// Level by level, all variables in parallel: each looks at sets of its own neighbours only.
#include "arcwise/candidates/pc_skeleton.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

constexpr double untested = minus_infinity;

// Moves to the next choice of ascending places below `count`; false after the last.
bool next_choice(std::vector<std::size_t>& places, std::size_t count) {
    for (std::size_t i = places.size(); i-- > 0;) {
        if (places[i] + (places.size() - i) >= count) continue;
        ++places[i];
        for (std::size_t j = i + 1; j < places.size(); ++j) places[j] = places[j - 1] + 1;
        return true;
    }
    return false;
}

// What one variable finds at one level about each of its neighbours.
struct Findings {
    std::vector<int> neighbours;
    std::vector<std::uint8_t> independent;
    std::vector<double> log_p;
};

class Level {
  public:
    Level(const IndependenceTest& test, const PcSkeleton& now, std::span<const std::uint8_t> fixed,
          std::size_t conditioning, double log_alpha)
        : test_(test), fixed_(fixed), conditioning_(conditioning), log_alpha_(log_alpha) {
        const auto n = static_cast<std::size_t>(test.variables());
        findings_.resize(n);
        for (std::size_t x = 0; x < n; ++x) {
            for (std::size_t y = 0; y < n; ++y) {
                if (now.joined[x * n + y]) findings_[x].neighbours.push_back(static_cast<int>(y));
            }
            findings_[x].independent.assign(findings_[x].neighbours.size(), 0);
            findings_[x].log_p.assign(findings_[x].neighbours.size(), untested);
        }
    }

    bool anything_to_test() const {
        return std::any_of(findings_.begin(), findings_.end(), [&](const Findings& own) {
            return own.neighbours.size() > conditioning_;
        });
    }

    // Every set that there is, and a test for each neighbour outside it.
    double most_work() const {
        double tests = 0.0;
        for (const Findings& own : findings_) {
            const auto count = static_cast<double>(own.neighbours.size());
            const auto size = static_cast<double>(conditioning_);
            if (count <= size) continue;
            const double log_sets =
                std::lgamma(count + 1) - std::lgamma(size + 1) - std::lgamma(count - size + 1);
            tests += std::exp(log_sets) * (count - size + 1.0);
        }
        return tests * test_.work(conditioning_);
    }

    void run(const RunOptions& options) {
        run_tasks(findings_.size(), findings_.size(), options,
                  [&](std::size_t x, TaskContext& context) {
                      examine(static_cast<int>(x), context);
                      context.advance(1);
                  });
    }

    void apply(PcSkeleton& skeleton) const {
        const std::size_t n = findings_.size();
        for (std::size_t x = 0; x < n; ++x) {
            const Findings& own = findings_[x];
            for (std::size_t place = 0; place < own.neighbours.size(); ++place) {
                const auto y = static_cast<std::size_t>(own.neighbours[place]);
                for (const std::size_t entry : {x * n + y, y * n + x}) {
                    if (own.independent[place]) skeleton.joined[entry] = 0;
                    skeleton.log_p[entry] = std::max(skeleton.log_p[entry], own.log_p[place]);
                }
            }
        }
    }

  private:
    void examine(int x, TaskContext& context) {
        Findings& own = findings_[static_cast<std::size_t>(x)];
        const std::size_t count = own.neighbours.size();
        if (count <= conditioning_) return;
        const std::unique_ptr<ConditionedTests> tests = test_.tests();
        std::vector<std::size_t> places(conditioning_);
        for (std::size_t i = 0; i < conditioning_; ++i) places[i] = i;
        std::vector<int> set(conditioning_);
        std::size_t left = 0;
        for (std::size_t place = 0; place < count; ++place) left += to_test(x, own, place);
        while (left > 0) {
            for (std::size_t i = 0; i < conditioning_; ++i) set[i] = own.neighbours[places[i]];
            tests->condition(x, set);
            for (std::size_t place = 0; place < count; ++place) {
                if (own.independent[place] || !to_test(x, own, place) ||
                    std::binary_search(places.begin(), places.end(), place)) {
                    continue;
                }
                const double log_p = tests->log_p(own.neighbours[place]);
                own.log_p[place] = std::max(own.log_p[place], log_p);
                if (log_p > log_alpha_) {
                    own.independent[place] = 1;
                    --left;
                }
            }
            context.advance(0);
            if (!next_choice(places, count)) break;
        }
    }

    // Without a set both ends would make the same test.
    bool to_test(int x, const Findings& own, std::size_t place) const {
        const int y = own.neighbours[place];
        return !fixed_[static_cast<std::size_t>(x) * findings_.size() +
                       static_cast<std::size_t>(y)] &&
               (conditioning_ > 0 || x < y);
    }

    const IndependenceTest& test_;
    std::span<const std::uint8_t> fixed_;
    std::size_t conditioning_;
    double log_alpha_;
    std::vector<Findings> findings_;
};

}  // namespace

void pc_skeleton(const IndependenceTest& test, std::span<const std::uint8_t> possible,
                 std::span<const std::uint8_t> fixed, const PcSettings& settings,
                 const RunOptions& options, PcSkeleton& skeleton) {
    skeleton = {{possible.begin(), possible.end()}, std::vector<double>(possible.size(), untested)};
    const double log_alpha = std::log(settings.alpha);
    for (int size = 0; settings.max_conditioning < 0 || size <= settings.max_conditioning; ++size) {
        const auto conditioning = static_cast<std::size_t>(size);
        Level level(test, skeleton, fixed, conditioning, log_alpha);
        if (!test.possible(conditioning) || !level.anything_to_test()) break;
        if (level.most_work() > settings.most_work) return;
        try {
            level.run(options);
        } catch (const Error&) {
            level.apply(skeleton);
            throw;
        }
        level.apply(skeleton);
        skeleton.conditioned = size;
    }
    skeleton.complete = true;
}

}  // namespace arcwise
