// One Metropolis–Hastings step in any space, at any temperature: the only place where a proposal is
// accepted or refused.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/spaces/space.hpp"

namespace arcwise {

// What came of a step.
struct StepOutcome {
    std::size_t move;
    bool proposed;  // there was somewhere to go
    bool accepted;
};

StepOutcome metropolis_step(State& state, const Temperature& temperature, Random& random);

// How often each move was proposed and accepted.
struct MoveCounts {
    explicit MoveCounts(const MoveTable& table)
        : proposed(table.names().size(), 0), accepted(proposed) {}

    void add(const StepOutcome& step) {
        proposed[step.move] += step.proposed ? 1u : 0u;
        accepted[step.move] += step.accepted ? 1u : 0u;
    }
    void add(const MoveCounts& other);

    void save(ByteWriter& out) const;
    void restore(ByteReader& in);

    std::vector<std::uint64_t> proposed;
    std::vector<std::uint64_t> accepted;
};

// Makes a state of weight zero one of positive weight, by steps that are ever less willing to leave
// a node without a parent set; throws `argument` if that does not succeed.
void settle(State& state, Random& random);

}  // namespace arcwise
