// A script that takes every branch of a random computation, depth first.
#include "arcwise/chains/laws.hpp"

#include <atomic>
#include <numeric>

namespace arcwise {
namespace {

class AllBranches final : public Random::Script {
  public:
    // Calls run() once for every sequence of choices; probability() is that of the present one.
    template <class Run>
    void for_each(Run run) {
        do {
            depth_ = 0;
            probability_ = 1.0;
            run();
        } while (advance());
    }

    double probability() const { return probability_; }

    std::uint64_t one_of(std::uint64_t count) override {
        return take(std::vector<double>(count, 1.0 / static_cast<double>(count)));
    }

    std::size_t choose(std::span<const double> weights) override {
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        std::vector<double> shares(weights.begin(), weights.end());
        for (double& share : shares) share /= total;
        return take(std::move(shares));
    }

    bool event(double probability) override { return take({probability, 1.0 - probability}) == 0; }

  private:
    struct Branching {
        std::vector<double> shares;
        std::size_t taken;
    };

    std::size_t take(std::vector<double> shares) {
        if (depth_ == path_.size()) path_.push_back({std::move(shares), 0});
        Branching& here = path_[depth_++];
        while (here.shares[here.taken] <= 0.0) ++here.taken;
        probability_ *= here.shares[here.taken];
        return here.taken;
    }

    // On to the next sequence: the deepest choice that has one left takes it.
    bool advance() {
        path_.resize(depth_);
        while (!path_.empty()) {
            Branching& last = path_.back();
            do {
                ++last.taken;
            } while (last.taken < last.shares.size() && last.shares[last.taken] <= 0.0);
            if (last.taken < last.shares.size()) return true;
            path_.pop_back();
        }
        return false;
    }

    std::vector<Branching> path_;
    std::size_t depth_ = 0;
    double probability_ = 1.0;
};

}  // namespace

std::map<Code, double> step_law(const Space& space, const Code& from,
                                const Temperature& temperature) {
    std::map<Code, double> law;
    AllBranches branches;
    const std::unique_ptr<State> state = space.make_state();
    branches.for_each([&] {
        Random random(branches);
        state->decode(from);
        metropolis_step(*state, temperature, random);
        law[state->encode()] += branches.probability();
    });
    return law;
}

std::map<Code, double> tempered_law(const Space& space, const TemperingOptions& options,
                                    const std::vector<Code>& from) {
    std::map<Code, double> law;
    AllBranches branches;
    TemperedChain chain(space, options, Random(branches), Random(0, 0));
    branches.for_each([&] {
        for (std::size_t level = 0; level < from.size(); ++level) {
            chain.state(level).decode(from[level]);
        }
        chain.step();
        Code to;
        for (std::size_t level = 0; level < from.size(); ++level) {
            const Code code = chain.state(level).encode();
            to.insert(to.end(), code.begin(), code.end());
        }
        law[to] += branches.probability();
    });
    return law;
}

std::vector<AnnealedEnd> annealing_law(const Space& space,
                                       const std::vector<double>& inverse_temperatures) {
    std::map<std::pair<Code, double>, double> law;
    AnnealingOptions options;
    options.inverse_temperatures = inverse_temperatures;
    options.record.dags = 0;
    const std::atomic<bool> stop = false;
    std::atomic<std::uint64_t> work = 0;
    AllBranches branches;
    const std::unique_ptr<State> state = space.make_state();
    const Code first = state->encode();
    branches.for_each([&] {
        TaskContext context(stop, work);
        state->decode(first);
        const AnnealedRun run =
            anneal(space, *state, options, Random(branches), Random(0, 0), context);
        law[{run.record.codes, run.log_weight}] += branches.probability();
    });
    std::vector<AnnealedEnd> ends;
    for (const auto& [end, probability] : law) ends.push_back({end.first, end.second, probability});
    return ends;
}

std::map<Code, double> uniform_law(const Space& space) {
    std::map<Code, double> law;
    AllBranches branches;
    const std::unique_ptr<State> state = space.make_state();
    const Code first = state->encode();
    branches.for_each([&] {
        Random random(branches);
        state->decode(first);
        state->draw_uniform(random);
        law[state->encode()] += branches.probability();
    });
    return law;
}

}  // namespace arcwise
