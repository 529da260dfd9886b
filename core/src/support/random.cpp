// The Philox rounds; constants are those of the paper's table 2 and section 3.3.
#include "arcwise/support/random.hpp"

namespace arcwise {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr std::uint64_t multiplier_0 = 0xD2E7470EE14C6C93ULL;
constexpr std::uint64_t multiplier_1 = 0xCA5A826395121157ULL;
constexpr std::uint64_t key_step_0 = 0x9E3779B97F4A7C15ULL;  // golden ratio
constexpr std::uint64_t key_step_1 = 0xBB67AE8584CAA73BULL;  // sqrt(3) - 1
constexpr int rounds = 10;

}  // namespace

std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> counter,
                                    std::array<std::uint64_t, 2> key) {
    for (int round = 0; round < rounds; ++round) {
        const Wide product_0 = static_cast<Wide>(multiplier_0) * counter[0];
        const Wide product_1 = static_cast<Wide>(multiplier_1) * counter[2];
        counter = {static_cast<std::uint64_t>(product_1 >> 64) ^ counter[1] ^ key[0],
                   static_cast<std::uint64_t>(product_1),
                   static_cast<std::uint64_t>(product_0 >> 64) ^ counter[3] ^ key[1],
                   static_cast<std::uint64_t>(product_0)};
        key[0] += key_step_0;
        key[1] += key_step_1;
    }
    return counter;
}

void Random::refill() {
    block_ = philox({position_++, 0, 0, 0}, key_);
    unused_ = 4;
}

}  // namespace arcwise
