// Counter-based random numbers: a draw is a function of (seed, stream, position) and nothing else.
//
// Philox4x64-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
// (2011). The key is (seed, stream) and the counter is the position, so threads, processes and
// machines that share a seed and differ in their stream never share a draw, and any draw can be had
// again without its predecessors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "arcwise/support/bytes.hpp"

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

    // A whole number below `count`, every one as probable as any other.
    std::uint64_t below(std::uint64_t count) {
        if (script_ != nullptr) return script_->one_of(count);
        return unscripted_below(count);
    }

    // An index in proportion to its weight; weights are not negative and not all zero.
    std::size_t choose(std::span<const double> weights);

    // Puts the items into an order, every one as probable as any other.
    template <class Item>
    void shuffle(std::span<Item> items) {
        for (std::size_t left = items.size(); left > 1; --left) {
            std::swap(items[left - 1], items[below(left)]);
        }
    }

    // Puts some `count` of the items first, any as probable as any others.
    template <class Item>
    void draw_to_front(std::span<Item> items, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            std::swap(items[i], items[i + below(items.size() - i)]);
        }
    }

    // True with the given probability.
    bool event(double probability) {
        if (script_ != nullptr) return script_->event(probability);
        return uniform() < probability;
    }

    // Draws that a script decides instead of chance, to go through all that can happen. Only
    // `below`, `choose` and `event` are scripted; what a kernel does is a function of those.
    class Script {
      public:
        virtual ~Script() = default;
        virtual std::uint64_t one_of(std::uint64_t count) = 0;
        virtual std::size_t choose(std::span<const double> weights) = 0;
        virtual bool event(double probability) = 0;
    };
    bool scripted() const { return script_ != nullptr; }
    explicit Random(Script& script) : key_{}, script_(&script) {}

    // Where it stands, so that the draws go on from there.
    void save(ByteWriter& out) const;
    void restore(ByteReader& in);

  private:
    void refill();
    std::uint64_t unscripted_below(std::uint64_t count);

    std::array<std::uint64_t, 2> key_;
    std::uint64_t position_ = 0;
    std::array<std::uint64_t, 4> block_{};
    unsigned unused_ = 0;
    Script* script_ = nullptr;
};

}  // namespace arcwise
