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

void Random::save(ByteWriter& out) const {
    for (const std::uint64_t word : key_) out.put(word);
    out.put(position_);
    out.put(static_cast<std::uint64_t>(unused_));
}

void Random::restore(ByteReader& in) {
    for (std::uint64_t& word : key_) word = in.get<std::uint64_t>();
    position_ = in.get<std::uint64_t>();
    const auto unused = in.get<std::uint64_t>();
    if (unused > block_.size() || (unused > 0 && position_ == 0)) ByteReader::damaged();
    unused_ = static_cast<unsigned>(unused);
    if (unused_ > 0) block_ = philox({position_ - 1, 0, 0, 0}, key_);
}

// The high word of bits * count is uniform once the low words below 2^64 mod count are refused
// (Lemire, "Fast random integer generation in an interval", 2019).
std::uint64_t Random::unscripted_below(std::uint64_t count) {
    Wide product = static_cast<Wide>(bits()) * count;
    if (static_cast<std::uint64_t>(product) < count) {
        const std::uint64_t refused = (0 - count) % count;
        while (static_cast<std::uint64_t>(product) < refused) {
            product = static_cast<Wide>(bits()) * count;
        }
    }
    return static_cast<std::uint64_t>(product >> 64);
}

std::size_t Random::choose(std::span<const double> weights) {
    if (script_ != nullptr) return script_->choose(weights);
    double total = 0.0;
    for (const double weight : weights) total += weight;
    double left = uniform() * total;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] <= 0.0) continue;
        last = i;  // takes what rounding leaves after the last weight
        left -= weights[i];
        if (left < 0.0) return i;
    }
    return last;
}

}  // namespace arcwise
