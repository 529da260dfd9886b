// Goes through all random choices of the samplers, branch by branch.
#include "laws.hpp"

#include <atomic>

#include "all_branches.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Calls arrive() after each step that can be made from here; the state is where it led.
template <class Arrive>
void for_each_step(State& state, const Code& from, const Temperature& temperature,
                   AllBranches& branches, Arrive arrive) {
    branches.for_each([&] {
        Random random(branches);
        state.decode(from);
        metropolis_step(state, temperature, random);
        arrive();
    });
}

}  // namespace

std::map<Code, double> step_law(const Space& space, const Code& from,
                                const Temperature& temperature) {
    std::map<Code, double> law;
    AllBranches branches;
    const std::unique_ptr<State> state = space.make_state();
    go_to(*state, temperature);
    for_each_step(*state, from, temperature, branches,
                  [&] { law[state->encode()] += branches.probability(); });
    return law;
}

std::vector<double> step_kernel(const Space& space, const std::vector<Code>& from,
                                const std::vector<Code>& to, const Temperature& temperature) {
    std::map<Code, std::size_t> places;
    for (std::size_t place = 0; place < to.size(); ++place) places[to[place]] = place;
    std::vector<double> kernel(from.size() * to.size());
    AllBranches branches;
    const std::unique_ptr<State> state = space.make_state();
    go_to(*state, temperature);
    for (std::size_t row = 0; row < from.size(); ++row) {
        for_each_step(*state, from[row], temperature, branches, [&] {
            const auto found = places.find(state->encode());
            if (found == places.end()) {
                throw Error(ErrorKind::argument, "a step leads to a state that is not listed");
            }
            kernel[row * to.size() + found->second] += branches.probability();
        });
    }
    return kernel;
}

namespace {

// Where `act` takes coupled states from here.
template <class Act>
std::map<Code, double> coupled_law(const Space& space, const std::vector<Temperature>& temperatures,
                                   const std::vector<Code>& from, Act act) {
    std::map<Code, double> law;
    AllBranches branches;
    Replicas replicas(space, temperatures, Random(branches));
    branches.for_each([&] {
        for (std::size_t level = 0; level < from.size(); ++level) {
            replicas.state(level).decode(from[level]);
        }
        act(replicas);
        Code to;
        for (std::size_t level = 0; level < from.size(); ++level) {
            const Code code = replicas.state(level).encode();
            to.insert(to.end(), code.begin(), code.end());
        }
        law[to] += branches.probability();
    });
    return law;
}

}  // namespace

std::map<Code, double> tempered_law(const Space& space,
                                    const std::vector<Temperature>& temperatures, Pairs exchanged,
                                    const std::vector<Code>& from) {
    return coupled_law(space, temperatures, from, [&](Replicas& replicas) {
        for (std::size_t level = 0; level < replicas.levels(); ++level) replicas.step(level);
        replicas.exchange(exchanged);
    });
}

std::map<Code, double> exchange_law(const Space& space,
                                    const std::vector<Temperature>& temperatures, Pairs exchanged,
                                    const std::vector<Code>& from) {
    return coupled_law(space, temperatures, from,
                       [&](Replicas& replicas) { replicas.exchange(exchanged); });
}

std::vector<AnnealedEnd> annealing_law(const Space& space,
                                       const std::vector<Temperature>& temperatures,
                                       std::size_t population, const std::vector<Code>& starts) {
    std::map<std::pair<Code, double>, double> law;
    AnnealingOptions options;
    options.temperatures = temperatures;
    options.record.dags_per_state = 0;
    const std::atomic<bool> stop = false;
    std::atomic<std::uint64_t> work = 0;
    AllBranches branches;
    Population states(population);
    for (auto& state : states) state = space.make_state();
    const Code first = states.front()->encode();
    branches.for_each([&] {
        TaskContext context(stop, work);
        for (const auto& state : states) state->decode(first);
        const AnnealedRun run =
            anneal(space, states, options, Random(branches), Random(0, 0), context, starts);
        Code end;
        for (const auto& state : states) {
            const Code own = state->encode();
            end.insert(end.end(), own.begin(), own.end());
        }
        law[{end, run.log_weight}] += branches.probability();
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

std::map<std::vector<std::uint32_t>, double> draw_law(ExactComputation& computation) {
    constexpr double least = 1e-14;
    std::map<std::vector<std::uint32_t>, double> law;
    std::vector<std::uint32_t> parents(static_cast<std::size_t>(computation.nodes()));
    std::vector<std::uint8_t> order(parents.size());
    AllBranches branches(least);
    branches.for_each([&] {
        computation.draw([&](std::size_t) { return Random(branches); }, 1, order, parents, {});
        law[parents] += branches.probability();
    });
    return law;
}

}  // namespace arcwise
