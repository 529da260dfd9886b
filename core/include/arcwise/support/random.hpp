// Counter-based random numbers: a draw is a function of (seed, stream, position) and nothing else.
//
// Philox4x64-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
// (2011). The key is (seed, stream) and the counter is the position, so threads, processes and
// machines that share a seed and differ in their stream never share a draw, and any draw can be had
// again without its predecessors.
#pragma once

#include <array>
#include <cstdint>

namespace arcwise {

// The ten-round Philox bijection of four 64-bit words under a key of two.
std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> counter,
                                    std::array<std::uint64_t, 2> key);

class Random {
  public:
    Random(std::uint64_t seed, std::uint64_t stream) : key_{seed, stream} {}

    std::uint64_t bits() {
        if (unused_ == 0) refill();
        return block_[4 - unused_--];
    }

    // Uniform on [0, 1), a multiple of 2^-53.
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  private:
    void refill();

    std::array<std::uint64_t, 2> key_;
    std::uint64_t position_ = 0;
    std::array<std::uint64_t, 4> block_{};
    unsigned unused_ = 0;
};

}  // namespace arcwise
