// One Metropolis–Hastings step in any space, at any temperature: the only place where a proposal is
// accepted or refused.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/spaces/space.hpp"

namespace arcwise {

// How often each kind of move was proposed and accepted.
struct MoveCounts {
    explicit MoveCounts(std::size_t kinds) : proposed(kinds, 0), accepted(kinds, 0) {}

    void add(const MoveCounts& other);

    void save(ByteWriter& out) const;
    void restore(ByteReader& in);

    std::vector<std::uint64_t> proposed;
    std::vector<std::uint64_t> accepted;
};

void metropolis_step(State& state, const Temperature& temperature, Random& random,
                     MoveCounts& counts);

// Makes a state of weight zero one of positive weight, by steps that are ever less willing to leave
// a node without a parent set; throws `argument` if that does not succeed.
void settle(State& state, Random& random, std::size_t moves);

}  // namespace arcwise
